package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/core"
	"apex/proto"
)

func (a *app) leaseCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "lease",
		Short: "Lead a window's text for a while",
		Long: `Lead a window's text for a while, for work of several steps: what others change in it
meanwhile goes through who has the lease, and nobody else's change comes between.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.leaseTakeCommand(), a.leaseReleaseCommand(), a.leaseListCommand())
	return c
}

// leaseID prints a lease: of what, and at which epoch.
func leaseID(s core.Shard, e core.Epoch) string {
	name := s.String()
	if s.Kind == core.KindBuffer {
		name = core.BufferID(s.ID).String()
	}
	return name + "@" + strconv.FormatUint(uint64(e), 10)
}

// parseLease reads a lease's id, or what a lease is of without an epoch.
func parseLease(s string) (what string, e core.Epoch, err error) {
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return s, 0, nil
	}
	if _, ok := core.ParseBufferID(s[:at]); !ok {
		return s, 0, nil // a file's name may have an @
	}
	n, err := strconv.ParseUint(s[at+1:], 10, 64)
	if err != nil || n == 0 || n > uint64(core.MaxEpoch) {
		return "", 0, usagef("%q: want a buffer's id, @ and the lease's epoch", s)
	}
	return s[:at], core.Epoch(n), nil
}

func (a *app) leaseReleaseCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "release WIN|LEASE",
		Short: "Ask for a lease back",
		Long: `Ask the tool that has the lease of a window's text to give it back. It is taken from one
that does not within half a second; what that had not stored is made again by who
leads next, or kept in +Recovered. A LEASE is what apex lease take printed: another
one that came later stays.`,
		Example: "  apex lease release main.go",
		Args:    args(1, 1),
		RunE: func(c *cobra.Command, argv []string) error {
			what, epoch, err := parseLease(argv[0])
			if err != nil {
				return err
			}
			return a.ask(func(ctx context.Context, conn *client.Conn, _ []string) error {
				err := conn.ReleaseLease(ctx, a.session, what, epoch)
				if core.CodeOf(err) == core.CodeNotFound {
					err = advise(err, "`apex lease ls` lists the leases of tools")
				}
				return err
			})(c, argv)
		},
	}
}

// leaseJSON is a lease in JSON.
type leaseJSON struct {
	Lease   string `json:"lease"`
	Shard   string `json:"shard"`
	Text    string `json:"text"`
	Epoch   uint64 `json:"epoch"`
	Holder  string `json:"holder"` // a0 is the daemon
	Kind    string `json:"kind"`   // of the holder; empty for the daemon
	Actor   string `json:"actor"`
	Name    string `json:"name"`
	TTL     uint64 `json:"ttl_ms"`  // 0: until it is given back
	Left    uint64 `json:"left_ms"` // if it is not renewed
	Waiting int    `json:"waiting"`
}

func leaseOf(l *proto.LeaseInfo) leaseJSON {
	kind := ""
	if l.Holder != core.Server {
		kind = l.Kind.String()
	}
	shard := core.Shard(l.Shard)
	return leaseJSON{leaseID(shard, l.Epoch), shard.String(), l.Text, uint64(l.Epoch),
		entry.Attachment(l.Holder), kind, l.Actor, l.Name, uint64(l.TTL), uint64(l.Left), l.Waiting}
}

func (a *app) leaseListCommand() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:     "ls",
		Short:   "List leases",
		Long:    "List the leases that tools have or wait for, and with --all everybody's.",
		Example: "  apex lease ls",
		Args:    noArgs,
	}
	c.Flags().BoolVar(&all, "all", false, "those of interfaces and of the daemon too")
	c.RunE = a.ask(func(ctx context.Context, conn *client.Conn, _ []string) error {
		leases, err := conn.Leases(ctx, a.session, all)
		if err != nil {
			return err
		}
		out := make([]leaseJSON, 0, len(leases))
		var rows [][]string
		for i := range leases {
			l := leaseOf(&leases[i])
			out = append(out, l)
			rows = append(rows, []string{l.Lease, l.Holder, l.Actor, leaseTime(&leases[i]),
				words(iff(l.Waiting > 0, fmt.Sprint(l.Waiting, " waiting"))), l.Text})
		}
		if a.json {
			return a.print(out)
		}
		return a.table([]string{"LEASE", "HOLDER", "ACTOR", "LEFT", "STATE", "TEXT"}, rows)
	})
	return a.jsonFlag(c)
}

// leaseTime says what is left of a lease, of how much.
func leaseTime(l *proto.LeaseInfo) string {
	if l.TTL == 0 {
		return ""
	}
	ms := func(t core.Millis) time.Duration { return time.Duration(t) * time.Millisecond }
	return fmt.Sprintf("%v of %v", ms(l.Left).Round(time.Second), ms(l.TTL))
}
