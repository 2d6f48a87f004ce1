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
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the daemon; sessions are kept",
		Long: `Stop the daemon: clients are told, everything is written to disk, and the
sessions are there again when the next command starts a daemon.`,
		Example: "  apex stop",
		Args:    noArgs,
		RunE:    a.askIf(false, a.stop),
	}
}

// goneEvery is how often it is looked whether a daemon that stops has left.
const goneEvery = 5 * time.Millisecond

// stop returns when the daemon has let go of its state: another one may start then. A daemon that
// drains may close the connection before it answers.
func (a *app) stop(ctx context.Context, conn *client.Conn, _ []string) error {
	p, err := a.paths()
	if err != nil {
		return err
	}
	if err := conn.Stop(ctx); err != nil && conn.Err() == nil {
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
