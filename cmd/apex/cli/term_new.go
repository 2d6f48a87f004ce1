package cli

import (
	"context"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/proto"
)

// madeJSON is a terminal that was made, in JSON.
type madeJSON struct {
	Window string `json:"window"`
	Term   string `json:"term"`
}

func (a *app) termNewCommand() *cobra.Command {
	var dir, cells string
	var focus bool
	c := &cobra.Command{
		Use:   "new [-- CMD ARG...]",
		Short: "Make a terminal",
		Long: `Make a terminal in a window of its own, and print the ids of the window and the
terminal. The program is the shell, or CMD with its arguments as they are; it begins
in the current directory. It has the session's environment (apex env), and in
$APEX_SOCKET, $APEX_SESSION and $winid where it is.

The size is 80x24 until a UI shows the terminal. The session "default" is made if it is
missing. With --json an object with window and term.`,
		Example: "  apex term new\n  apex term new --dir /src --size 120x40 -- htop -d 10",
	}
	c.Flags().StringVar(&dir, "dir", "", "where the program begins (default the current directory)")
	c.Flags().StringVar(&cells, "size", "", "columns and rows, as 80x24")
	c.Flags().BoolVar(&focus, "focus", false, "typing in the UI goes to it")
	c.RunE = func(c *cobra.Command, args []string) error {
		name, argv, err := beforeDash(c, args)
		if err != nil {
			return err
		}
		if name != "" {
			return usagef("%q: a program and its arguments come after --", name)
		}
		req := &proto.TermNew{Session: a.session, Argv: argv, Focus: focus,
			Author: proto.Author{Actor: actor()}}
		if req.Dir, err = sessionDir(dir); err != nil {
			return err
		}
		if c.Flags().Changed("size") {
			if req.Cols, req.Rows, err = size(cells); err != nil {
				return err
			}
		}
		return a.ask(func(ctx context.Context, conn *client.Conn, _ []string) error {
			return a.termNew(ctx, conn, req)
		})(c, nil)
	}
	return a.jsonFlag(c)
}

func (a *app) termNew(ctx context.Context, conn *client.Conn, req *proto.TermNew) error {
	made, err := conn.NewTerm(ctx, req)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(madeJSON{made.Window.String(), made.Term.String()})
	}
	return a.say("%v\t%v", made.Window, made.Term)
}
