package term

import (
	"context"
	"regexp"
	"slices"
	"time"

	"apex/core/cell"
	"apex/term/holder"
	"apex/term/vt"
)

// Until is what somebody waits for. Exactly one of its fields is set.
type Until struct {
	Exit   bool
	Quiet  time.Duration // no output for so long
	Prompt bool          // the shell waits for a command, by its marks
	Match  *regexp.Regexp

	// From is the first line to look at, for Match, and the first whose prompt counts, with HasFrom;
	// without, what is shown already counts.
	From    uint64
	HasFrom bool

	ended bool   // the output of a command has ended, by a mark
	after uint64 // after this one
}

// Met is how it was met.
type Met struct {
	Line   uint64       // Match, Prompt: where
	Column int          // cells before it in the line
	Text   string       // Match: what the line is
	Status int          // Prompt: of the command before it; else vt.UnknownStatus
	Exit   *holder.Exit // how the program ended, if it has
	Ended  bool         // the program ended, so that what was waited for can't come any more
}

type outcome struct {
	met Met
	err error
}

// waiter is somebody who waits. The terminal's turn guards it.
type waiter struct {
	until Until
	next  uint64 // Match: lines before it can't match any more
	done  chan outcome
	timer *time.Timer // Quiet
}

// Wait returns when what somebody waits for is so: at once if it is already. The error is that of
// ctx, or ErrClosed.
func (t *Terminal) Wait(ctx context.Context, u Until) (Met, error) {
	w := &waiter{until: u, next: u.From, done: make(chan outcome, 1)}
	t.mu.Lock()
	if !u.HasFrom {
		w.next = t.screen.HistoryEnd()
	}
	if t.closed {
		t.mu.Unlock()
		return Met{}, ErrClosed
	}
	if met, ok := t.meets(w); ok {
		t.mu.Unlock()
		return met, nil
	}
	if u.Quiet > 0 {
		w.timer = time.AfterFunc(t.quietFor(u.Quiet), t.recheck)
	}
	t.waiters = append(t.waiters, w)
	t.mu.Unlock()
	defer t.forget(w)
	select {
	case o := <-w.done:
		return o.met, o.err
	case <-ctx.Done():
		return Met{}, context.Cause(ctx)
	}
}

// quietFor is how long until there has been no output for d.
func (t *Terminal) quietFor(d time.Duration) time.Duration {
	return max(d-time.Since(t.touched), time.Millisecond)
}

func (t *Terminal) forget(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	t.waiters = slices.DeleteFunc(t.waiters, func(o *waiter) bool { return o == w })
}

func (t *Terminal) recheck() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.check()
}

// check tells those whose wish is met. It is made with every frame: what a flood scrolls away in
// between is in the history. The turn is held.
func (t *Terminal) check() {
	t.waiters = slices.DeleteFunc(t.waiters, func(w *waiter) bool {
		met, ok := t.meets(w)
		switch {
		case ok:
			w.done <- outcome{met: met}
		case w.timer != nil:
			w.timer.Reset(t.quietFor(w.until.Quiet))
		}
		return ok
	})
}

func (t *Terminal) meets(w *waiter) (Met, bool) {
	met := Met{Exit: t.exit, Status: vt.UnknownStatus}
	u := &w.until
	switch {
	case u.Exit:
		return met, t.exit != nil
	case u.Quiet > 0:
		return met, t.exit != nil || time.Since(t.touched) >= u.Quiet
	case u.Prompt:
		if at, ok := t.prompts(); ok && (!u.HasFrom || at.Line >= u.From) {
			met.Line, met.Column, met.Status = at.Line, at.Col, t.lastStatus()
			return met, true
		}
	case u.ended && t.ended(u.after):
		return met, true
	case u.Match != nil:
		if t.find(w, &met) {
			return met, true
		}
	}
	met.Ended = t.exit != nil
	return met, met.Ended
}

// ended reports whether a command's output has ended after a mark.
func (t *Terminal) ended(after uint64) bool {
	if t.screen.MarksSeen() == after {
		return false
	}
	started := false
	for _, m := range t.screen.MarksSince(after) {
		switch m.Kind {
		case vt.OutputStart:
			started = true
		case vt.OutputEnd:
			if started || m.Status != vt.UnknownStatus {
				return true
			}
		}
	}
	return false
}

// prompts reports whether the shell waits for a command, and where its prompt ends: its newest mark
// says so, and no line was entered since.
func (t *Terminal) prompts() (vt.Mark, bool) {
	seen := t.screen.MarksSeen()
	marks := t.screen.MarksSince(seen - min(seen, 1))
	if len(marks) == 0 {
		return vt.Mark{}, false
	}
	m := marks[len(marks)-1]
	return m, m.Kind == vt.InputStart && (!t.lined || m.Seq > t.entered)
}

// lastStatus is how the last command ended, as the shell told.
func (t *Terminal) lastStatus() int {
	seen := t.screen.MarksSeen()
	for _, m := range slices.Backward(t.screen.MarksSince(seen - min(seen, lastMarks))) {
		if m.Kind == vt.OutputEnd {
			return m.Status
		}
	}
	return vt.UnknownStatus
}

// lastMarks is how many marks there are at most from the end of a command to the prompt after it.
const lastMarks = 4

// find looks for a match in the lines that are new since it looked last and in those that are
// shown. On the alternate screen the rows are lines too.
func (t *Terminal) find(w *waiter, met *Met) bool {
	s := t.screen
	matches := func(n uint64, runs []cell.Run) bool {
		text := cell.RowText(runs)
		at := w.until.Match.FindStringIndex(text)
		if at == nil {
			return false
		}
		met.Line, met.Column, met.Text = n, column(runs, at[0]), text
		return true
	}
	from := max(min(w.next, s.HistoryEnd()), s.HistoryFirst())
	if w.until.HasFrom {
		from = max(from, w.until.From)
	}
	for n := from; n < s.End(); n++ {
		if runs, _ := s.Line(n); matches(n, runs) {
			return true
		}
	}
	w.next = s.HistoryEnd()
	if !s.Modes().AltScreen {
		return false
	}
	_, rows := s.Size()
	for y := range rows {
		if matches(s.End(), s.Row(y, nil)) {
			return true
		}
	}
	return false
}
