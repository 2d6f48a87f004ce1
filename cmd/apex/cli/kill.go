package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
)

func (a *app) killCommand() *cobra.Command {
	var sig signalName
	c := &cobra.Command{
		Use:   "kill [-SIG] ID...",
		Short: "End processes, or send them a signal",
		Long: `Send a signal to processes that the session started, and to all that they started: -9,
-KILL and -SIGKILL are the same. Without one they are ended: by HUP, TERM and KILL, each
after some time of grace, and the command returns when they have ended.

ID is a process's id (p0.8), that of a terminal (t0.7), a pid that apex ps lists, or a part
of a command that no other process has.`,
		Example: "  apex kill p0.8\n  apex kill -KILL t0.7 p0.9",
		Args:    args(1, -1),
	}
	signalFlag(c, &sig)
	c.RunE = func(c *cobra.Command, args []string) error {
		if slices.Contains(args, "") {
			return usagef("the id of a process is empty")
		}
		return a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
			err := conn.Kill(ctx, a.session, args, string(sig))
			switch core.CodeOf(err) {
			case core.CodeNotFound, core.CodeConflict:
				err = advise(err, "`apex ps` lists the processes of a session, `apex ls` the sessions")
			}
			return err
		})(c, args)
	}
	return completes(c, a.procIDs)
}
