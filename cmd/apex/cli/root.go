package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"apex/daemon/paths"
)

// Streams are the standard streams of one run.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// app is one run of the command.
type app struct {
	Streams
	socket, state string // the global flags; empty: the environment's, else the system's
	session       string
}

// Run runs one command line, without the program's name, and returns its exit status.
func Run(args []string, s Streams) int {
	a := &app{Streams: s}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if err != nil {
		fmt.Fprintln(s.Err, "apex:", err)
	}
	return exitStatus(err)
}

// root is the tree of commands.
func (a *app) root() *cobra.Command {
	c := &cobra.Command{
		Use:           "apex [FILE[:ADDR]...]",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	c.SetIn(a.In)
	c.SetOut(a.Out)
	c.SetErr(a.Err)
	f := c.PersistentFlags()
	f.StringVar(&a.socket, "socket", "", "path of the daemon's socket (default $APEX_SOCKET)")
	f.StringVar(&a.state, "state", "", "directory of the daemon's state (default $APEX_STATE)")
	f.StringVarP(&a.session, "session", "s", "", `session (default $APEX_SESSION, else "default")`)
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%v", err) })
	c.AddCommand(a.serverCommand())
	return c
}

// paths are the places of the daemon that the flags and the environment mean.
func (a *app) paths() (paths.Paths, error) { return paths.Resolve(a.state, a.socket) }
