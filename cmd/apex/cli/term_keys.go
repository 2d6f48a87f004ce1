package cli

import (
	"context"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/proto"
	"apex/term/input"
)

func (a *app) termKeysCommand() *cobra.Command {
	return completes(&cobra.Command{
		Use:   "keys T KEY... | -- KEY...",
		Short: "Press keys in a terminal",
		Long: `Press keys in a terminal, by their names: a character, Enter, Tab, Escape, Up, PageDown,
F5, with C- (Ctrl), M- (Alt) and S- (Shift) before it, as in C-c, M-x, C-S-Left. They are
encoded as the terminal's program has asked for. It returns when the terminal has taken
them. Behind -- T may be left out.`,
		Example: "  apex term keys t0.7 Escape : w q Enter",
		RunE: func(c *cobra.Command, args []string) error {
			name, keys, err := beforeDash(c, args)
			switch {
			case err != nil:
				return err
			case len(keys) == 0:
				return usagef("no keys: want %s", c.UseLine())
			}
			for _, k := range keys {
				if _, err := input.ParseKey(k); err != nil {
					return usagef("%v", err)
				}
			}
			return a.onTerm(c, name, func(ctx context.Context, conn *client.Conn, term string) error {
				for len(keys) > 0 {
					n := min(len(keys), proto.InputMaxKeys)
					if err := conn.Input(ctx, &proto.TermInput{Session: a.session, Term: term,
						Kind: proto.InputNames, Names: keys[:n]}); err != nil {
						return err
					}
					keys = keys[n:]
				}
				return nil
			})
		},
	}, a.terms("Enter", "Escape", "Tab", "C-c", "Up", "Down", "Left", "Right"))
}
