package cli

import (
	"bufio"
	"context"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/proto"
)

// screenJSON is a terminal's screen in JSON.
type screenJSON struct {
	Term     string         `json:"term"`
	Window   string         `json:"window"`
	Title    string         `json:"title"`
	Cwd      string         `json:"cwd"`
	Size     sizeJSON       `json:"size"`
	Rows     []entry.Row    `json:"rows"`
	Cursor   entry.Cursor   `json:"cursor"`
	Modes    []string       `json:"modes"`
	Mouse    string         `json:"mouse"`
	First    uint64         `json:"first"`
	Base     uint64         `json:"base"`
	Progress entry.Progress `json:"progress"`
	Bells    uint64         `json:"bells"`
	Running  bool           `json:"running"`
}

// sizeJSON is a size in cells.
type sizeJSON struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

func screenOf(g *proto.TermGrid) screenJSON {
	t := g.State
	out := screenJSON{g.Term.String(), entry.WindowID(t.Window), t.Title, t.Cwd,
		sizeJSON{t.Cols, t.Rows}, make([]entry.Row, 0, len(t.Grid)), entry.CursorOf(t.Cursor),
		entry.Modes(t.Modes), entry.Mouse(t.Modes), t.First, t.Base, entry.ProgressOf(t.Progress),
		t.Bells, !t.Exit.Done}
	for _, r := range t.Grid {
		out.Rows = append(out.Rows, entry.RowOf(r))
	}
	return out
}

func (a *app) termScreenCommand() *cobra.Command {
	return a.jsonFlag(completes(&cobra.Command{
		Use:   "screen [T]",
		Short: "Print a terminal's screen as it stands",
		Long: `Print a terminal's screen as it stands: its rows, without the blanks at their ends.

With --json an object with rows (text, and wrapped if the line goes on in the next row),
size, cursor, modes, mouse, title, cwd, progress, bells, the lines that the screen begins
with (base) and that are kept (first), and whether the program is running.`,
		Example: "  apex term screen t0.7 --json",
		Args:    termArgs(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.onTerm(c, first(args), a.termScreen)
		},
	}, a.terms()))
}

func (a *app) termScreen(ctx context.Context, conn *client.Conn, term string) error {
	grid, err := conn.Screen(ctx, a.session, term)
	if err != nil {
		return err
	}
	s := screenOf(grid)
	if a.json {
		return a.print(s)
	}
	out := bufio.NewWriter(a.Out)
	for _, r := range s.Rows {
		out.WriteString(r.Text)
		out.WriteByte('\n')
	}
	return out.Flush()
}
