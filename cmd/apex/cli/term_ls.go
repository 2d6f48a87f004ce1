package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/proto"
)

// termJSON is a terminal in JSON.
type termJSON struct {
	Term    string `json:"term"`
	Window  string `json:"window"`
	Title   string `json:"title"`
	Command string `json:"command"`
	Dir     string `json:"dir"`
	Cwd     string `json:"cwd"`
	Cols    int    `json:"cols"`
	Rows    int    `json:"rows"`
	PID     int    `json:"pid"`
	Running bool   `json:"running"`
	Status  *int   `json:"status"` // null: it runs, or was killed, or nobody knows
	Signal  string `json:"signal"`
	Reason  string `json:"reason"`
	Started string `json:"started"`
}

func termOf(t *proto.TermEntry) termJSON {
	out := termJSON{t.Term.String(), entry.WindowID(t.Window), t.Title, t.Command, t.Dir, t.Cwd,
		t.Cols, t.Rows, t.PID, t.Running, nil, t.Signal, t.Reason, entry.Time(t.Started)}
	if !t.Running && t.Signal == "" && t.Reason == "" {
		out.Status = &t.Code
	}
	return out
}

// ended says how a program ended, in words.
func ended(code int, signal, reason string) string {
	switch {
	case signal != "":
		return "killed by " + signal
	case reason != "":
		return reason
	}
	return "exited with " + strconv.Itoa(code)
}

// state says how a terminal's program is.
func (t *termJSON) state() string {
	switch {
	case t.Running:
		return "running"
	case t.Status != nil:
		return ended(*t.Status, "", "")
	}
	return ended(0, t.Signal, t.Reason)
}

func (a *app) termLsCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "ls",
		Short: "List the terminals",
		Long: `List the terminals of the session, in the order in which they were made, and how
their programs are: also of those that have ended and whose window is still there.`,
		Example: "  apex term ls --json",
		Args:    noArgs,
		RunE:    a.ask(a.termLs),
	})
}

func (a *app) termLs(ctx context.Context, conn *client.Conn, _ []string) error {
	list, err := conn.Terms(ctx, a.session)
	if err != nil {
		return err
	}
	out := make([]termJSON, 0, len(list))
	for i := range list {
		out = append(out, termOf(&list[i]))
	}
	if a.json {
		return a.print(out)
	}
	var rows [][]string
	for _, t := range out {
		rows = append(rows, []string{t.Term, t.Window, fmt.Sprintf("%dx%d", t.Cols, t.Rows),
			fmt.Sprint(t.PID), t.state(), t.Command})
	}
	return a.table([]string{"TERM", "WINDOW", "SIZE", "PID", "STATE", "COMMAND"}, rows)
}
