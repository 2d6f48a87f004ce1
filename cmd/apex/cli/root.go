package cli

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"apex/daemon"
	"apex/daemon/paths"
	"apex/term/holder"
)

// envSession names the session that is meant where no flag does.
const envSession = "APEX_SESSION"

// Streams are the standard streams of one run.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// app is one run of the command.
type app struct {
	Streams
	socket, state string // the global flags; empty: the environment's, else the system's
	session       string // label; empty before the flags are read
	json          bool   // the command was given --json
}

// Run runs one command line, without the program's name, and returns its exit status.
func Run(args []string, s Streams) int {
	holder.Dispatch()
	paceHeap()
	a := &app{Streams: s}
	root := a.root()
	root.SetArgs(signalArgs(root, args))
	c, err := root.ExecuteContextC(context.Background())
	if err != nil {
		a.report(c, err)
	}
	return exitStatus(err)
}

// root is the tree of commands.
func (a *app) root() *cobra.Command {
	c := a.editCommand()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetIn(a.In)
	c.SetOut(a.Out)
	c.SetErr(a.Err)
	f := c.PersistentFlags()
	f.StringVar(&a.socket, "socket", "", "path of the daemon's socket (default $APEX_SOCKET)")
	f.StringVar(&a.state, "state", "", "directory of the daemon's state (default $APEX_STATE)")
	f.StringVarP(&a.session, "session", "s", defaultSession(),
		"the session, by its label (default $"+envSession+")")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%v", err) })
	c.PersistentPreRunE = checkActor
	c.SetUsageFunc(usage)
	c.SetHelpFunc(help)
	c.CompletionOptions.HiddenDefaultCmd = true
	c.AddCommand(a.attachCommand(), a.benchCommand(), a.serverCommand(), a.stopCommand(),
		a.statusCommand(),
		a.versionCommand(), a.lsCommand(), a.newCommand(), a.renameCommand(), a.endCommand(),
		a.fsckCommand(), a.restoreCommand(), a.exportCommand(), a.importCommand(),
		a.openCommand(), a.winCommand(), a.textCommand(), a.undoCommand(), a.redoCommand(),
		a.putCommand(), a.getCommand(), a.mergeCommand(), a.execCommand(), a.selCommand(), a.followCommand(),
		a.logCommand(), a.whoCommand(), a.guardCommand(), a.holderCommand(), a.termCommand(),
		a.psCommand(), a.killCommand(), a.envCommand(), a.upgradeCommand(), a.editWaitCommand(), a.leaseCommand())
	return c
}

func defaultSession() string {
	if s := os.Getenv(envSession); s != "" {
		return s
	}
	return daemon.DefaultLabel
}

// paths are the places of the daemon that the flags and the environment mean.
func (a *app) paths() (paths.Paths, error) { return paths.Resolve(a.state, a.socket) }

// jsonFlag gives a command --json.
func (a *app) jsonFlag(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&a.json, "json", false, "print JSON")
	return c
}
