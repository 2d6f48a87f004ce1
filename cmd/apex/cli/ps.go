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

// procJSON is a process in JSON.
type procJSON struct {
	Session string `json:"session"`
	ID      string `json:"id"` // empty: one that left its parent's group, found by its pid
	PID     int    `json:"pid"`
	Parent  string `json:"parent"` // who started it, of one that was found
	Window  string `json:"window"`
	Term    string `json:"term"`
	Command string `json:"command"`
	Dir     string `json:"dir"`
	State   string `json:"state"`
	Started string `json:"started"`
	Status  *int   `json:"status"` // null: it runs, or was killed, or nobody knows
	Signal  string `json:"signal"`
	Reason  string `json:"reason"`
}

func procOf(p *proto.ProcInfo) procJSON {
	out := procJSON{p.Session, procID(p.Proc), p.PID, procID(p.Parent), entry.WindowID(p.Window),
		entry.TermID(p.Term), p.Command, p.Dir, string(p.State), entry.Time(p.Started), nil,
		p.Signal, p.Reason}
	if p.State == proto.ProcEnded && p.Signal == "" && p.Reason == "" {
		out.Status = &p.Code
	}
	return out
}

// procID prints a process's id; none is empty.
func procID(p core.ProcID) string {
	if p == 0 {
		return ""
	}
	return p.String()
}

func (a *app) psCommand() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "ps",
		Short: "List the processes that the session started",
		Long: `List the processes that the session started: the programs of its terminals, commands,
and what has left their groups. Those that have ended are listed for a while, with how. The
state is running, ending, ended, or unknown: who kept it is gone.

With --json objects whose id is empty for a process that was only found by its pid; parent
says who started it.`,
		Example: "  apex ps --all --json",
		Args:    noArgs,
		RunE: a.ask(func(ctx context.Context, conn *client.Conn, _ []string) error {
			return a.ps(ctx, conn, all)
		}),
	}
	c.Flags().BoolVar(&all, "all", false, "of all sessions")
	return a.jsonFlag(c)
}

func (a *app) ps(ctx context.Context, conn *client.Conn, all bool) error {
	list, err := conn.Processes(ctx, a.session, all)
	if err != nil {
		return err
	}
	out := make([]procJSON, 0, len(list))
	for i := range list {
		out = append(out, procOf(&list[i]))
	}
	if a.json {
		return a.print(out)
	}
	var rows [][]string
	for i, p := range out {
		state := p.State
		if list[i].State == proto.ProcEnded {
			state = ended(list[i].Code, p.Signal, p.Reason)
		}
		rows = append(rows, []string{p.Session, words(p.ID), fmt.Sprint(p.PID), state, words(p.Term),
			p.Command})
	}
	return a.table([]string{"SESSION", "ID", "PID", "STATE", "TERM", "COMMAND"}, rows)
}
