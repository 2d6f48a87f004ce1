package daemon

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"apex/core"
	"apex/core/cell"
	"apex/proto"
	"apex/term"
	"apex/term/holder"
	"apex/term/input"
	"apex/term/vt"

	"golang.org/x/sys/unix"
)

// onTerm runs a request on a terminal.
func onTerm(d *Daemon, label, name string, f func(*hosted) (proto.Reply, error)) (proto.Reply, error) {
	return in(d, label, func(s *session) (proto.Reply, error) {
		h, err := s.term(name)
		if err != nil {
			return nil, err
		}
		return f(h)
	})
}

// dispatchPrograms answers requests about terminals and programs.
func (d *Daemon) dispatchPrograms(ctx context.Context, r proto.Request) (proto.Reply, error) {
	switch r := r.(type) {
	case *proto.TermNew:
		s, err := d.findOrCreate(r.Session, r.Dir, r.Session == "" || r.Session == DefaultLabel,
			false)
		if err != nil {
			return nil, err
		}
		return s.termNew(d.author(r.Author), r)
	case *proto.TermList:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.termList(), nil })
	case *proto.TermInfo:
		return onTerm(d, r.Session, r.Term, (*hosted).info)
	case *proto.TermRead:
		return onTerm(d, r.Session, r.Term, func(h *hosted) (proto.Reply, error) { return h.read(r), nil })
	case *proto.TermScreen:
		return onTerm(d, r.Session, r.Term, (*hosted).screen)
	case *proto.TermWait:
		return onTerm(d, r.Session, r.Term, func(h *hosted) (proto.Reply, error) { return h.wait(ctx, r) })
	case *proto.TermRun:
		return onTerm(d, r.Session, r.Term, func(h *hosted) (proto.Reply, error) { return h.run(ctx, r) })
	case *proto.TermResize:
		return onTerm(d, r.Session, r.Term, func(h *hosted) (proto.Reply, error) {
			if err := core.CheckTermSize(r.Cols, r.Rows); err != nil {
				return nil, err
			}
			return &proto.Done{}, termError(h.t.Resize(term.Size{Cols: r.Cols, Rows: r.Rows}))
		})
	case *proto.TermClear:
		return onTerm(d, r.Session, r.Term, func(h *hosted) (proto.Reply, error) {
			h.t.Clear()
			return &proto.Done{}, nil
		})
	case *proto.TermKill:
		return onTerm(d, r.Session, r.Term, func(h *hosted) (proto.Reply, error) { return h.signal(r.Signal) })
	case *proto.TermFind:
		return onTerm(d, r.Session, r.Term, func(h *hosted) (proto.Reply, error) { return h.find(r) })
	case *proto.TermColours:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.termColours(r), nil })
	case *proto.Ps:
		return d.ps(r)
	case *proto.Kill:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.killProcs(r) })
	case *proto.EnvGet:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.envGet(), nil })
	case *proto.EnvSet:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.envSet(r) })
	}
	return nil, core.Errorf(core.CodeBadRequest, "request %T is not known", r)
}

func (s *session) termList() proto.Reply {
	out := &proto.Terms{}
	for _, h := range s.programs.all() {
		out.Terms = append(out.Terms, h.entry(h.t.Frame()))
	}
	return out
}

func (h *hosted) entry(f *term.Frame) proto.TermEntry {
	e := proto.TermEntry{Term: h.id, Window: h.window, Title: f.Title, Command: h.command, Dir: h.dir,
		Cwd: f.Dir, Cols: f.Cols, Rows: f.Rows, Started: h.started}
	if pid, running := h.t.Running(); running {
		e.PID, e.Running = pid, true
		return e
	}
	x := h.ended(f.Exit)
	e.Code, e.Signal, e.Reason = x.Code, x.Signal, x.Reason
	return e
}

// ended is how the program ended, x being what its terminal knows of that.
func (h *hosted) ended(x *holder.Exit) core.Exit {
	if x != nil && !h.end.Done {
		return exitOf(*x)
	}
	return h.end
}

// result is what is said of a program or a command that has ended.
type result struct {
	ended  bool // the terminal's program
	signal string
	known  bool
	status int
}

// resultOf makes it of a command's status, or of the end of the program if x is not nil.
func (h *hosted) resultOf(status int, x *holder.Exit) result {
	switch {
	case x != nil:
		e := h.ended(x)
		return result{true, e.Signal, e.Signal == "" && e.Reason == "", e.Code}
	case status != vt.UnknownStatus:
		return result{known: true, status: status}
	}
	return result{}
}

func (h *hosted) info() (proto.Reply, error) {
	f := h.t.Frame()
	l := h.t.Lines(0, 0, 0)
	d := &proto.TermDetail{Entry: h.entry(f), Modes: modes(f.Modes), First: l.First, Base: f.Base,
		End: l.End, Bells: f.Bells,
		Progress: proto.TermProgress{State: core.ProgressState(f.Progress.State), Percent: f.Progress.Percent}}
	for _, m := range f.Marks {
		d.Marks = append(d.Marks, proto.TermMarkOf(promptMark(m)))
	}
	return d, nil
}

func promptMark(m vt.Mark) core.PromptMark {
	return core.PromptMark{Kind: core.MarkKind(m.Kind), Line: m.Line, Col: m.Col, Status: m.Status}
}

// read answers with a part of the lines.
func (h *hosted) read(r *proto.TermRead) proto.Reply {
	to := r.To
	if to == 0 {
		to = 1 << 63
	}
	from := r.From
	if r.Tail > 0 {
		end := min(to, h.t.Lines(0, 0, 0).End)
		from = max(from, end-min(uint64(r.Tail), end))
	}
	l := h.t.Lines(from, min(to, from+proto.TermReadMaxLines), proto.ReadMaxBytes/2)
	out := &proto.TermText{Term: h.id, From: l.From, Next: l.From + uint64(len(l.Lines)), First: l.First,
		End: l.End}
	out.More = out.Next < min(to, l.End)
	for _, runs := range l.Lines {
		if r.Runs {
			out.Lines = append(out.Lines, proto.TermLine{Runs: runs})
		} else {
			out.Lines = append(out.Lines, proto.TermLine{Text: cell.RowText(runs)})
		}
	}
	return out
}

// screen answers with what followers see. It is made anew, so that it is never behind what was
// answered before.
func (h *hosted) screen() (proto.Reply, error) {
	var st *core.Term
	h.t.Show(func(f *term.Frame) { st = h.state(f) })
	return &proto.TermGrid{Term: h.id, State: st}, nil
}

// limited is a context for something that takes as long as somebody said; 0 is no limit.
func limited(ctx context.Context, ms core.Millis) (context.Context, context.CancelFunc) {
	if ms == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
}

func pattern(p string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(p)
	if err != nil {
		return nil, core.Errorf(core.CodeBadRequest, "%v", err)
	}
	return re, nil
}

// wait waits for something to happen.
func (h *hosted) wait(ctx context.Context, r *proto.TermWait) (proto.Reply, error) {
	u := term.Until{HasFrom: r.HasFrom, From: r.From}
	switch r.Kind {
	case proto.WaitExit:
		u.Exit = true
	case proto.WaitQuiet:
		u.Quiet = time.Duration(max(r.Quiet, 1)) * time.Millisecond
		if r.Quiet == 0 {
			u.Quiet = time.Duration(proto.QuietDefault) * time.Millisecond
		}
	case proto.WaitPrompt:
		u.Prompt = true
	case proto.WaitMatch:
		re, err := pattern(r.Pattern)
		if err != nil {
			return nil, err
		}
		u.Match = re
	}
	ctx, cancel := limited(ctx, r.Timeout)
	defer cancel()
	met, err := h.t.Wait(ctx, u)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &proto.TermMet{}, nil
	case err != nil:
		return nil, termError(err)
	}
	x := h.resultOf(met.Status, met.Exit)
	return &proto.TermMet{Met: !met.Ended, Line: met.Line, Column: met.Column,
		Text: cutText(met.Text, metMaxBytes), Ended: x.ended, Signal: x.signal,
		HasStatus: x.known, Status: x.status}, nil
}

// metMaxBytes bounds the line that a wait found.
const metMaxBytes = 64 << 10

// run runs a command in the terminal's shell.
func (h *hosted) run(ctx context.Context, r *proto.TermRun) (proto.Reply, error) {
	ctx, cancel := limited(ctx, r.Timeout)
	defer cancel()
	got, err := h.t.Run(ctx, r.Command, h.marks)
	if errors.Is(err, context.DeadlineExceeded) {
		return &proto.TermOutput{TimedOut: true}, nil
	}
	if err != nil {
		return nil, termError(err)
	}
	x := h.resultOf(got.Status, got.Exit)
	return &proto.TermOutput{Output: []byte(got.Output), Cut: got.Cut, Ended: x.ended,
		Signal: x.signal, HasStatus: x.known, Status: x.status}, nil
}

// signal sends a signal to the terminal's processes; without one it ends them.
func (h *hosted) signal(name string) (proto.Reply, error) {
	if _, runs := h.t.Running(); !runs {
		return nil, core.Errorf(core.CodeNotFound, "the program of %v has ended", h.id)
	}
	return &proto.Done{}, end(context.Background(), h.t.Holder(), name)
}

// signalOf reads a signal's name, with or without SIG.
func signalOf(name string) (unix.Signal, error) {
	if sig := unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(name), "SIG")); sig != 0 {
		return sig, nil
	}
	return 0, core.Errorf(core.CodeBadRequest, "%q: no such signal", name)
}

// find looks for a pattern in the lines.
func (h *hosted) find(r *proto.TermFind) (proto.Reply, error) {
	re, err := pattern(r.Pattern)
	if err != nil {
		return nil, err
	}
	from := r.From
	if r.End {
		from = h.t.Lines(0, 0, 0).End
	}
	m, ok := h.t.Find(re, from, r.Column, r.Backwards)
	if !ok {
		return &proto.TermFound{}, nil
	}
	return &proto.TermFound{Found: true, Line: m.Line, Column: m.Column, Cells: m.Cells}, nil
}

// termError gives errors of terminals their codes.
func termError(err error) error {
	switch {
	case errors.Is(err, term.ErrExited), errors.Is(err, holder.ErrExited), errors.Is(err, holder.Gone):
		return core.Errorf(core.CodeNotFound, "%v", term.ErrExited)
	case errors.Is(err, term.ErrClosed), errors.Is(err, holder.ErrClosed):
		return errDraining
	case errors.Is(err, term.ErrTyping):
		return core.Errorf(core.CodeConflict, "%v", err)
	case errors.Is(err, holder.ErrInputFull):
		return core.Errorf(core.CodeBusy, "the program does not read: %d bytes of input wait for it",
			holder.InputMaxBytes)
	}
	return err
}

// input types into a terminal. It is called by the connection's reader, so that what one
// connection types is in order; taken waits until the terminal has taken it, or ctx ends.
func (d *Daemon) input(ctx context.Context, r *proto.TermInput) (taken func() error, err error) {
	s, err := d.reg.session(r.Session)
	if err != nil {
		return nil, err
	}
	h, err := s.term(r.Term)
	if err != nil {
		return nil, err
	}
	encode, err := encoder(r)
	if err != nil {
		return nil, err
	}
	upTo, err := h.t.Input(encode)
	if err != nil {
		return nil, termError(err)
	}
	return func() error { return termError(h.t.Taken(ctx, upTo)) }, nil
}

// encoder makes the bytes of an input.
func encoder(r *proto.TermInput) (func(input.Modes) []byte, error) {
	switch r.Kind {
	case proto.InputText:
		return func(m input.Modes) []byte { return entered(bytesOfText(r.Text), m, r.Enter) }, nil
	case proto.InputBytes:
		return func(m input.Modes) []byte { return entered(r.Text, m, r.Enter) }, nil
	case proto.InputPaste:
		return func(m input.Modes) []byte { return entered(input.AppendPaste(nil, m, r.Text), m, r.Enter) }, nil
	case proto.InputNames:
		keys := make([]input.Key, len(r.Names))
		for i, name := range r.Names {
			k, err := input.ParseKey(name)
			if err != nil {
				return nil, core.Errorf(core.CodeBadRequest, "%v", err)
			}
			keys[i] = k
		}
		return encodeKeys(keys), nil
	case proto.InputKeys:
		keys := make([]input.Key, len(r.Keys))
		for i, k := range r.Keys {
			keys[i] = input.Key{Code: input.Code(k.Code), Rune: rune(k.Rune), Text: k.Text,
				Mods: input.Mods(k.Mods), Event: input.Event(k.Event), Shifted: rune(k.Shifted), Base: rune(k.Base)}
		}
		return encodeKeys(keys), nil
	case proto.InputMouse:
		e := input.Mouse{Button: input.Button(r.Mouse.Button), Action: input.Action(r.Mouse.Action),
			X: r.Mouse.X, Y: r.Mouse.Y, PX: r.Mouse.PX, PY: r.Mouse.PY, Mods: input.Mods(r.Mouse.Mods)}
		return func(m input.Modes) []byte {
			if b := input.AppendAltScroll(nil, m, e, r.Lines); len(b) > 0 {
				return b
			}
			return input.AppendMouse(nil, m, e)
		}, nil
	case proto.InputFocus:
		return func(m input.Modes) []byte { return input.AppendFocus(nil, m, r.In) }, nil
	}
	return nil, core.Errorf(core.CodeBadRequest, "input of kind %d", r.Kind)
}

func encodeKeys(keys []input.Key) func(input.Modes) []byte {
	return func(m input.Modes) (b []byte) {
		for _, k := range keys {
			b = input.AppendKey(b, m, k)
		}
		return b
	}
}

// entered adds the Enter key.
func entered(b []byte, m input.Modes, enter bool) []byte {
	if enter {
		b = input.AppendKey(b[:len(b):len(b)], m, input.Key{Code: input.Enter})
	}
	return b
}

// bytesOfText is text as keys would type it: a line ends with Return.
func bytesOfText(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\r")), []byte("\n"), []byte("\r"))
}
