package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"apex/cmd/apex/bench"
)

func (a *app) benchCommand() *cobra.Command {
	var peer string
	c := a.jsonFlag(&cobra.Command{
		Use:   "bench [NAME]...",
		Short: "Measure this build against floors and peers",
		Long: `Measure this build, with daemons of its own in temporary directories, against
floors and peers measured in the same run: raw system calls that move the same
bytes, tmux, neovim. What counts are the ratios. A line whose peer is missing is
skipped. The machine should have nothing else to do.

` + bench.Describe(),
		Example: "  apex bench ping key_durable\n  apex bench --json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, names []string) error {
			if peer != "" {
				return bench.Peer(peer)
			}
			return a.bench(c.Context(), names)
		},
	})
	c.Flags().StringVar(&peer, "peer", "", "be the other process of a floor")
	c.Flags().MarkHidden("peer")
	return c
}

// bench prints each line as it is measured, or with --json all of them at the end.
func (a *app) bench(ctx context.Context, names []string) error {
	if err := bench.Check(names); err != nil {
		return usagef("%v", err)
	}
	lines := []bench.Line{}
	err := bench.Run(ctx, names, func(l bench.Line) {
		lines = append(lines, l)
		if !a.json {
			fmt.Fprintln(a.Out, l)
		}
	})
	if err == nil && a.json {
		err = a.print(lines)
	}
	return err
}
