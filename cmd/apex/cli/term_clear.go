package cli

import (
	"context"

	"github.com/spf13/cobra"

	"apex/client"
)

func (a *app) termClearCommand() *cobra.Command {
	return completes(&cobra.Command{
		Use:     "clear [T]",
		Short:   "Drop a terminal's scrollback",
		Long:    "Drop the lines of a terminal that have scrolled off. The screen stays as it is.",
		Example: "  apex term clear t0.7",
		Args:    termArgs(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.onTerm(c, first(args), func(ctx context.Context, conn *client.Conn, term string) error {
				return conn.ClearTerm(ctx, a.session, term)
			})
		},
	}, a.terms())
}
