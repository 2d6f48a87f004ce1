package cli

import (
	"context"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/core"
	"apex/proto"
)

// readTries is how often a text that changes under a reading of several pieces is begun anew.
const readTries = 20

// readJSON is a part of a text in JSON.
type readJSON struct {
	Window  string `json:"window"`
	Buffer  string `json:"buffer"`
	Q0      int    `json:"q0"`
	Q1      int    `json:"q1"`
	Version uint64 `json:"version"`
	Seq     uint64 `json:"seq"`
	Source  string `json:"source"`
	IsStale bool   `json:"is_stale"`
	entry.Text
}

func (a *app) textReadCommand() *cobra.Command {
	var at string
	c := &cobra.Command{
		Use:   "read WIN",
		Short: "Print a window's text",
		Long: `Print the exact bytes of a window's text, or of the range that an address
means: a line, #rune, /pattern/, $, 3,7 and what can be made of them.

With --json an object with the text, its version and where it was read from; a
text that is not UTF-8 is in text_base64.`,
		Example: "  apex text read main.go --range 10,20",
		Args:    args(1, 1),
	}
	c.Flags().StringVar(&at, "range", "", "address of the part to print (default all)")
	c.RunE = a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
		t, err := a.readText(ctx, conn, args[0], at)
		if err != nil {
			return err
		}
		if a.json {
			return a.print(readJSON{t.Window.String(), t.Buffer.String(), t.Q0, t.Q1,
				uint64(t.Origin.Version), uint64(t.Origin.Seq), string(t.Origin.Source),
				t.Origin.IsStale, entry.TextOf(string(t.Bytes))})
		}
		_, err = a.Out.Write(t.Bytes)
		return err
	})
	return a.jsonFlag(c)
}

// readText reads a part of a text, all of it from one version. One that moves on between two
// pieces is begun anew.
func (a *app) readText(ctx context.Context, conn *client.Conn,
	win, at string) (*proto.Text, error) {
	win, err := a.window(ctx, conn, win)
	if err != nil {
		return nil, err
	}
	for range readTries {
		var t *proto.Text
		if t, err = a.readOnce(ctx, conn, win, at); core.CodeOf(err) != core.CodeConflict {
			return t, err
		}
	}
	return nil, err
}

func (a *app) readOnce(ctx context.Context, conn *client.Conn,
	win, at string) (*proto.Text, error) {
	t, err := conn.Read(ctx, &proto.Read{Session: a.session, Win: win, Addr: at})
	if err != nil {
		return nil, err
	}
	for t.More {
		next, err := conn.Read(ctx, &proto.Read{Session: a.session, Win: t.Window.String(),
			Q0: t.Q1, Q1: t.End, Pinned: true, Version: t.Origin.Version})
		if err != nil {
			return nil, err
		}
		t.Bytes = append(t.Bytes, next.Bytes...)
		t.Q1, t.More = next.Q1, next.More
	}
	return t, nil
}
