package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/proto"
)

// sessionJSON is a session in JSON.
type sessionJSON struct {
	Label        string `json:"label"`
	ID           string `json:"id"`
	Dir          string `json:"dir"`
	Created      string `json:"created"`
	Used         string `json:"used"`
	Windows      int    `json:"windows"`
	Clients      int    `json:"clients"`
	Dirty        int    `json:"dirty"`
	Unsynced     int    `json:"unsynced"`
	JournalBytes int64  `json:"journal_bytes"`
	Bytes        int64  `json:"bytes"` // of all its files
	Diverged     int    `json:"diverged"`
	Durable      bool   `json:"durable"`
	Trouble      string `json:"trouble"`
}

func sessionsJSON(in []proto.SessionInfo) []sessionJSON {
	out := make([]sessionJSON, 0, len(in))
	for _, s := range in {
		out = append(out, sessionJSON{s.Label, s.Session.String(), s.Dir, entry.Time(s.Created),
			entry.Time(s.Used), s.Windows, s.Clients, s.Dirty, s.Unsynced, s.JournalSize,
			s.Bytes, s.Diverged, !s.Unkept, s.Trouble})
	}
	return out
}

func (a *app) lsCommand() *cobra.Command {
	var ended bool
	c := &cobra.Command{
		Use:   "ls",
		Short: "List the sessions",
		Long: `List the sessions: also those that are damaged, with the reason. Bytes are those of
all their files. With --ended, those that have ended and are kept: for 90 days, or
until 1 GiB of newer ones is.`,
		Example: "  apex ls --json",
		Args:    noArgs,
	}
	c.Flags().BoolVar(&ended, "ended", false, "those that have ended, and until when they are kept")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if ended {
			return a.ask(a.lsEnded)(cmd, args)
		}
		return a.ask(a.ls)(cmd, args)
	}
	return a.jsonFlag(c)
}

func (a *app) ls(ctx context.Context, conn *client.Conn, _ []string) error {
	sessions, err := conn.Sessions(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(sessionsJSON(sessions))
	}
	var rows [][]string
	for _, s := range sessions {
		rows = append(rows, []string{s.Label, fmt.Sprint(s.Windows), fmt.Sprint(s.Clients),
			fmt.Sprint(s.Dirty), fmt.Sprint(s.Bytes), s.Dir, s.Trouble})
	}
	head := []string{"LABEL", "WINDOWS", "CLIENTS", "UNSAVED", "BYTES", "DIR", "TROUBLE"}
	return a.table(head, rows)
}
