package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/proto"
)

// completeTimeout is how long a shell's completion waits for the daemon: as long as a person who
// has pressed Tab. None is started.
const completeTimeout = 500 * time.Millisecond

// completer makes what may stand at the next place of a command line, given what stands before it:
// words, each with a description behind a tab.
type completer func(c *cobra.Command, args []string) []string

// completes gives a command what its arguments may be.
func completes(c *cobra.Command, next completer) *cobra.Command {
	c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]string,
		cobra.ShellCompDirective) {
		return next(c, args), cobra.ShellCompDirectiveNoFileComp
	}
	return c
}

// terms completes T, and behind it some words.
func (a *app) terms(behind ...string) completer {
	return func(c *cobra.Command, args []string) []string {
		if len(args) > 0 {
			return behind
		}
		return slices.Concat(a.termIDs(c.Context()), behind)
	}
}

// termIDs are the session's terminals.
func (a *app) termIDs(ctx context.Context) (out []string) {
	a.glance(ctx, func(ctx context.Context, conn *client.Conn) {
		list, _ := conn.Terms(ctx, a.session)
		for _, t := range list {
			out = append(out, t.Term.String()+"\t"+visible(t.Command))
		}
	})
	return out
}

// procIDs are the session's processes that run.
func (a *app) procIDs(c *cobra.Command, _ []string) (out []string) {
	a.glance(c.Context(), func(ctx context.Context, conn *client.Conn) {
		list, _ := conn.Processes(ctx, a.session, false)
		for _, p := range list {
			if p.Proc != 0 && p.State != proto.ProcEnded {
				out = append(out, p.Proc.String()+"\t"+visible(p.Command))
			}
		}
	})
	return out
}

// glance asks the daemon something if it is there and answers at once.
func (a *app) glance(ctx context.Context, ask func(context.Context, *client.Conn)) {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	conn, err := a.dial(ctx, false)
	if err != nil {
		return
	}
	defer conn.Close()
	ask(ctx, conn)
}
