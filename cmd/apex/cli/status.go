package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
)

// statusJSON is the daemon's state in JSON.
type statusJSON struct {
	Build       string        `json:"build"`
	Protocol    uint64        `json:"protocol"`
	PID         int           `json:"pid"`
	Socket      string        `json:"socket"`
	State       string        `json:"state"`
	LogFile     string        `json:"log_file"`
	Started     string        `json:"started"`
	Now         string        `json:"now"`
	Connections int           `json:"connections"`
	Refused     int           `json:"refused"`
	Draining    bool          `json:"draining"`
	MemoryBytes int64         `json:"memory_bytes"`
	Divergences int           `json:"divergences"` // since it started
	Sessions    []sessionJSON `json:"sessions"`
	PolledDirs  int           `json:"polled_dirs"` // directories of open files that can't be watched
	PollReason  string        `json:"poll_reason"`
}

func (a *app) statusCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:     "status",
		Short:   "Say how the daemon is",
		Long:    "Say how the daemon is, if one is running.",
		Example: "  apex status --json",
		Args:    noArgs,
		RunE:    a.askIf(false, a.status),
	})
}

func (a *app) status(ctx context.Context, conn *client.Conn, _ []string) error {
	s, err := conn.Status(ctx)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(statusJSON{s.Build, s.Protocol, s.PID, s.Socket, s.State, s.LogFile,
			entry.Time(s.Started), entry.Time(s.Now), s.Clients, s.Refused, s.Draining, s.Memory,
			s.Diverged, sessionsJSON(s.Sessions), s.Polled, s.PollWhy})
	}
	rows := [][]string{
		{"build", s.Build},
		{"pid", fmt.Sprint(s.PID)},
		{"socket", s.Socket},
		{"state", s.State},
		{"log", s.LogFile},
		{"started", entry.Time(s.Started)},
		{"connections", fmt.Sprintf("%d, %d refused", s.Clients, s.Refused)},
		{"memory", fmt.Sprintf("%d bytes", s.Memory)},
		{"divergences", fmt.Sprint(s.Diverged)},
		{"sessions", fmt.Sprint(len(s.Sessions))},
	}
	if s.Polled > 0 {
		rows = append(rows, []string{"files", fmt.Sprintf("changes in %d directories are looked for by polling: %s",
			s.Polled, s.PollWhy)})
	}
	for _, x := range s.Sessions {
		if x.Trouble != "" {
			rows = append(rows, []string{"trouble", x.Label + ": " + x.Trouble})
		}
		if x.Diverged > 0 {
			rows = append(rows, []string{"diverged",
				fmt.Sprintf("%s: %d replicas", x.Label, x.Diverged)})
		}
	}
	return a.table([]string{"protocol", fmt.Sprint(s.Protocol)}, rows)
}
