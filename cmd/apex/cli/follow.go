package cli

import (
	"bufio"
	"context"
	"fmt"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"apex/cmd/apex/cli/entry"
	"apex/cmd/apex/cli/tail"
	"apex/core"
)

func (a *app) followCommand() *cobra.Command {
	var shards []string
	var from uint64
	c := &cobra.Command{
		Use:   "follow",
		Short: "Print what happens in the session, as it happens",
		Long: `Print the entries of the session's logs, one JSON object a line, when they are on
disk: what is printed is never taken back. Without --shard it is all logs that
there are, and those that come. With --from it begins at that number of each log;
without, at what comes from now on. Entries that are no longer kept are told as

  {"shard": "meta", "gap": {"from": 1, "to": 9}}

It goes on when the daemon is restarted, and ends when it is interrupted, when the
session ends, or when the daemon stays away.`,
		Example: "  apex follow --shard buffer/b0.9 --from 1",
		Args:    noArgs,
	}
	c.Flags().StringArrayVar(&shards, "shard", nil, "follow this log (may be given several times)")
	c.Flags().Uint64Var(&from, "from", 0, "first sequence number")
	c.RunE = func(c *cobra.Command, _ []string) error {
		opts := tail.Options{Daemon: a.daemon(true), Session: a.session, Actor: actor(),
			From: core.Seq(from)}
		for _, name := range shards {
			s, err := parseShard(name)
			if err != nil {
				return err
			}
			opts.Shards = append(opts.Shards, s)
		}
		return a.follow(c.Context(), opts)
	}
	return c
}

func (a *app) follow(ctx context.Context, opts tail.Options) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := tail.Run(ctx, opts, &lines{a: a, out: bufio.NewWriter(a.Out)})
	if core.CodeOf(err) == core.CodeUnavailable {
		return &noDaemonError{err}
	}
	return err
}

// lines is a tail.Sink that prints.
type lines struct {
	a   *app
	out *bufio.Writer
}

func (l *lines) Batch(b *core.Sealed, from core.Seq) error {
	for _, e := range entry.Of(&b.Batch, from) {
		if err := entry.Write(l.out, e); err != nil {
			return err
		}
	}
	return nil
}

func (l *lines) Gap(s core.Shard, first, last core.Seq) error {
	return entry.Write(l.out, gapOf(s, first, last))
}

func (l *lines) Flush() error { return l.out.Flush() }

func (l *lines) Notice(text string) { fmt.Fprintln(l.a.Err, "apex:", visibleLines(text)) }
