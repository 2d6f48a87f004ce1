package cli

import "github.com/spf13/cobra"

func (a *app) textCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "text",
		Short: "Read and change texts",
		Long:  "Read and change the text of a window. Offsets count runes.",
		RunE:  noSubcommand,
	}
	c.AddCommand(a.textReadCommand(), a.textInfoCommand(), a.textApplyCommand(),
		a.textWriteCommand())
	return c
}
