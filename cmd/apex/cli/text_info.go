package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/proto"
)

// infoJSON is what is known of a text, in JSON.
type infoJSON struct {
	Window   string  `json:"window"`
	Buffer   string  `json:"buffer"`
	Path     string  `json:"path"`
	Kind     string  `json:"kind"`
	Version  uint64  `json:"version"`
	Seq      uint64  `json:"seq"`
	Runes    int     `json:"runes"`
	Bytes    int     `json:"bytes"`
	Lines    int     `json:"lines"`
	Q0       int     `json:"q0"`
	Q1       int     `json:"q1"`
	Dirty    bool    `json:"dirty"`
	Stale    bool    `json:"stale"`
	Unsynced int     `json:"unsynced"`
	Hash     string  `json:"hash"`
	DiskHash *string `json:"disk_hash"` // null: the file is not known on disk
	Leader   string  `json:"leader"`
	Epoch    uint64  `json:"epoch"`
	Source   string  `json:"source"`
	IsStale  bool    `json:"is_stale"`
	Missing  bool    `json:"missing"`
	MovedTo  *string `json:"moved_to"` // null: the file is there, or where it went was not seen
	// The undo history.
	UndoBytes   int  `json:"undo_bytes"` // of deleted text
	UndoSteps   int  `json:"undo_steps"` // changes; a run of typing is one
	UndoDropped bool `json:"undo_dropped"`
}

func infoOf(i *proto.TextInfo) infoJSON {
	out := infoJSON{i.Window.Window.String(), i.Window.Buffer.String(), i.Window.Name,
		entry.Kind(i.Window.Kind), uint64(i.Origin.Version), uint64(i.Origin.Seq), i.Runes, i.Bytes,
		i.Lines, i.Q0, i.Q1, i.Window.Dirty, i.Window.Stale, i.Unsynced, i.Hash.String(), nil,
		entry.Attachment(i.Leader), uint64(i.Epoch), string(i.Origin.Source), i.Origin.IsStale,
		i.Window.Missing, nil, i.UndoBytes, i.UndoSteps, i.UndoDropped}
	if i.Window.MovedTo != "" {
		out.MovedTo = &i.Window.MovedTo
	}
	if i.OnDisk {
		h := i.Disk.String()
		out.DiskHash = &h
	}
	return out
}

func (a *app) textInfoCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "info WIN",
		Short: "Say what is known of a window's text",
		Long: `Say what is known of a window's text: its version, sizes, whether it differs
from the file (dirty), whether the file holds something else than was last read
(stale), whether it is gone (missing) and where it went, the text's BLAKE3
hash and the file's, and how large its undo history is: at most 100,000 changes
and 16 MiB of deleted text are kept, and if older ones were dropped for that it
says so. The file is looked at before: what a text without unsaved changes lacks
is taken in.`,
		Example: "  apex text info main.go --json",
		Args:    args(1, 1),
		RunE:    a.ask(a.textInfo),
	})
}

// info asks what is known of a window's text.
func (a *app) info(ctx context.Context, conn *client.Conn, win string) (*proto.TextInfo, error) {
	win, err := a.window(ctx, conn, win)
	if err != nil {
		return nil, err
	}
	return conn.Info(ctx, a.session, win)
}

func (a *app) textInfo(ctx context.Context, conn *client.Conn, args []string) error {
	info, err := a.info(ctx, conn, args[0])
	if err != nil {
		return err
	}
	i := infoOf(info)
	if a.json {
		return a.print(i)
	}
	disk := "-"
	if i.DiskHash != nil {
		disk = *i.DiskHash
	}
	return a.table([]string{"window", i.Window}, [][]string{
		{"buffer", i.Buffer},
		{"path", i.Path},
		{"version", fmt.Sprint(i.Version)},
		{"runes", fmt.Sprint(i.Runes)},
		{"bytes", fmt.Sprint(i.Bytes)},
		{"lines", fmt.Sprint(i.Lines)},
		{"dirty", fmt.Sprint(i.Dirty)},
		{"stale", fmt.Sprint(i.Stale)},
		{"missing", gone(i)},
		{"unsynced", fmt.Sprint(i.Unsynced)},
		{"hash", i.Hash},
		{"disk_hash", disk},
		{"undo_steps", fmt.Sprint(i.UndoSteps)},
		{"undo_bytes", fmt.Sprint(i.UndoBytes)},
		{"undo_dropped", fmt.Sprint(i.UndoDropped)},
	})
}

// gone says whether a window's file is gone, and where it went.
func gone(i infoJSON) string {
	if i.MovedTo != nil {
		return "true, renamed to " + visible(*i.MovedTo)
	}
	return fmt.Sprint(i.Missing)
}
