package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"apex/client"
	"apex/client/tui/input"
	"apex/client/tui/paint"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// Options of Run.
type Options struct {
	Session *client.Session        // attached; Run becomes its owner and detaches it
	Files   []proto.File           // to open at once
	Getenv  func(string) string    // nil: os.Getenv
	Exists  func(path string) bool // whether a file is there on the session's host; nil: here
}

// SignalError says that a signal ended the interface.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

// ErrPanic says that the interface had a defect; the session is unharmed.
var ErrPanic = errors.New("the interface failed; the session is unharmed")

// refreshRate is how often Bubble Tea's renderer looks whether it has something to do, a second.
// The view is constant, so it never has: frames don't wait for it.
const refreshRate = 10

// Run shows a session in the terminal until the person detaches, the session ends, or a signal
// arrives. The terminal is given back whatever happens; changes that were made are on the daemon's
// disk when it returns nil. A *SignalError says that a signal ended it.
func Run(ctx context.Context, o Options) error {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Exists == nil {
		o.Exists = func(path string) bool {
			_, err := os.Stat(path)
			return err == nil
		}
	}
	h, err := openHost(o.Getenv)
	if err != nil {
		return err
	}
	defer h.close()
	m := NewModel(o.Session, Config{
		Screen: h.writer, Now: time.Now, Pastes: h.reader.TakePaste, Suspend: canSuspend(),
		Profile: paint.DetectProfile(o.Getenv), Unicode: isUnicode(o.Getenv), Dark: isDark(o.Getenv),
		Tmux: o.Getenv("TMUX") != "", Home: o.Getenv("HOME"), Files: o.Files, Exists: o.Exists,
	})
	h.first(ctx, m)
	h.protect()
	ran := h.run(ctx, m, o.Session)
	left := o.Session.Detach()
	if h.raw && !m.answers.Complete {
		h.swallow()
	}
	switch {
	case ran != nil:
		return ran
	case m.Err() != nil:
		return m.Err()
	}
	return left
}

// host is the terminal.
type host struct {
	in, out *os.File
	opened  []*os.File // of those, what is ours to close
	state   *term.State
	raw     bool // first has put it in raw mode, which close ends
	reader  *input.Reader
	writer  *paint.Writer
	guarded *guarded
}

// openHost finds the terminal: standard input and output, or where those are something else, the
// controlling one.
func openHost(getenv func(string) string) (*host, error) {
	h := &host{in: os.Stdin, out: os.Stdout}
	if !term.IsTerminal(h.in.Fd()) || !term.IsTerminal(h.out.Fd()) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return nil, fmt.Errorf("the interface needs a terminal: %w", err)
		}
		h.opened = append(h.opened, tty)
		if !term.IsTerminal(h.in.Fd()) {
			h.in = tty
		}
		if !term.IsTerminal(h.out.Fd()) {
			h.out = tty
		}
	}
	var err error
	if h.state, err = term.GetState(h.in.Fd()); err != nil {
		return nil, fmt.Errorf("the terminal's state: %w", err)
	}
	h.reader = input.NewReader(h.in, time.Now)
	h.writer = paint.NewWriter(h.out, paint.DetectProfile(getenv), paint.DetectCaps(getenv))
	return h, nil
}

// first paints the first frame, without waiting for Bubble Tea to start. The terminal is in raw mode
// from here on, so that what is typed already does not show.
func (h *host) first(ctx context.Context, m *Model) {
	width, height, err := term.GetSize(h.out.Fd())
	if err != nil || width <= 0 || height <= 0 {
		return
	}
	if _, err := term.MakeRaw(h.in.Fd()); err != nil {
		return
	}
	h.raw = true
	m.peekNow(ctx)
	if h.writer.Enter() == nil {
		m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	}
}

// answerMax is how long the terminal's answers are waited for by an interface that ends before they
// are here: a round trip over a slow link.
const answerMax = time.Second

// swallow reads what the terminal still answers to input.Queries, which the shell would take for
// typing. The last answer is the one of the primary device attributes: CSI ? ... c.
func (h *host) swallow() {
	var got []byte
	buf := make([]byte, 256)
	for end := time.Now().Add(answerMax); ; {
		left := time.Until(end).Milliseconds()
		ready := []unix.PollFd{{Fd: int32(h.in.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(ready, int(max(left, 0)))
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n == 0 || ready[0].Revents&unix.POLLIN == 0:
			return
		}
		n, err = unix.Read(int(h.in.Fd()), buf)
		if err != nil || n == 0 {
			return
		}
		if got = append(got, buf[:n]...); lastAnswer.Match(got) {
			return
		}
	}
}

var lastAnswer = regexp.MustCompile(`\x1b\[\?[0-9;]*c`)

// close gives back the terminal's state from before first; Bubble Tea has given back what it did.
func (h *host) close() {
	term.Restore(h.in.Fd(), h.state)
	h.guarded.end()
	for _, f := range h.opened {
		f.Close()
	}
}

// restore gives the terminal back on ways out that Bubble Tea knows nothing of.
func (h *host) restore() {
	h.writer.Restore()
	term.Restore(h.in.Fd(), h.state)
	h.guarded.end()
}

// run runs the program.
func (h *host) run(ctx context.Context, m *Model, s Session) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(h.reader), tea.WithOutput(h.writer),
		tea.WithFPS(refreshRate), tea.WithColorProfile(colorprofile.TrueColor),
		tea.WithoutSignalHandler())
	var ended sync.WaitGroup
	var signalled *SignalError
	ended.Go(h.guard(func() { wakes(ctx, p, s) }))
	ended.Go(h.guard(func() { signalled = h.signals(ctx, p) }))
	ended.Go(h.guard(func() { continued(ctx, h, m) }))
	_, err := p.Run()
	stop()
	ended.Wait()
	switch {
	case signalled != nil:
		return signalled
	case errors.Is(err, tea.ErrProgramPanic):
		return ErrPanic
	case err != nil && m.quit:
		return nil
	}
	return err
}

// guard makes f, which is to be a goroutine's, give the terminal back when it panics.
func (h *host) guard(f func()) func() {
	return func() {
		defer func() {
			if r := recover(); r != nil {
				h.restore()
				fmt.Fprintf(os.Stderr, "apex: %v\n%s", r, debug.Stack())
				os.Exit(2)
			}
		}()
		f()
	}
}

// wakes sends a message whenever something has arrived at the session: one for however much there
// is, since the next is sent when the loop has taken the one before.
func wakes(ctx context.Context, p *tea.Program, s Session) {
	for s.Wait(ctx) == nil {
		p.Send(wakeMsg{})
	}
}

// signalGrace is how long the loop has to end after a signal. It may be stuck in a write to a
// terminal that is gone.
const signalGrace = time.Second

// signals ends the program when a signal asks for that, and returns which.
func (h *host) signals(ctx context.Context, p *tea.Program) *SignalError {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	defer signal.Stop(c)
	select {
	case <-ctx.Done():
		return nil
	case sig := <-c:
		late := time.AfterFunc(signalGrace, func() {
			h.restore()
			os.Exit(128 + int(sig.(syscall.Signal)))
		})
		p.Send(endMsg{})
		<-ctx.Done()
		late.Stop()
		return &SignalError{sig}
	}
}

// isUnicode reports whether the locale's characters are Unicode. Where there is no locale the
// terminal is newer than the settings.
func isUnicode(getenv func(string) string) bool {
	switch getenv("TERM") {
	case "dumb", "vt100", "vt220":
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// isDark guesses whether the background is dark, until the terminal says so itself: rxvt and others
// tell in COLORFGBG, and most are.
func isDark(getenv func(string) string) bool {
	v := getenv("COLORFGBG")
	switch v[strings.LastIndex(v, ";")+1:] {
	case "7", "15":
		return false
	}
	return true
}
