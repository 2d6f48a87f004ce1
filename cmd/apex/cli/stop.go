package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
	"apex/daemon/paths"
)

func (a *app) stopCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "stop",
		Short: "Stop the daemon; sessions are kept",
		Long: `Stop the daemon: clients are told, everything is written to disk, and the
sessions are there again when the next command starts a daemon. While the disk
refuses what a session holds, the daemon is not stopped: that would be lost.`,
		Example: "  apex stop",
		Args:    noArgs,
	}
	c.Flags().BoolVarP(&force, "force", "f", false, "lose what the disk does not take")
	c.RunE = a.askIf(false, func(ctx context.Context, conn *client.Conn, _ []string) error {
		return a.stop(ctx, conn, force)
	})
	return c
}

// goneEvery is how often it is looked whether a daemon that stops has left.
const goneEvery = 5 * time.Millisecond

// stop returns when the daemon has let go of its state: another one may start then. A daemon that
// drains may close the connection before it answers.
func (a *app) stop(ctx context.Context, conn *client.Conn, force bool) error {
	p, err := a.paths()
	if err != nil {
		return err
	}
	if err := conn.Stop(ctx, force); err != nil && conn.Err() == nil {
		return err
	}
	late := time.After(dialTimeout)
	for {
		owner, held, err := paths.Holder(p.State)
		if err != nil || !held || owner.PID != conn.Server().PID && owner.PID != 0 {
			return err
		}
		select {
		case <-late:
			return core.Errorf(core.CodeBusy, "the daemon with pid %d has not left in %v",
				owner.PID, dialTimeout)
		case <-time.After(goneEvery):
		}
	}
}
