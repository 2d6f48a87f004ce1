package cli

import (
	"github.com/spf13/cobra"

	"apex/client/tui"
)

// guardCommand is what the UI starts beside itself: it gives the terminal back if the UI is killed.
func (a *app) guardCommand() *cobra.Command {
	return &cobra.Command{
		Use:     tui.GuardCommand,
		Short:   "Give the terminal back when the UI is killed",
		Long:    "Wait, on the other end of a pipe, for a UI that is killed, and give its terminal back.",
		Example: "  apex guard-terminal",
		Hidden:  true,
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return tui.Guard() },
	}
}
