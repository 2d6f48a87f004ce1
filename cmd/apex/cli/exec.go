package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
	"apex/proto"
)

func (a *app) execCommand() *cobra.Command {
	var noWait bool
	c := &cobra.Command{
		Use:   "exec WIN COMMAND...",
		Short: "Execute a command in a window",
		Long: `Execute a command as if it had been clicked with the middle button in the
window, and print what it says. It returns when the command has ended: Putall
when every file is saved, or after a minute, with the names of those that are not.

Relative names, as in Put NAME, Get NAME and New NAME, are in the window's
directory: a terminal's own, or else where the window's file is.

A word that is no command of apex's runs as a program, by sh -c, in the window's
directory. What it writes appears in that directory's +Errors window and is not
printed here. The selection of the window is standard input after |COMMAND and
>COMMAND; output takes its place after |COMMAND and <COMMAND. The exit status is
0 if the program's was, and else 1, with a message. Kill ends programs.

It goes on waiting when the daemon is killed or replaced, and the command is
executed once.`,
		Example: "  apex exec main.go Look func main\n  apex exec main.go '|gofmt'",
		Args:    args(2, -1),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.exec(c.Context(), args[0], &proto.Exec{Command: strings.Join(args[1:], " "),
			NoWait: noWait})
	}
	c.Flags().BoolVar(&noWait, "no-wait", false, "return when it is recorded, and say nothing")
	c.Flags().SetInterspersed(false)
	return c
}

// exec executes a command in a window and prints what it says. It is asked for under an intent in one
// window, so that it is executed once however often the daemon goes away.
func (a *app) exec(ctx context.Context, win string, x *proto.Exec) error {
	x.Session, x.Author = a.session, proto.Author{Actor: actor()}
	rand.Read(x.Intent[:])
	err := a.outlast(ctx, time.Time{}, func(ctx context.Context, conn *client.Conn) error {
		if x.Win == "" {
			one, err := a.oneWindow(ctx, conn, win)
			if err != nil {
				return err
			}
			x.Win = one
		}
		r, err := conn.Exec(ctx, x)
		if core.CodeOf(err) == core.CodeFailed {
			err = advise(err, "`apex text read +Errors` prints what it wrote")
		}
		if err != nil || r.Message == "" {
			return err
		}
		return a.say("%s", visibleLines(r.Message))
	})
	var own *adviceError
	if x.Win != "" && exitStatus(err) == exitNoDaemon && !errors.As(err, &own) {
		err = advise(err, "the command may still run: `apex ps` lists it, and +Errors has what it writes")
	}
	return err
}

// oneWindow returns the id of the window that a name means. Of several on one text the daemon knows
// which commands may be executed in any: those are remembered by the text, or harmless when done
// again.
func (a *app) oneWindow(ctx context.Context, conn *client.Conn, win string) (string, error) {
	name, err := a.window(ctx, conn, win)
	if err != nil {
		return "", err
	}
	w, err := conn.Resolve(ctx, a.session, name)
	switch {
	case core.CodeOf(err) == core.CodeConflict:
		return name, nil
	case err != nil:
		return "", err
	}
	return w.Window.String(), nil
}

func (a *app) putCommand() *cobra.Command {
	return a.fileCommand("put", "Put", "Save a window's text to its file",
		`Save a window's text to its file. If the file changed since it was last read or
written, it is refused once; -f overwrites it.

To save under another name: apex exec WIN Put NAME, where a relative NAME is in
the window's directory.`,
		"merge takes both texts, get the file's, put again overwrites the file")
}

func (a *app) mergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "merge WIN",
		Short: "Take in what changed on disk beside unsaved changes",
		Long: `Merge what a window's file holds into its text, where both have changed since it
was last read or saved: line by line, and what both changed differently is marked,
with all three texts between <<<<<<< and >>>>>>>. It is one step of your undo.
Afterwards put saves.`,
		Example: "  apex merge main.go",
		Args:    args(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.exec(c.Context(), args[0], &proto.Exec{Command: "Merge"})
		},
	}
}

func (a *app) getCommand() *cobra.Command {
	return a.fileCommand("get", "Get", "Read a window's file again",
		`Read a window's file again. If the text has unsaved changes it is refused; -f does
it all the same, and your undo brings them back.

To read another file: apex exec WIN Get NAME, where a relative NAME is in the
window's directory.`, "")
}

func (a *app) fileCommand(name, command, short, long, conflict string) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:     name + " WIN",
		Short:   short,
		Long:    long,
		Example: "  apex " + name + " main.go",
		Args:    args(1, 1),
	}
	c.Flags().BoolVarP(&force, "force", "f", false, "whatever is lost by it")
	c.RunE = func(c *cobra.Command, args []string) error {
		line := command
		if force {
			line += " -f"
		}
		err := a.exec(c.Context(), args[0], &proto.Exec{Command: line})
		if core.CodeOf(err) == core.CodeConflict && conflict != "" {
			err = advise(err, "%s", conflict)
		}
		return err
	}
	return c
}
