package tui

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"time"

	"apex/client/tui/paint"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// host is the terminal.
type host struct {
	in, out *os.File
	opened  []*os.File // of those, what is ours to close
	state   *term.State
	writer  *paint.Writer
	guarded *guarded
	getenv  func(string) string
	width   int // when the first frame was painted
	height  int
	begun   tea.Cmd        // what the first frame asked for
	jobs    chan os.Signal // of job control, and of the terminal's size
	ends    chan os.Signal // that end the interface
	ended   os.Signal      // that has come
}

// openHost finds the terminal: standard input and output, or where those are something else, the
// controlling one.
func openHost(getenv func(string) string) (*host, error) {
	h := &host{in: os.Stdin, out: os.Stdout, getenv: getenv,
		jobs: make(chan os.Signal, jobsMax), ends: make(chan os.Signal, 1)}
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
	h.writer = paint.NewWriter(paint.Output(h.out), paint.DetectProfile(getenv),
		paint.DetectCaps(getenv))
	return h, nil
}

// jobsMax is how many signals of job control may wait; more of them say nothing new.
const jobsMax = 8

// listen has signals come to the host from now on, for whom they do what they must not do to a
// terminal that is taken.
func (h *host) listen() {
	signal.Notify(h.ends, unix.SIGHUP, unix.SIGINT, unix.SIGTERM, unix.SIGQUIT)
	signal.Notify(h.jobs, unix.SIGCONT, unix.SIGWINCH)
	if !signal.Ignored(unix.SIGTSTP) {
		signal.Notify(h.jobs, unix.SIGTSTP)
	}
}

// take takes the terminal: raw mode, the screen and every mode. It is also for a terminal that was
// taken already, and in other hands since: the shell sets the modes that it likes, and whatever ran
// may have drawn on the screen.
func (h *host) take() error {
	if _, err := term.MakeRaw(h.in.Fd()); err != nil {
		return fmt.Errorf("the terminal's raw mode: %w", err)
	}
	return h.writer.Enter()
}

// give gives the terminal back as it was found.
func (h *host) give() error {
	return errors.Join(h.writer.Leave(), term.Restore(h.in.Fd(), h.state))
}

// The size of a terminal that doesn't tell one, nor the environment: that of the first video
// terminals.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

// size returns the terminal's size in cells.
func (h *host) size() (width, height int) {
	width, height, err := term.GetSize(h.out.Fd())
	if err != nil {
		width, height = 0, 0
	}
	return sizeOr(width, h.getenv("COLUMNS"), defaultWidth),
		sizeOr(height, h.getenv("LINES"), defaultHeight)
}

func sizeOr(n int, named string, otherwise int) int {
	if n > 0 {
		return n
	}
	if n, err := strconv.Atoi(named); err == nil && n > 0 {
		return n
	}
	return otherwise
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

// close gives the terminal back, if that has not been done, and lets its guard go.
func (h *host) close() {
	h.give()
	h.guarded.end()
	signal.Stop(h.jobs)
	signal.Stop(h.ends)
	for _, f := range h.opened {
		f.Close()
	}
}
