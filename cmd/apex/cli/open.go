package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
	"apex/proto"
)

// placeJSON is where a file was opened, in JSON.
type placeJSON struct {
	Window string `json:"window,omitempty"`
	Buffer string `json:"buffer,omitempty"`
	Path   string `json:"path"`
	Error  string `json:"error,omitempty"` // code
}

func (a *app) openCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "open FILE[:ADDR]... | -",
		Short: "Open files in windows",
		Long: `Open files in windows and print the window and path of each. A file that is
open already is shown. Relative names are in the current directory. ADDR is a
line, #rune, /pattern/ or any other address; if a file of the whole name is
there, it is that. With - standard input goes into a new window.

The session "default" is made if it is missing, with the current directory as
its own.`,
		Example: "  apex open main.go:12 README.md\n  git diff | apex open -",
		Args:    args(1, -1),
		RunE:    a.ask(a.open),
	})
}

func (a *app) open(ctx context.Context, conn *client.Conn, args []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	req := &proto.Open{Session: a.session, Dir: dir, Focus: true,
		Author: proto.Author{Actor: actor()}}
	if len(args) == 1 && args[0] == "-" {
		text, err := a.readAll(inputMaxBytes)
		if err != nil {
			return err
		}
		req.HasText, req.Text = true, text
	} else {
		list, err := files(args)
		if err != nil {
			return err
		}
		req.Files = list
	}
	places, err := conn.Open(ctx, req)
	if err != nil {
		return err
	}
	return a.opened(places)
}

// opened prints where files were opened. The error is that of the files that were not.
func (a *app) opened(places []proto.Place) error {
	var failed []error
	out := make([]placeJSON, 0, len(places))
	for _, p := range places {
		if err := unopened(p); err != nil {
			failed = append(failed, err)
			out = append(out, placeJSON{Path: p.Path, Error: string(p.Code)})
			continue
		}
		out = append(out, placeJSON{p.Window.String(), p.Buffer.String(), p.Path, ""})
		if !a.json {
			if err := a.say("%v\t%s", p.Window, visible(p.Path)); err != nil {
				return err
			}
			if p.Message != "" {
				fmt.Fprintln(a.Err, visible(p.Message))
			}
		}
	}
	err := errors.Join(failed...)
	if a.json {
		if err != nil {
			err = &told{err}
		}
		return errors.Join(a.print(out), err)
	}
	return err
}

// unopened says why a file was not opened; nil if it was.
func unopened(p proto.Place) error {
	err := p.Err()
	if p.Code == core.CodeNotFound {
		err = advise(err, "make its directory first: a file that is missing is new")
	}
	return err
}

// inputMaxBytes bounds a text on standard input: it travels in one frame, beside some names.
const inputMaxBytes = proto.MaxFrame - 64<<10

// readAll reads standard input, up to a bound.
func (a *app) readAll(limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(a.In, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, core.Errorf(core.CodeTooLarge, "standard input has over %d bytes", limit)
	}
	return b, nil
}
