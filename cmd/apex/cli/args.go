package cli

import (
	"github.com/spf13/cobra"
)

// args checks the number of arguments, as a matter of usage.
func args(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if n := len(args); n < low || high >= 0 && n > high {
			return usagef("%d arguments\nusage: %s", n, c.UseLine())
		}
		return nil
	}
}

var noArgs = args(0, 0)
