package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
)

// endedJSON is a session that has ended, in JSON.
type endedJSON struct {
	Label string `json:"label"`
	ID    string `json:"id"`
	Ended string `json:"ended"`
	Until string `json:"until"`
	Bytes int64  `json:"bytes"`
}

// lsEnded lists the sessions that have ended.
func (a *app) lsEnded(ctx context.Context, conn *client.Conn, _ []string) error {
	sessions, err := conn.Ended(ctx)
	if err != nil {
		return err
	}
	out := make([]endedJSON, 0, len(sessions))
	for _, s := range sessions {
		out = append(out, endedJSON{s.Label, s.ID, entry.Time(s.At), entry.Time(s.Until), s.Bytes})
	}
	if a.json {
		return a.print(out)
	}
	var rows [][]string
	for _, s := range out {
		rows = append(rows, []string{s.Label, s.ID, s.Ended, s.Until, fmt.Sprint(s.Bytes)})
	}
	return a.table([]string{"LABEL", "ID", "ENDED", "KEPT UNTIL", "BYTES"}, rows)
}

func (a *app) restoreCommand() *cobra.Command {
	var as string
	c := &cobra.Command{
		Use:   "restore NAME|ID",
		Short: "Bring a session back that has ended",
		Long: `Bring a session back that has ended, as it was: the newest that had this name, or
the one whose id begins so. Its programs are not started again; what its terminals
showed is there.`,
		Example: "  apex ls --ended\n  apex restore work --as work2",
		Args:    args(1, 1),
	}
	c.Flags().StringVar(&as, "as", "", "give it another name")
	c.RunE = a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
		s, err := conn.Restore(ctx, args[0], as)
		if err != nil {
			return err
		}
		return a.say("%s", visible(s.Label))
	})
	return c
}
