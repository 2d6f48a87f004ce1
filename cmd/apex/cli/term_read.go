package cli

import (
	"bufio"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/proto"
)

// termReadJSON is a part of a terminal's lines, in JSON.
type termReadJSON struct {
	Term  string   `json:"term"`
	From  uint64   `json:"from"`
	Next  uint64   `json:"next"`
	First uint64   `json:"first"`
	End   uint64   `json:"end"`
	Lines []string `json:"lines"`
}

func (a *app) termReadCommand() *cobra.Command {
	req := proto.TermRead{}
	c := &cobra.Command{
		Use:   "read [T]",
		Short: "Print a terminal's lines, scrollback included",
		Long: `Print a terminal's lines, those that have scrolled off included: all that there are, or
the lines N to M, M not included, or the last N. A line is what the program printed up to
a line end, however many rows it takes on the screen. Of a program that has the alternate
screen these are the lines beneath; apex term screen prints what it shows.

With --json an object with lines, their numbers (from; next is the number after the last),
and which lines there are (first, end). What a program prints from now on is at next and
behind it.`,
		Example: "  apex term read t0.7 --tail 20",
		Args:    termArgs(0, 1),
	}
	c.Flags().Uint64Var(&req.From, "from", 0, "the first line")
	c.Flags().Uint64Var(&req.To, "to", 0, "the line after the last (default to the end)")
	c.Flags().IntVar(&req.Tail, "tail", 0, "the last lines only, at most as many")
	c.RunE = func(c *cobra.Command, args []string) error {
		f := c.Flags()
		switch {
		case f.Changed("tail") && (req.Tail <= 0 || f.Changed("from")):
			return usagef("--tail takes a number above 0, and no --from")
		case f.Changed("to") && req.To <= req.From:
			return usagef("lines %d to %d: want the last behind the first", req.From, req.To)
		}
		return a.onTerm(c, first(args), func(ctx context.Context, conn *client.Conn, term string) error {
			req.Session, req.Term = a.session, term
			return a.termRead(ctx, conn, req)
		})
	}
	return a.jsonFlag(completes(c, a.terms()))
}

// termRead prints lines.
func (a *app) termRead(ctx context.Context, conn *client.Conn, req proto.TermRead) error {
	all, err := a.termLines(ctx, conn, req)
	if err != nil {
		return err
	}
	all.Next = all.From + uint64(len(all.Lines))
	if a.json {
		return a.print(all)
	}
	out := bufio.NewWriter(a.Out)
	for _, l := range all.Lines {
		out.WriteString(l)
		out.WriteByte('\n')
	}
	return out.Flush()
}

// termLines reads lines, reply by reply. What comes meanwhile is left to the next reading; what
// goes meanwhile is told.
func (a *app) termLines(ctx context.Context, conn *client.Conn,
	req proto.TermRead) (*termReadJSON, error) {
	all := &termReadJSON{Lines: []string{}}
	for n := 0; ; n++ {
		t, err := conn.ReadTerm(ctx, &req)
		if err != nil {
			return nil, err
		}
		switch {
		case n == 0:
			all.Term, all.From, all.End = t.Term.String(), t.From, t.End
			if req.To == 0 || req.To > t.End {
				req.To = t.End
			}
		case t.From != req.From:
			fmt.Fprintf(a.Err, "apex: lines %d to %d went while they were read\n", all.From,
				t.From-1)
			all.From, all.Lines = t.From, nil
		}
		all.First = t.First
		for _, l := range t.Lines {
			all.Lines = append(all.Lines, l.Text)
		}
		if !t.More || t.Next >= req.To {
			return all, nil
		}
		req.Term, req.From, req.Tail = t.Term.String(), t.Next, 0
	}
}
