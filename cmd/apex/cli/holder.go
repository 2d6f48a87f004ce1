package cli

import (
	"github.com/spf13/cobra"

	"apex/term/holder"
)

// holderCommand is the help of what holder.Dispatch does: a process that is a holder never comes
// as far as the commands.
func (a *app) holderCommand() *cobra.Command {
	return &cobra.Command{
		Use:   holder.Command + " NAME",
		Short: "Keep a program's terminal open while no daemon runs",
		Long: "Keep a program and its terminal, and read what it writes while no daemon runs.\n" +
			"The daemon starts one for each program; it can't be used otherwise.",
		Example: "  apex holder t12",
		Hidden:  true,
		Args:    cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("a holder is started by the daemon only")
		},
	}
}
