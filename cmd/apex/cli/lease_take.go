package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/core"
)

// What a command that runs under a lease is told of it.
const (
	envLease      = "APEX_LEASE"
	envLeaseEpoch = "APEX_LEASE_EPOCH"
)

// leaseTTL is for how long a lease is taken by default: a tool that hangs costs others half a minute.
const leaseTTL = 30 * time.Second

func (a *app) leaseTakeCommand() *cobra.Command {
	ttl := leaseTTL
	var limit seconds
	c := &cobra.Command{
		Use:   "take WIN|BUF [-- CMD ARG...]",
		Short: "Take the lease of a window's text",
		Long: `Take the lease of a window's text, or of a buffer (b3.11), and print what it is called, its
epoch, and whose it is. It is renewed as long as this command runs: until it is
interrupted, or with CMD until that ends, whose status it exits with. Then the lease
goes back; if this command is stopped or killed it does so when the time of --ttl is
up, 2 s to 1 h.

Meanwhile what people and other tools change in the text comes through this command,
which makes each change where it was meant, and shows as pending until it is made.
CMD has $APEX_LEASE and $APEX_LEASE_EPOCH: with apex text apply --epoch a change is
refused if the lease has been taken back.

If the lease is taken back before, which a person can always do, the status is 4.
Another tool that has it is waited for.`,
		Example: `  apex lease take main.go --ttl 10s -- make rewrite
  gofmt <x.go | apex text write x.go --epoch $APEX_LEASE_EPOCH`,
		RunE: func(c *cobra.Command, argv []string) error {
			words, command := argv, []string(nil)
			if at := c.ArgsLenAtDash(); at >= 0 {
				words, command = argv[:at], argv[at:]
				if len(command) == 0 {
					return usagef("there is no command after --")
				}
			}
			if err := args(1, 1)(c, words); err != nil {
				return err
			}
			if err := core.CheckTTL(core.Millis(max(ttl, 0).Milliseconds())); err != nil {
				return err
			}
			return a.leaseTake(c.Context(), words[0], ttl, limit, command)
		},
	}
	c.Flags().DurationVar(&ttl, "ttl", ttl, "for how long after it was last renewed")
	timeoutFlag(c, &limit)
	return a.jsonFlag(c)
}

// leaseTake holds the lease of a text, while a command runs if there is one.
func (a *app) leaseTake(ctx context.Context, what string, ttl time.Duration, limit seconds,
	command []string) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	shard, err := a.leasable(ctx, what)
	if err != nil {
		return err
	}
	s, err := client.Attach(ctx, client.Options{Label: a.session, Kind: core.AttachTool,
		Name: "apex lease", Actor: actor(), Daemon: a.daemon(true)})
	if err != nil {
		return a.unattached(err)
	}
	err = a.underLease(ctx, s, shard, ttl, limit, command)
	if left := s.Detach(); err == nil && core.CodeOf(left) != core.CodeUnavailable {
		err = left
	}
	return err
}

// leasable finds the shard that is meant: of a buffer, or of the text that a window shows.
func (a *app) leasable(ctx context.Context, what string) (core.Shard, error) {
	if id, ok := core.ParseBufferID(what); ok && id != 0 {
		return id.Shard(), nil
	}
	if shard, ok := core.ParseShard(what); ok {
		return shard, nil
	}
	conn, err := a.dial(ctx, true)
	if err != nil {
		return core.Shard{}, err
	}
	defer conn.Close()
	win, err := conn.Resolve(ctx, a.session, what)
	if err != nil {
		return core.Shard{}, a.answered(conn, err)
	}
	return win.Buffer.Shard(), nil
}

func (a *app) underLease(ctx context.Context, s *client.Session, shard core.Shard, ttl time.Duration,
	limit seconds, command []string) error {
	wait := ctx
	if limit != 0 {
		late := &timeoutError{fmt.Sprintf("the lease of %v has not come in %v s", shard, &limit)}
		var stop context.CancelFunc
		wait, stop = context.WithTimeoutCause(ctx, time.Duration(limit)*time.Millisecond, late)
		defer stop()
	}
	if err := s.Lease(wait, ttl, shard); err != nil {
		return err
	}
	l, _ := s.Meta().Lease(shard)
	h := &holding{s: s, shard: shard, epoch: l.Epoch}
	if command != nil {
		return h.run(ctx, a, command)
	}
	if err := a.sayLease(s, &l, ttl); err != nil {
		return err
	}
	err := h.hold(ctx)
	if ctx.Err() != nil {
		return nil // interrupted, which is how it ends
	}
	return err
}

// takenJSON is a lease that was taken, in JSON.
type takenJSON struct {
	Lease  string `json:"lease"`
	Shard  string `json:"shard"`
	Epoch  uint64 `json:"epoch"`
	Holder string `json:"holder"`
	TTL    uint64 `json:"ttl_ms"`
}

func (a *app) sayLease(s *client.Session, l *core.Lease, ttl time.Duration) error {
	id := leaseID(l.Shard, l.Epoch)
	if a.json {
		return a.print(takenJSON{id, l.Shard.String(), uint64(l.Epoch), entry.Attachment(l.Holder),
			uint64(ttl.Milliseconds())})
	}
	return a.say("%s\tepoch %d\theld by %s for %v", id, l.Epoch, entry.Attachment(l.Holder), ttl)
}

// holding is a lease that is held.
type holding struct {
	s     *client.Session
	shard core.Shard
	epoch core.Epoch
}

// hold answers for the text until ctx ends or the lease is lost, which is fenced.
func (h *holding) hold(ctx context.Context) error {
	for {
		if err := h.s.Wait(ctx); err != nil {
			return err
		}
		for _, e := range h.s.Process() {
			if e.Kind == client.EventEnded {
				return e.Err
			}
		}
		l, ok := h.s.Meta().Lease(h.shard)
		switch {
		case !h.s.Knows(core.MetaShard): // for the time of a link that is coming back
		case !ok:
			return core.Errorf(core.CodeNotFound, "%v is gone", h.shard)
		case l.Epoch != h.epoch:
			return core.Errorf(core.CodeFenced, "the lease %s was taken back", leaseID(h.shard, h.epoch))
		}
	}
}

// run runs a command under the lease. It gets the signals that end us, and ends by itself.
func (h *holding) run(ctx context.Context, a *app, command []string) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out, a.Err
	cmd.Env = append(os.Environ(), envLease+"="+leaseID(h.shard, h.epoch),
		fmt.Sprintf("%s=%d", envLeaseEpoch, h.epoch))
	if err := cmd.Start(); err != nil {
		return core.Errorf(core.CodeFailed, "%v", err)
	}
	stop := context.AfterFunc(ctx, func() { cmd.Process.Signal(syscall.SIGTERM) })
	defer stop()
	running, ended := context.WithCancel(context.Background())
	var status error
	go func() {
		status = cmd.Wait()
		ended()
	}()
	lost := h.hold(running)
	if running.Err() == nil { // its changes are refused, if it makes them under the epoch
		fmt.Fprintf(a.Err, "apex: %v\n", lost)
	} else {
		lost = nil
	}
	<-running.Done()
	var exit *exec.ExitError
	switch {
	case errors.As(status, &exit) && exit.ExitCode() >= 0:
		return &statusError{exit.ExitCode()}
	case errors.As(status, &exit):
		return &statusError{128 + int(exit.Sys().(syscall.WaitStatus).Signal())}
	case status != nil:
		return core.Errorf(core.CodeFailed, "%v", status)
	case lost != nil:
		return &told{lost}
	}
	return nil
}
