package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/proto"
)

func (a *app) newCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a session",
		Long: `Make a session. Its name is 1-64 letters, digits, '-', '_' or '.'. Its directory
is that of programs and relative names outside of windows on files.`,
		Example: "  apex new work --dir ~/src",
		Args:    args(1, 1),
	}
	c.Flags().StringVar(&dir, "dir", "", "the session's directory (default the current one)")
	c.RunE = a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
		dir, err := sessionDir(dir)
		if err != nil {
			return err
		}
		s, err := conn.NewSession(ctx, args[0], dir)
		if err != nil {
			return err
		}
		return a.say("%s", visible(s.Label))
	})
	return c
}

// sessionDir makes the directory of a new session absolute; it must be there.
func sessionDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", usagef("--dir %s: not a directory", dir)
	}
	return abs, nil
}

func (a *app) renameCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rename [OLD] NEW",
		Short:   "Give a session another name",
		Long:    "Give a session another name. Clients that are attached stay attached.",
		Example: "  apex rename work play",
		Args:    args(1, 2),
		RunE: a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
			from := a.session
			if len(args) == 2 {
				from = args[0]
			}
			return conn.RenameSession(ctx, from, args[len(args)-1])
		}),
	}
}

func (a *app) endCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "end [NAME]",
		Short: "End a session",
		Long: `End a session. It is refused while files have unsaved changes. The session's
log is set aside in the state directory, under ended/, and kept there for 90 days
or until 1 GiB of newer ones is: "apex restore" brings it back. To end a session that
has ended already is no error, as long as its log is kept.`,
		Example: "  apex end -f work",
		Args:    args(0, 1),
	}
	c.Flags().BoolVarP(&force, "force", "f", false, "despite unsaved changes")
	c.RunE = a.ask(func(ctx context.Context, conn *client.Conn, args []string) error {
		label := a.session
		if len(args) == 1 {
			label = args[0]
		}
		return a.end(ctx, conn, label, force)
	})
	return c
}

// end ends a session. If that was done before, that is said beside the output: whoever ends a
// session wants it ended.
func (a *app) end(ctx context.Context, conn *client.Conn, label string, force bool) error {
	req := &proto.SessionEnd{Session: label, Force: force}
	reply, err := conn.Call(ctx, req)
	if err != nil {
		return err
	}
	if done, ok := reply.(*proto.Done); ok && done.Message != "" {
		fmt.Fprintln(a.Err, "apex:", visibleLines(done.Message))
	}
	return nil
}
