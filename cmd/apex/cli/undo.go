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
		return a.outcome(r, a.noStep(ctx, conn, name, args[0], all, err))
	})
	return a.jsonFlag(c)
}

// noStep says what to do about an error of undo or redo. In a window that there is, it is a step
// that was not found: if even anybody's was not, there is nothing to advise.
func (a *app) noStep(ctx context.Context, conn *client.Conn, name, win string, all bool,
	err error) error {
	code := core.CodeOf(err)
	if code == core.CodeNotFound {
		found, missing := a.window(ctx, conn, win)
		if missing == nil {
			_, missing = conn.Resolve(ctx, a.session, found)
		}
		if missing != nil {
			return err
		}
	}
	switch {
	case all && code == core.CodeNotFound:
		return advise(err, "")
	case !all && (code == core.CodeConflict || code == core.CodeNotFound):
		return advise(err, "`apex %s --all` takes the last step, whose ever it is", name)
	}
	return err
}
