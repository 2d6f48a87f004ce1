package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"apex/core"
	"apex/core/cell"
	"apex/term"
	"apex/term/holder"
	"apex/term/vt"

	"golang.org/x/sys/unix"
)

// hosted is a terminal of a session. All but what shown guards is set before it is entered.
type hosted struct {
	s          *session
	id         core.TermID
	proc       core.ProcID
	window     core.WindowID
	name       string // of the window
	argv       []string
	command    string
	dir        string
	started    core.Millis
	generation uint64
	marks      bool // the shell will mark its prompts
	t          *term.Terminal
	there      chan struct{} // closed when t is set
	end        core.Exit     // of one that had ended before this daemon started

	// The last state that was published, and its rows; the terminal's turn guards them.
	rows  map[*cell.Run]*core.TermRow
	clips uint64
}

// holderName names the program's holder among those of all sessions.
func (h *hosted) holderName() string { return holderName(h.s, h.proc) }

func (h *hosted) record() string { return filepath.Join(h.s.termsDir(), h.id.String()) }

func (h *hosted) options(size term.Size) term.Options {
	return term.Options{
		Record: h.record(), Size: size, Colours: h.s.programs.colours(),
		Screen: vt.Options{Name: "apex " + h.s.d.opts.Build},
		Frame:  h.show, Event: h.event, Exited: h.exited,
		Failed: func(err error) { h.s.log.Error("a terminal is not saved", "term", h.id.String(), "err", err) },
	}
}

// show publishes a frame. The terminal's turn is held, and the session's is taken: who has the
// session's turn never waits for a terminal's.
func (h *hosted) show(f *term.Frame) {
	st := h.state(f)
	s := h.s
	s.mu.Lock()
	defer s.unlock()
	if s.ended {
		return
	}
	r, err := s.a.SetTerm(now(), h.id, st)
	if err != nil {
		s.log.Debug("a terminal's frame is not shown", "term", h.id.String(), "err", err)
	}
	s.perform(r)
}

// state makes the shard's state of a frame. Rows that the last one had are the same values.
func (h *hosted) state(f *term.Frame) *core.Term {
	t := &core.Term{Window: h.window, Command: cutText(h.command, core.MaxProcBytes), Dir: h.dir,
		Generation: h.generation, Cols: f.Cols, Rows: f.Rows, First: f.First, Base: f.Base,
		BaseCol: f.BaseCol, Title: f.Title, Cwd: f.Dir, Bells: f.Bells, Clips: h.clips,
		Modes: modes(f.Modes), Exit: h.ended(f.Exit),
		Progress: core.Progress{State: core.ProgressState(f.Progress.State), Percent: f.Progress.Percent},
		Cursor: core.Cursor{X: f.Cursor.X, Y: f.Cursor.Y, Visible: f.Cursor.Visible,
			Blink: f.Cursor.Blink, Shape: core.CursorShape(f.Cursor.Shape)}}
	for _, m := range f.Marks {
		t.Marks = append(t.Marks, promptMark(m))
	}
	rows := make(map[*cell.Run]*core.TermRow, len(f.Grid))
	t.Grid = make([]*core.TermRow, len(f.Grid))
	for y, r := range f.Grid {
		if len(r.Runs) == 0 {
			t.Grid[y] = core.NewTermRow(nil, r.Wrapped)
			continue
		}
		key := &r.Runs[0]
		row := h.rows[key]
		if row == nil || row.Wrapped != r.Wrapped {
			row = core.NewTermRow(r.Runs, r.Wrapped)
		}
		t.Grid[y], rows[key] = row, row
	}
	h.rows = rows
	return t
}

func modes(m vt.Modes) core.TermMode {
	var out core.TermMode
	for _, b := range []struct {
		on   bool
		mode core.TermMode
	}{
		{m.AltScreen, core.TermAltScreen}, {m.Paste, core.TermPaste}, {m.Focus, core.TermFocus},
		{m.AltScroll, core.TermAltScroll}, {m.Reverse, core.TermReverse},
		{m.MouseForm == vt.MouseSGRPixels, core.TermMousePixels},
		{m.KittyKeys&2 != 0, core.TermKeyReleases},
	} {
		if b.on {
			out |= b.mode
		}
	}
	return out.WithMouse(core.MouseWant(m.Mouse))
}

// signalName is a signal's name without its SIG, as people say it.
func signalName(sig unix.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return strings.TrimPrefix(name, "SIG")
	}
	return fmt.Sprint(int(sig))
}

func exitOf(e holder.Exit) core.Exit {
	switch {
	case e.Lost:
		return core.Exit{Done: true, Reason: holderLost}
	case e.Signal != 0:
		return core.Exit{Done: true, Signal: signalName(e.Signal)}
	}
	return core.Exit{Done: true, Code: e.Code}
}

// holderLost is said of a program whose holder died: it may have been killed, or have run out of
// memory with the program.
const holderLost = "the process that kept it is gone; how it ended is not known"

// event deals with what the program did once. The terminal's turn is held.
func (h *hosted) event(e vt.Event) {
	if e.Kind == vt.ClipboardSet {
		text := e.Text
		h.s.tasks.Go(func() {
			h.s.local(core.Proposal{Author: h.author(), Ask: &core.AskSnarf{Text: text}})
			<-h.there
			h.t.Republish(func() { h.clips++ }) // whoever sees that finds the text in the snarf buffer
		})
	}
}

// author signs what the program does.
func (h *hosted) author() core.Author { return core.Author{Actor: "term:" + h.id.String()} }

// exited records the program's end, and lets its holder go when nothing of it runs any more. What
// runs without a holder is ended.
func (h *hosted) exited(e holder.Exit) {
	<-h.there
	x := exitOf(e)
	h.s.procExit(h.proc, core.ProcExit{Code: x.Code, Signal: x.Signal, Reason: x.Reason})
	if err := h.s.flush(); err != nil {
		return // the holder keeps it for the next start
	}
	h.s.release(h.t.Holder(), h.proc)
}

// remove ends the terminal and what is on disk of it.
func (h *hosted) remove() {
	h.finish()
	os.Remove(h.record())
}

// finish ends the terminal's program. What is on disk of it stays.
func (h *hosted) finish() {
	if ho := h.t.Holder(); ho != nil {
		h.s.endAll(ho, h.proc)
		select {
		case <-h.t.Done():
			h.s.release(ho, h.proc) // that of exited may come too late
		case <-time.After(programStart):
		}
	}
	h.t.Close()
}
