package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/proto"
)

// foundJSON is a place that was found, in JSON.
type foundJSON struct {
	Found  bool   `json:"found"`
	Line   uint64 `json:"line"`
	Column int    `json:"column"`
	Cells  int    `json:"cells"`
}

func (a *app) termFindCommand() *cobra.Command {
	var back bool
	var from uint64
	c := &cobra.Command{
		Use:   "find [T] /RE/",
		Short: "Find a pattern in a terminal's lines",
		Long: `Find what a regular expression (RE2, within one line) matches in a terminal's lines,
scrollback included: the first from the oldest line or --from on, or with --back the last
from the end or before --from. Print the line, the column and how many cells matched.

Exit status: 0 when there is one, 1 when there is none. With --json an object with found,
line, column and cells.`,
		Example: "  apex term find t0.7 --back '/error:/'",
		Args:    termArgs(1, 2),
	}
	c.Flags().BoolVar(&back, "back", false, "the last one, not the first")
	c.Flags().Uint64Var(&from, "from", 0, "the line where to begin")
	c.RunE = func(c *cobra.Command, args []string) error {
		arg := args[len(args)-1]
		re, err := pattern(arg)
		if err != nil {
			return err
		}
		req := &proto.TermFind{Session: a.session, Pattern: re, From: from, Backwards: back,
			End: back && !c.Flags().Changed("from")}
		name := first(args[:len(args)-1])
		return a.onTerm(c, name, func(ctx context.Context, conn *client.Conn, term string) error {
			req.Term = term
			f, err := conn.FindTerm(ctx, req)
			if err != nil {
				return err
			}
			return a.found(f, arg)
		})
	}
	return a.jsonFlag(completes(c, a.terms()))
}

// found prints what was found. The error says that there was nothing.
func (a *app) found(f *proto.TermFound, what string) error {
	if a.json {
		if err := a.print(foundJSON(*f)); err != nil {
			return err
		}
	}
	switch {
	case !f.Found:
		return &told{advise(fmt.Errorf("no line matches %s", what),
			"`apex term wait` waits for one, `apex term read` prints the lines")}
	case a.json:
		return nil
	}
	return a.say("%d\t%d\t%d", f.Line, f.Column, f.Cells)
}
