package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/core"
	"apex/proto"
)

// termInfoJSON is what is known of a terminal, in JSON.
type termInfoJSON struct {
	termJSON
	Modes    []string       `json:"modes"`
	Mouse    string         `json:"mouse"`
	Marks    []entry.Mark   `json:"marks"`
	First    uint64         `json:"first"`
	Base     uint64         `json:"base"`
	End      uint64         `json:"end"`
	Progress entry.Progress `json:"progress"`
	Bells    uint64         `json:"bells"`
}

func (a *app) termInfoCommand() *cobra.Command {
	return a.jsonFlag(completes(&cobra.Command{
		Use:   "info [T]",
		Short: "Say what is known of a terminal",
		Long: `Say what is known of a terminal: its program and how it ended, its title, directory
and size, the modes that the program has set, what it told of its progress, and which
lines there are: first is the oldest that is kept, base the screen's first, end the one
after the last.

With --json also the marks that the shell made (prompt, input, output, end with the
command's status), each with its line and column.`,
		Example: "  apex term info t0.7 --json",
		Args:    termArgs(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.onTerm(c, first(args), a.termInfo)
		},
	}, a.terms()))
}

func termInfoOf(d *proto.TermDetail) termInfoJSON {
	marks := make([]core.PromptMark, len(d.Marks))
	for i, m := range d.Marks {
		marks[i] = core.PromptMark{Kind: m.Kind, Line: m.Line, Col: m.Col, Status: core.StatusUnknown}
		if m.HasStatus {
			marks[i].Status = m.Status
		}
	}
	return termInfoJSON{termOf(&d.Entry), entry.Modes(d.Modes), entry.Mouse(d.Modes),
		entry.Marks(marks), d.First, d.Base, d.End, entry.ProgressOf(core.Progress(d.Progress)),
		d.Bells}
}

func (a *app) termInfo(ctx context.Context, conn *client.Conn, term string) error {
	detail, err := conn.TermInfo(ctx, a.session, term)
	if err != nil {
		return err
	}
	i := termInfoOf(detail)
	if a.json {
		return a.print(i)
	}
	rows := [][]string{
		{"window", i.Window},
		{"command", i.Command},
		{"state", i.state()},
		{"pid", fmt.Sprint(i.PID)},
		{"started", i.Started},
		{"title", i.Title},
		{"dir", i.Dir},
		{"cwd", i.Cwd},
		{"size", fmt.Sprintf("%dx%d", i.Cols, i.Rows)},
		{"modes", words(i.Modes...)},
		{"mouse", i.Mouse},
		{"lines", fmt.Sprintf("%d to %d, the screen from %d", i.First, i.End, i.Base)},
	}
	if i.Progress.State != "none" {
		rows = append(rows, []string{"progress",
			fmt.Sprintf("%s, %d%%", i.Progress.State, i.Progress.Percent)})
	}
	return a.table([]string{"term", i.Term}, rows)
}
