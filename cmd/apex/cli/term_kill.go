package cli

import (
	"context"

	"github.com/spf13/cobra"

	"apex/client"
)

func (a *app) termKillCommand() *cobra.Command {
	var sig signalName
	c := &cobra.Command{
		Use:   "kill [-SIG] [T]",
		Short: "End a terminal's programs, or send them a signal",
		Long: `Send a signal to all processes of a terminal: -9, -KILL and -SIGKILL are the same. Without
one they are ended: by HUP, TERM and KILL, each after some time of grace, and the command
returns when they have ended. The window stays, with what was printed; apex win rm removes
it, and ends what runs in it too.`,
		Example: "  apex term kill -INT t0.7",
		Args:    termArgs(0, 1),
	}
	signalFlag(c, &sig)
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.onTerm(c, first(args), func(ctx context.Context, conn *client.Conn, term string) error {
			return conn.KillTerm(ctx, a.session, term, string(sig))
		})
	}
	return completes(c, a.terms())
}
