package cli

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/spf13/cobra"
)

// editCommand is the root: without a command's name, apex edits files.
func (a *app) editCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "apex [FILE[:ADDR]...]",
		Short: "Sessions of texts in windows, which live on without you",
		Long: `apex opens files in a session: windows in columns, which live in a daemon and
are as you left them when you come back, from any terminal. Ctrl-Q leaves, F1 helps;
where a program in a terminal has the keys, Ctrl-\ comes before them.

ADDR is a line, #rune, /pattern/ or any other address. The session is "default"
unless -s names another. What is done is the user's, human:NAME, or whose $APEX_ACTOR
says, such as agent:x: undo takes back the steps of one of them.

Exit status: 0 ok, 1 failed, 2 usage, 3 not found, 4 conflict, 5 no daemon, 6 refused because of
unsaved work, 7 time-out.`,
		Example: "  apex main.go:12 README.md",
		Args:    args(0, -1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.attach(c.Context(), attachOptions{files: args, create: true})
		},
	}
}

// attachOptions say how the UI attaches.
type attachOptions struct {
	files   []string // FILE[:ADDR]
	observe bool
	create  bool // the session, if it is missing
}

func (a *app) attachCommand() *cobra.Command {
	var o attachOptions
	var stdio bool
	c := &cobra.Command{
		Use:   "attach [SESSION] [FILE[:ADDR]...]",
		Short: "Attach to a session with the terminal UI",
		Long: `Attach to a session with the terminal UI, and open files in it. Whoever is
attached watches from then on, and can take the session back with a key. Without
SESSION it is the one that -s names, made if it is missing.

With --observe it only watches. In a terminal of the session itself it is refused: the
window would show itself. With --stdio there is no UI: standard input and
output speak the daemon's protocol, for a client on the other end of ssh.`,
		Example: "  apex attach work --observe\n  ssh host apex attach --stdio",
		Args:    args(0, -1),
	}
	c.Flags().BoolVar(&o.observe, "observe", false, "watch only")
	c.Flags().BoolVar(&stdio, "stdio", false, "speak the protocol on standard input and output")
	c.RunE = func(c *cobra.Command, args []string) error {
		if stdio {
			if len(args) > 0 || o.observe {
				return usagef("--stdio takes nothing else: the client on the other end " +
					"says what it attaches to")
			}
			return a.bridge(c.Context())
		}
		o.create = len(args) == 0
		if len(args) > 0 {
			a.session, o.files = args[0], args[1:]
		}
		return a.attach(c.Context(), o)
	}
	return c
}

// bridge connects standard input and output to the daemon, until either side is at its end.
func (a *app) bridge(ctx context.Context) error {
	dialing, cancel := context.WithTimeout(ctx, dialTimeout)
	nc, err := a.daemon(true).Dial(dialing)
	cancel()
	if err != nil {
		return &noDaemonError{err}
	}
	defer nc.Close()
	go func() {
		// What the daemon still has to say after the last request is waited for below.
		if _, err := io.Copy(nc, a.In); err != nil {
			nc.Close()
			return
		}
		if u, ok := nc.(*net.UnixConn); ok {
			u.CloseWrite()
		}
	}()
	_, err = io.Copy(a.Out, nc)
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
