package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"apex/client"
	"apex/client/tui/input"
	"apex/client/tui/paint"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Options of Run.
type Options struct {
	Session *client.Session        // attached; Run becomes its owner and detaches it
	Files   []proto.File           // to open at once
	Getenv  func(string) string    // nil: os.Getenv
	Exists  func(path string) bool // whether a file is there on the session's host; nil: here, or there
	// Remote names the machine that the session is on, or the way there; empty: this one. Names in Files
	// may be relative then, to the session's directory.
	Remote string
}

// SignalError says that a signal ended the interface.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

// ErrPanic says that the interface had a defect; the session is unharmed.
var ErrPanic = errors.New("the interface failed; the session is unharmed")

// refreshRate is how often Bubble Tea looks whether its renderer, which is off, has something to
// do, a second: never is not to be had.
const refreshRate = 1

// Run shows a session in the terminal until the person detaches, the session ends, or a signal
// arrives. The terminal is given back whatever happens; changes that were made are on the daemon's
// disk when it returns nil. A *SignalError says that a signal ended it.
func Run(ctx context.Context, o Options) error {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	home := o.Getenv("HOME")
	if o.Remote != "" {
		home = ""
		o.Files = placed(o.Files, o.Session.Meta().Dir)
	}
	if o.Exists == nil && o.Remote != "" {
		o.Exists = func(path string) bool {
			ctx, cancel := context.WithTimeout(ctx, callMax)
			defer cancel()
			there, _ := o.Session.Exists(ctx, path)
			return there
		}
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
		Screen: h.writer, Now: time.Now, Stop: suspender(),
		Profile: paint.DetectProfile(o.Getenv), Unicode: isUnicode(o.Getenv), Dark: isDark(o.Getenv),
		Tmux: o.Getenv("TMUX") != "", Home: home, Remote: o.Remote, Files: o.Files, Exists: o.Exists,
		Prefix: o.Getenv("APEX_PREFIX"),
	})
	if err := h.begin(m); err != nil {
		return err
	}
	h.protect()
	return h.show(ctx, m, o.Session, o.Session.Detach)
}

// placed makes the names of files that are on another machine ones in a directory there.
func placed(files []proto.File, dir string) []proto.File {
	out := slices.Clone(files)
	for i, f := range out {
		if !path.IsAbs(f.Path) && f.Path != "~" && !strings.HasPrefix(f.Path, "~/") {
			out[i].Path = path.Join(dir, f.Path)
		}
	}
	return out
}

// begin is first, for as long as the terminal takes for it.
func (h *host) begin(m *Model) (err error) {
	if !h.within(0, func() { err = h.first(m) }) {
		h.abandon(nil)
	}
	return err
}

// show runs the program, and ends it: the terminal gets its screen back, and then the session is
// detached from, which may take a moment.
func (h *host) show(ctx context.Context, m *Model, s Session, detach func() error) error {
	var ran error
	if h.ended == nil {
		ran = h.run(ctx, m, s)
	}
	limit := giveMax
	if h.ended != nil {
		ran, limit = &SignalError{h.ended}, signalGrace
	}
	var gave error
	took := h.within(limit, func() { gave = h.writer.Leave() })
	left := detach()
	if !took {
		h.abandon(errors.Join(ran, m.Err()))
	}
	if !m.answers.Complete {
		h.swallow()
	}
	switch {
	case ran != nil:
		return ran
	case m.Err() != nil:
		return m.Err()
	}
	return errors.Join(left, gave)
}

// first takes the terminal and paints the first frame, before Bubble Tea starts. The terminal is in
// raw mode from here on, so that what is typed already does not show.
func (h *host) first(m *Model) error {
	h.listen()
	h.width, h.height = h.size()
	m.peekNow()
	if err := h.take(); err != nil {
		return err
	}
	h.begun = m.Update(tea.WindowSizeMsg{Width: h.width, Height: h.height})
	return nil
}

// run runs the program. Bubble Tea runs the loop, and nothing else: its renderer is off, and with
// that it leaves the terminal alone.
func (h *host) run(ctx context.Context, m *Model, s Session) error {
	terminal, err := input.Open(h.in)
	if err != nil {
		return fmt.Errorf("the terminal's input: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	shown := &program{model: m, restore: h.rescue, begun: tea.Batch(h.begun, m.Init())}
	p := tea.NewProgram(shown, tea.WithContext(ctx), tea.WithInput(nil),
		tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithFPS(refreshRate),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithWindowSize(h.width, h.height),
		tea.WithoutSignalHandler())
	shown.send = p.Send
	var ended sync.WaitGroup
	signalled := make(chan os.Signal, 1)
	ended.Go(h.guard(func() {
		if err := input.NewReader(terminal, time.Now).Run(shown.deliver); ctx.Err() == nil {
			p.Send(endMsg{fmt.Errorf("the terminal's input: %w", err)})
		}
	}))
	ended.Go(h.guard(func() { wakes(ctx, shown, s) }))
	ended.Go(h.guard(func() { signalled <- h.signals(ctx, p) }))
	ended.Go(h.guard(func() { h.control(ctx, p.Send) }))
	_, err = p.Run()
	stop()
	terminal.Close()
	if h.ended = <-signalled; !h.within(giveMax, ended.Wait) {
		h.abandon(err)
	}
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return ErrPanic
	case err != nil && m.quit:
		return nil
	}
	return err
}

// wakes delivers a message whenever something has arrived at the session: one for however much
// there is.
func wakes(ctx context.Context, p *program, s Session) {
	for s.Wait(ctx) == nil {
		p.deliver(wakeMsg{})
	}
}

// signals ends the program when a signal asks for that, and returns which; nil: none. The loop may
// be stuck in a write to the terminal.
func (h *host) signals(ctx context.Context, p *tea.Program) os.Signal {
	select {
	case <-ctx.Done():
		return nil
	case sig := <-h.ends:
		late := time.AfterFunc(signalGrace, func() {
			h.restore()
			os.Exit(exitSignal(sig))
		})
		p.Send(endMsg{})
		<-ctx.Done()
		late.Stop()
		return sig
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
