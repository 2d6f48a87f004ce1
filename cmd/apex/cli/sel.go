package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
)

// selJSON is a selection in JSON.
type selJSON struct {
	Window  string `json:"window"`
	Version uint64 `json:"version"`
	Q0      int    `json:"q0"`
	Q1      int    `json:"q1"`
}

func (a *app) selCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "sel WIN [Q0 Q1]",
		Short: "Print or set a window's selection",
		Long: `Print the selection of a window's text as two rune offsets, or set it and
scroll it into sight.`,
		Example: "  apex sel main.go 10 14",
		Args:    args(1, 3),
		RunE: func(c *cobra.Command, argv []string) error {
			switch len(argv) {
			case 1:
				return a.ask(a.selection)(c, argv)
			case 3:
				return a.selectRange(c, argv)
			}
			return usagef("sel takes WIN, or WIN Q0 Q1")
		},
	})
}

func (a *app) selection(ctx context.Context, conn *client.Conn, args []string) error {
	i, err := a.info(ctx, conn, args[0])
	if err != nil {
		return err
	}
	if a.json {
		return a.print(selJSON{i.Window.Window.String(), uint64(i.Origin.Version), i.Q0, i.Q1})
	}
	return a.say("%d %d", i.Q0, i.Q1)
}

func (a *app) selectRange(c *cobra.Command, argv []string) error {
	q0, err0 := strconv.Atoi(argv[1])
	q1, err1 := strconv.Atoi(argv[2])
	if err0 != nil || err1 != nil || q0 < 0 || q1 < q0 {
		return usagef("sel %s %s: want two rune offsets, the first not above the second",
			argv[1], argv[2])
	}
	return a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
		_, err := a.propose(ctx, conn, args[0], &core.AskSelect{Q0: q0, Q1: q1, Show: true})
		return err
	})(c, argv)
}
