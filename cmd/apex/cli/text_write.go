package cli

import (
	"context"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
)

func (a *app) textWriteCommand() *cobra.Command {
	var base, epoch uint64
	c := &cobra.Command{
		Use:   "write WIN",
		Short: "Replace a window's text",
		Long: `Make a window's text what standard input is, any bytes, by the smallest edits:
selections, marks and what others type elsewhere stay where they are. It is one
step of undo. The file is not written: apex put does that.

With --base it is refused if the text is at another version.`,
		Example: "  gofmt < main.go | apex text write main.go",
		Args:    args(1, 1),
	}
	c.Flags().Uint64Var(&base, "base", 0, "version that the text must be at")
	epochFlag(c, &epoch)
	c.RunE = func(cmd *cobra.Command, argv []string) error {
		in, err := a.readAll(inputMaxBytes)
		if err != nil {
			return err
		}
		return a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
			r, err := a.proposeAt(ctx, conn, args[0], epoch, &core.AskSet{Base: core.Version(base),
				HasBase: cmd.Flags().Changed("base"), Text: string(in)})
			return a.outcome(r, err)
		})(cmd, argv)
	}
	return a.jsonFlag(c)
}
