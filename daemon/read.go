package daemon

import (
	"path/filepath"
	"slices"
	"strings"

	"apex/core"
	"apex/core/addr"
	"apex/core/text"
	"apex/proto"
)

// windows lists a session's windows: the layout's in its order, then those that have no place.
func windows(a *core.Authority) []core.WindowID {
	var out []core.WindowID
	seen := map[core.WindowID]bool{}
	if l := a.Layout(); l != nil {
		for _, c := range l.Columns {
			for _, s := range c.Slots {
				if w := a.Window(s.Window); w != nil && w.Body != 0 && !seen[s.Window] {
					out = append(out, s.Window)
					seen[s.Window] = true
				}
			}
		}
	}
	for _, s := range a.Meta().Shards {
		id := core.WindowID(s.ID)
		if s.Kind != core.KindWindow || seen[id] {
			continue
		}
		if w := a.Window(id); w != nil && w.Body != 0 && !w.Deleted {
			out = append(out, id)
		}
	}
	return out
}

// dirtyNames lists the files with unsaved changes.
func dirtyNames(a *core.Authority) []string {
	var out []string
	for _, s := range a.Meta().Shards {
		if b := a.Buffer(core.BufferID(s.ID)); s.Kind == core.KindBuffer && b != nil && b.Dirty() {
			name := b.Name
			if name == "" {
				name = "an unnamed window"
			}
			out = append(out, name)
		}
	}
	return out
}

// resolve finds the window that a person means: by id, by the whole name, by the label (the last
// element of the path), or by a part of the name that no other window has. If it is the text that
// is meant, windows that show the same one are the same, and the first of them is taken.
func resolve(a *core.Authority, win string, text bool) (core.WindowID, error) {
	return resolveAmong(a, windows(a), win, text)
}

// resolveAmong is resolve among some windows.
func resolveAmong(a *core.Authority, all []core.WindowID, win string,
	text bool) (core.WindowID, error) {
	if id, ok := core.ParseWindowID(win); ok && slices.Contains(all, id) {
		return id, nil
	}
	match := func(fits func(name string) bool) (found []core.WindowID) {
		for _, id := range all {
			if b := a.Buffer(a.Window(id).Body); b != nil && fits(b.Name) {
				found = append(found, id)
			}
		}
		return found
	}
	for _, fits := range []func(string) bool{
		func(n string) bool { return n == win },
		func(n string) bool { return n != "" && filepath.Base(n) == win },
		func(n string) bool { return win != "" && strings.Contains(n, win) },
	} {
		found := match(fits)
		same := text && !slices.ContainsFunc(found, func(id core.WindowID) bool {
			return a.Window(id).Body != a.Window(found[0]).Body
		})
		switch {
		case len(found) == 1 || len(found) > 1 && same:
			return found[0], nil
		case len(found) > 1:
			names := make([]string, len(found))
			for i, id := range found {
				names[i] = id.String()
			}
			return 0, core.Errorf(core.CodeConflict,
				"window %q may be any of %s", win, strings.Join(names, ", "))
		}
	}
	return 0, core.Errorf(core.CodeNotFound, "no window %q", win)
}

func (s *session) windowList() (proto.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &proto.WindowList{}
	for _, id := range windows(s.a) {
		out.Windows = append(out.Windows, s.windowInfo(id))
	}
	return out, nil
}

func (s *session) resolveWindow(win string) (proto.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, err := resolve(s.a, win, false)
	if err != nil {
		return nil, err
	}
	info := s.windowInfo(id)
	return &info, nil
}

// windowInfo describes a window; the turn is held.
func (s *session) windowInfo(id core.WindowID) proto.WindowInfo {
	w := s.a.Window(id)
	out := proto.WindowInfo{Window: id, Buffer: w.Body, Tag: w.Tag, Term: w.Term, Live: w.Flag.Live,
		Work: w.Flag.Work, Owner: w.Flag.Owner}
	if b := s.a.Buffer(w.Body); b != nil {
		out.Name, out.Label, out.Kind = b.Name, s.label(id, b.Name), b.Kind
		out.Dirty, out.Stale, out.Missing = b.Dirty(), b.Stale, b.Missing
		if b.Missing {
			out.MovedTo = s.movedTo(w.Body)
		}
	}
	if l := s.a.Layout(); l != nil {
		if c, r, ok := l.Window(id); ok {
			out.Column, out.Row, out.Show = c+1, r+1, l.Columns[c].Slots[r].Show
		}
		f, ok := l.Focus.Window()
		out.Focus = ok && f == id
	}
	return out
}

// label is a window's short name: the last element of its path, if no other window has it.
func (s *session) label(id core.WindowID, name string) string {
	base := filepath.Base(name)
	if name == "" {
		return ""
	}
	for _, other := range windows(s.a) {
		b := s.a.Buffer(s.a.Window(other).Body)
		if other != id && b != nil && filepath.Base(b.Name) == base {
			return name
		}
	}
	return base
}

// text returns the buffer that a window shows.
func (s *session) text(win string, tag bool) (core.WindowID, core.BufferID, *core.Buffer, error) {
	id, err := resolve(s.a, win, !tag)
	if err != nil {
		return 0, 0, nil, err
	}
	w := s.a.Window(id)
	buf := w.Body
	if tag {
		buf = w.Tag
	}
	b := s.a.Buffer(buf)
	if b == nil {
		return 0, 0, nil, core.Errorf(core.CodeNotFound,
			"window %v shows buffer %v, which is gone", id, buf)
	}
	return id, buf, b, nil
}

// origin says where a read comes from; the turn is held.
func (s *session) origin(id core.BufferID, b *core.Buffer) proto.Origin {
	st, _ := s.a.State(id.Shard())
	return proto.Origin{Source: proto.LocalCommitted, Seq: st.Mark.Seq, Version: b.Version,
		Committed: s.stamp, Queued: s.a.Waiting()}
}

// onDisk waits until what a read is about to tell is on disk: a version that a crash takes back
// may name another text afterwards. While the disk refuses, the read is told all the same, marked
// as stale: people have to get at their text.
func (s *session) onDisk(o *proto.Origin) {
	s.mu.Lock()
	durable, failed := s.durable >= s.last, s.a.Failed()
	s.mu.Unlock()
	if !durable && (failed || s.flush() != nil) {
		o.IsStale = true
	}
}

func (s *session) read(r *proto.Read) (proto.Reply, error) {
	s.mu.Lock()
	id, buf, b, err := s.text(r.Win, r.Tag)
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	origin := s.origin(buf, b)
	v, _ := b.View(id.Body())
	s.mu.Unlock()
	if r.Pinned && r.Version != b.Version {
		return nil, core.Errorf(core.CodeConflict,
			"%v is at version %d, not %d any more", id, b.Version, r.Version)
	}
	q0, q1, err := readRange(r, b, v)
	if err != nil {
		return nil, err
	}
	s.onDisk(&origin)
	out := &proto.Text{Window: id, Buffer: buf, Q0: q0, Q1: q1, End: q1, Origin: origin}
	limit := r.Max
	if limit <= 0 || limit > proto.ReadMaxBytes {
		limit = proto.ReadMaxBytes
	}
	b0, b1 := b.Text.ByteOffset(q0), b.Text.ByteOffset(q1)
	if b1-b0 > limit {
		out.Q1 = max(b.Text.RuneOffset(b0+limit), q0+1)
		out.More = true
	}
	out.Bytes = b.Text.AppendRange(nil, q0, out.Q1)
	return out, nil
}

// readRange returns the runes that a read asks for.
func readRange(r *proto.Read, b *core.Buffer, v core.ViewState) (q0, q1 int, err error) {
	n := b.Text.Runes()
	if r.Addr != "" {
		a, err := addr.Parse(r.Addr)
		if err != nil {
			return 0, 0, core.Errorf(core.CodeBadRequest, "%v", err)
		}
		x, err := a.Eval(b.Text, addr.Range{Q0: v.Q0, Q1: v.Q1})
		if err != nil {
			return 0, 0, core.Errorf(core.CodeBadRequest, "%v", err)
		}
		return x.Q0, x.Q1, nil
	}
	q0, q1 = r.Q0, r.Q1
	if q1 == 0 {
		q1 = n
	}
	if q0 < 0 || q1 < q0 || q1 > n {
		return 0, 0, core.Errorf(core.CodeBadRequest, "runes %d,%d of a text of %d", q0, q1, n)
	}
	return q0, q1, nil
}

func (s *session) info(win string) (proto.Reply, error) {
	s.mu.Lock()
	id, buf, b, err := s.text(win, false)
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	v, _ := b.View(id.Body())
	lease, _ := s.a.Meta().Lease(buf.Shard())
	out := &proto.TextInfo{Window: s.windowInfo(id), Origin: s.origin(buf, b), Runes: b.Text.Runes(),
		Bytes: b.Text.Bytes(), Lines: lines(b.Text), Q0: v.Q0, Q1: v.Q1, OnDisk: b.OnDisk, Disk: b.Disk,
		Unsynced: s.unsynced(), Leader: lease.Holder, Epoch: lease.Epoch,
		Clean: b.CleanVersion}
	out.UndoSteps, out.UndoBytes, out.UndoDropped = b.Kept()
	s.mu.Unlock()
	s.onDisk(&out.Origin)
	out.Hash = core.SumText(b.Text.Chunks())
	return out, nil
}

// lines counts lines: one for each newline, and one for text after the last.
func lines(t text.Text) int {
	n := t.Newlines()
	if k := t.Runes(); k > 0 {
		if r, _ := t.RuneAt(k - 1); r != '\n' {
			n++
		}
	}
	return n
}

// peek returns the lines around views' origins. It may run ahead of the disk: it is for a first
// paint, and what a UI follows afterwards proves itself by its chain.
func (s *session) peek(r *proto.Peek) (proto.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	views := r.Views
	if len(views) == 0 {
		views = s.bodies()
	}
	out := &proto.Peeked{}
	left := peekMaxTotal
	for _, v := range views {
		l, ok := s.peekView(core.View(v), r.Lines)
		if !ok {
			continue
		}
		if left -= len(l.Bytes); left < 0 {
			break
		}
		out.Views = append(out.Views, l)
	}
	return out, nil
}

// Bounds of what is peeked at, in bytes.
const (
	// peekMaxBytes of one view: a screen of text, even of long lines.
	peekMaxBytes = 64 << 10
	// peekMaxTotal of all views: more than a screen has, and far less than a frame may have. Those
	// past it come with their buffers.
	peekMaxTotal = 2 << 20
)

// bodies returns those of the windows that the layout shows, as many as a Peek may name.
func (s *session) bodies() []proto.View {
	l := s.a.Layout()
	if l == nil {
		return nil
	}
	var out []proto.View
	for _, c := range l.Columns {
		for _, slot := range c.Slots {
			if slot.Show != core.ShowHidden && len(out) < proto.PeekMaxViews {
				out = append(out, proto.View(slot.Window.Body()))
			}
		}
	}
	return out
}

func (s *session) peekView(v core.View, n int) (proto.Lines, bool) {
	buf, ok := viewBuffer(s.a, v)
	b := s.a.Buffer(buf)
	if !ok || b == nil {
		return proto.Lines{}, false
	}
	st, _ := b.View(v)
	first := max(b.Text.LineOf(st.Origin)-n, 0)
	last := min(b.Text.LineOf(st.Origin)+n, b.Text.Newlines())
	q0 := max(b.Text.LineStart(first), st.Origin-peekMaxBytes)
	q1 := b.Text.Runes()
	if last < b.Text.Newlines() {
		q1 = b.Text.LineStart(last + 1)
	}
	q1 = min(q1, st.Origin+peekMaxBytes)
	return proto.Lines{View: proto.View(v), Buffer: buf, Name: b.Name, Version: b.Version, Q0: q0,
		Line: b.Text.LineOf(q0), Bytes: b.Text.AppendRange(nil, q0, q1), Origin: st.Origin,
		Dot0: st.Q0, Dot1: st.Q1, Runes: b.Text.Runes(), Count: b.Text.Newlines() + 1,
		Dirty: b.Dirty()}, true
}

// viewBuffer returns the buffer that a view shows.
func viewBuffer(a *core.Authority, v core.View) (core.BufferID, bool) {
	switch v.Kind {
	case core.ViewBody, core.ViewTag:
		w := a.Window(core.WindowID(v.ID))
		if w == nil {
			return 0, false
		}
		if v.Kind == core.ViewTag {
			return w.Tag, true
		}
		return w.Body, true
	case core.ViewColumn:
		return core.BufferID(v.ID), true
	case core.ViewTop:
		if l := a.Layout(); l != nil {
			return l.Top, true
		}
	}
	return 0, false
}

func (s *session) who() *proto.Roster {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &proto.Roster{Peers: s.roster()}
}
