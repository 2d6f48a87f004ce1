package cli

import (
	"context"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/core"
	"apex/proto"
)

// windowJSON is a window in JSON.
type windowJSON struct {
	Window  string `json:"window"`
	Buffer  string `json:"buffer"`
	Tag     string `json:"tag"`
	Name    string `json:"name"`
	Label   string `json:"label"`
	Kind    string `json:"kind"`
	Column  int    `json:"column"`
	Row     int    `json:"row"`
	Show    string `json:"show"`
	Focus   bool   `json:"focus"`
	Dirty   bool   `json:"dirty"`
	Stale   bool   `json:"stale"`
	Live    bool   `json:"live"`
	Working bool   `json:"working"`
	Owner   string `json:"owner"`
	Missing bool   `json:"missing"`
}

func windowOf(w *proto.WindowInfo) windowJSON {
	return windowJSON{w.Window.String(), w.Buffer.String(), w.Tag.String(), w.Name, w.Label,
		entry.Kind(w.Kind), w.Column, w.Row, entry.Show(w.Show), w.Focus, w.Dirty, w.Stale, w.Live,
		w.Work, w.Owner, w.Missing}
}

func (a *app) winCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "win",
		Short: "List and remove windows",
		Long: `List and remove windows. Where a command takes WIN, it is a window's id (w1.3),
its path, as seen from the current directory, its label, or a part of its name
that no other window has. What is a file here, or has a '/' in it, is always that
path: a file of the same label elsewhere is not taken for it.`,
		RunE: noSubcommand,
	}
	c.AddCommand(a.winLsCommand(), a.winRmCommand())
	return c
}

func (a *app) winLsCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:     "ls",
		Short:   "List the windows",
		Long:    "List the windows of the session, column by column.",
		Example: "  apex win ls --json",
		Args:    noArgs,
		RunE:    a.ask(a.winLs),
	})
}

func (a *app) winLs(ctx context.Context, conn *client.Conn, _ []string) error {
	list, err := conn.Windows(ctx, a.session)
	if err != nil {
		return err
	}
	if a.json {
		out := make([]windowJSON, 0, len(list))
		for i := range list {
			out = append(out, windowOf(&list[i]))
		}
		return a.print(out)
	}
	var rows [][]string
	for _, w := range list {
		rows = append(rows, []string{w.Window.String(), entry.Kind(w.Kind),
			words(iff(w.Focus, "focus"), iff(w.Dirty, "dirty"), iff(w.Stale, "stale"),
				iff(w.Missing, "missing")), w.Name})
	}
	return a.table([]string{"WINDOW", "KIND", "STATE", "NAME"}, rows)
}

func (a *app) winRmCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:     "rm WIN",
		Short:   "Remove a window",
		Long:    "Remove a window. It is refused while its text has unsaved changes.",
		Example: "  apex win rm -f notes.txt",
		Args:    args(1, 1),
	}
	c.Flags().BoolVarP(&force, "force", "f", false, "despite unsaved changes")
	c.RunE = a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
		_, err := a.propose(ctx, conn, args[0], &core.AskDelete{Force: force})
		return err
	})
	return c
}

// propose asks for a change of a window, or of its text.
func (a *app) propose(ctx context.Context, conn *client.Conn, win string,
	ask core.Ask) (core.Result, error) {
	return a.proposeAt(ctx, conn, win, 0, ask)
}

// proposeAt proposes a change that is refused if the lease of the text has a later epoch than one that
// is given.
func (a *app) proposeAt(ctx context.Context, conn *client.Conn, win string, epoch uint64,
	ask core.Ask) (core.Result, error) {
	win, err := a.window(ctx, conn, win)
	if err != nil {
		return core.Result{}, err
	}
	return conn.ProposeIn(ctx, a.session, win, core.Proposal{
		Author: core.Author{Actor: actor()}, Ask: ask, ExpectedEpoch: core.Epoch(epoch)})
}

// epochFlag gives a command --epoch.
func epochFlag(c *cobra.Command, epoch *uint64) {
	c.Flags().Uint64Var(epoch, "epoch", 0, "refuse if the lease of the text has a later epoch")
}
