package cli

import (
	"context"

	"github.com/spf13/cobra"

	"apex/client"
)

func (a *app) termResizeCommand() *cobra.Command {
	return completes(&cobra.Command{
		Use:   "resize [T] COLSxROWS",
		Short: "Give a terminal another size",
		Long: `Give a terminal another size, in cells. Lines are wrapped anew, and none is lost. A UI
that shows the terminal gives it the window's size again when that changes.`,
		Example: "  apex term resize t0.7 120x40",
		Args:    termArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			cols, rows, err := size(args[len(args)-1])
			if err != nil {
				return err
			}
			name := first(args[:len(args)-1])
			return a.onTerm(c, name, func(ctx context.Context, conn *client.Conn, term string) error {
				return conn.ResizeTerm(ctx, a.session, term, cols, rows)
			})
		},
	}, a.terms())
}
