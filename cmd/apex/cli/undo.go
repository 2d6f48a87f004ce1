package cli

import (
	"context"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
)

func (a *app) undoCommand() *cobra.Command {
	return a.stepCommand("undo", "Take back your last step in a window",
		"Take back your last step in a window's text, or with --all anybody's.", false)
}

func (a *app) redoCommand() *cobra.Command {
	return a.stepCommand("redo", "Bring back what undo took back in a window",
		"Bring back what undo took back in a window's text, or with --all anybody's.", true)
}

func (a *app) stepCommand(name, short, long string, redo bool) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:     name + " WIN",
		Short:   short,
		Long:    long,
		Example: "  apex " + name + " main.go",
		Args:    args(1, 1),
	}
	c.Flags().BoolVar(&all, "all", false, "anybody's step")
	c.RunE = a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
		r, err := a.propose(ctx, conn, args[0], &core.AskUndo{Redo: redo, All: all})
		if core.CodeOf(err) == core.CodeConflict && !all {
			err = advise(err, "`apex %s --all` takes the last step, whose ever it is", name)
		}
		return a.outcome(r, err)
	})
	return a.jsonFlag(c)
}
