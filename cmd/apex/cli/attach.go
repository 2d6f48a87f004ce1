package cli

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/spf13/cobra"

	"apex/core"
	"apex/daemon"
	"apex/proto"
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
	via     *via // how the daemon's machine is reached; nil: this one
}

// places are the files, whose names on another machine are what they are there.
func (o *attachOptions) places() ([]proto.File, error) {
	if o.via == nil {
		return files(o.files)
	}
	return remoteFiles(o.files)
}

func (a *app) attachCommand() *cobra.Command {
	var o attachOptions
	var stdio, noStart bool
	var command string
	c := &cobra.Command{
		Use:   "attach [[HOST:]SESSION] [FILE[:ADDR]...]",
		Short: "Attach to a session with the terminal UI",
		Long: `Attach to a session with the terminal UI, and open files in it. Whoever is
attached watches from then on, and can take the session back with a key. Without
SESSION it is the one that -s names, made if it is missing.

With --observe it only watches. In a terminal of the session itself it is refused: the
window would show itself.

HOST:SESSION is a session on another machine, which ssh goes to and where apex must be
in the path; HOST: is the one named "default" there. FILEs are on that machine then, relative
ones in the session's directory. The UI runs here: typing does not wait for the network, goes on
while the link is down, and the link is made again by itself. --via names another way there:
a command whose standard input and output are those of an "apex attach --stdio" there.

With --stdio there is no UI: standard input and output speak the daemon's protocol, for a
client on the other end of ssh. A daemon is started if there is none, unless --no-start is given.`,
		Example: "  apex attach work --observe\n  apex attach devbox:work\n" +
			"  apex attach --via 'ssh -p 2222 host apex attach --stdio' work",
		Args: args(0, -1),
	}
	c.Flags().BoolVar(&o.observe, "observe", false, "watch only")
	c.Flags().BoolVar(&stdio, "stdio", false, "speak the protocol on standard input and output")
	c.Flags().BoolVar(&noStart, "no-start", false, "with --stdio: start no daemon")
	c.Flags().StringVar(&command, "via", "", "a command that reaches the daemon, for a shell")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if stdio {
			if len(args) > 0 || o.observe || command != "" {
				return usagef("--stdio takes nothing else: the client on the other end " +
					"says what it attaches to")
			}
			return a.bridge(c.Context(), !noStart)
		}
		if noStart {
			return usagef("--no-start goes with --stdio")
		}
		if o.via, args, err = viaOf(command, args); err != nil {
			return err
		}
		o.create = len(args) == 0 || o.via != nil && args[0] == daemon.DefaultLabel
		if len(args) > 0 {
			a.session, o.files = args[0], args[1:]
		}
		return a.attach(c.Context(), o)
	}
	return c
}

// bridge connects standard input and output to the daemon, until either side is at its end.
func (a *app) bridge(ctx context.Context, start bool) error {
	nc, first, err := a.greeted(ctx, start)
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
	if _, err := a.Out.Write(first); err != nil {
		return err
	}
	_, err = io.Copy(a.Out, nc)
	switch {
	case errors.Is(err, net.ErrClosed):
		return nil
	case errors.Is(err, syscall.ECONNRESET):
		return &noDaemonError{core.Errorf(core.CodeUnavailable, "the daemon went away")}
	}
	return err
}

const (
	// bridgeTries is how often a daemon may hang up before it has said anything: one that ends does,
	// and then the next is found or started.
	bridgeTries = 3
	// greetingMaxBytes is more than a daemon's first frame has.
	greetingMaxBytes = 512
)

// greeted returns a connection to the daemon, and what it says first, which it says unasked.
func (a *app) greeted(ctx context.Context, start bool) (net.Conn, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	for try := 1; ; try++ {
		nc, err := a.daemon(start).Dial(ctx)
		if err != nil {
			return nil, nil, err
		}
		stop := context.AfterFunc(ctx, func() { nc.Close() })
		first := make([]byte, greetingMaxBytes)
		n, err := nc.Read(first)
		if !stop() {
			return nil, nil, a.daemon(start).Explain(nil, context.Cause(ctx))
		}
		if n > 0 {
			return nc, first[:n], nil
		}
		nc.Close()
		if try == bridgeTries {
			return nil, nil, core.Errorf(core.CodeUnavailable, "the daemon hangs up: %v", err)
		}
	}
}
