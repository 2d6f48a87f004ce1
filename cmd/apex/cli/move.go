package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"apex/client"
)

// exportSuffix ends the name of an exported session where no other name is given.
const exportSuffix = ".apex"

func (a *app) exportCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "export [SESSION]",
		Short: "Write a session to one file",
		Long: `Write a session to one file, to move it or to report a bug: texts, windows, undo
histories, what terminals showed, and the log as far back as it is kept. It holds
everything that was typed, but neither what lets clients resume nor the environment.
The session goes on. "-o -" writes to standard output.`,
		Example: "  apex export work -o /tmp/work.apex\n  apex export work -o - | ssh host apex import -",
		Args:    args(0, 1),
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the file (default SESSION"+exportSuffix+")")
	c.RunE = a.askIf(false, func(ctx context.Context, conn *client.Conn, args []string) error {
		session := a.session
		if len(args) == 1 {
			session = args[0]
		}
		if out == "-" {
			return conn.Export(ctx, session, a.Out)
		}
		if out == "" {
			out = session + exportSuffix
		}
		if err := exportFile(ctx, conn, session, out); err != nil {
			return err
		}
		return a.say("%s", visible(out))
	})
	return c
}

// exportFile writes a session to a file, which is there whole or as it was before.
func exportFile(ctx context.Context, conn *client.Conn, session, path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".apex-export-*") // of mode 0600
	if err != nil {
		return err
	}
	err = conn.Export(ctx, session, f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func (a *app) importCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Make a session of an exported one",
		Long: `Make a session of a file that "apex export" wrote. It is a session of its own, with
everything that was in the other one; programs are not started again. A file that is
damaged or was cut short makes no session.`,
		Example: "  apex import /tmp/work.apex --name work2",
		Args:    args(1, 1),
	}
	c.Flags().StringVar(&name, "name", "", "give it another name")
	c.RunE = a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
		in := a.In
		if args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			in = f
		}
		s, err := conn.Import(ctx, in, name)
		if err != nil {
			return err
		}
		return a.say("%s", visible(s.Label))
	})
	return c
}
