package tui

import (
	"fmt"
	"slices"
	"strings"

	"apex/client/tui/paint"
	"apex/core"
	"apex/core/cell"
	"apex/core/edit"
)

// topTextCells is what the status leaves of the top row for its text.
const topTextCells = 12

// segment is a part of the status.
type segment struct {
	text  string
	style cell.Style
}

// drawTop draws the top row: its text, and the status at the right.
func (m *Model) drawTop() {
	area := m.placing.top
	segments := m.status()
	width := func() (n int) {
		for _, s := range segments {
			n += paint.Width(s.text)
		}
		return n
	}
	for len(segments) > 1 && width() > max(area.W-topTextCells, 0) {
		segments = segments[1:]
	}
	n := min(width(), area.W)
	m.drawText(core.TopView, rest(area, 0, n))
	x := area.W - n
	for _, s := range segments {
		x = drawString(m.grid.All(), x, area.Y, s.text, s.style)
	}
}

// status returns what the top row tells, the least important first.
func (m *Model) status() []segment {
	t, st := m.theme, m.session.State()
	var out []segment
	if p := &m.placing; p.before+p.after > 0 {
		of := p.before + len(p.columns) + p.after
		out = append(out, segment{fmt.Sprintf(" column %d of %d ", p.before+1, of), t.Top})
	}
	if who := m.others(); who != "" {
		out = append(out, segment{" with " + who + " ", t.Top})
	}
	if news := m.termStatus(); news != "" {
		out = append(out, segment{" " + news + " ", t.Warn})
	}
	if running := m.running(); running != "" {
		out = append(out, segment{" " + running + " ", t.Warn})
	}
	if tool := m.toolOn(m.focused()); tool != "" {
		out = append(out, segment{" " + actorName(tool) + " leads this text ", t.Warn})
	}
	if n := m.pending(0); n > 0 {
		out = append(out, segment{fmt.Sprintf(" %d pending ", n), t.Warn})
	}
	if meta := m.session.Meta(); meta != nil && m.remote != "" {
		out = append(out, segment{" " + m.remote + ":" + meta.Label + " ", t.Top})
	} else if meta != nil {
		out = append(out, segment{" " + meta.Label + " ", t.Top})
	}
	if n := len(m.unlooked()); n > 0 {
		out = append(out, segment{" see +Recovered ", t.Bad})
	}
	if st.Unsynced > 0 && m.lagging() {
		out = append(out, segment{fmt.Sprintf(" %d unsynced ", st.Unsynced), t.Warn})
	}
	switch {
	case !st.Connected && st.Draining:
		out = append(out, segment{" daemon stopped, waiting" + m.nextTry() + " ", t.Bad})
	case !st.Connected && m.nextTry() != "":
		out = append(out, segment{" offline" + m.nextTry() + " ", t.Bad})
	case !st.Connected:
		out = append(out, segment{" offline, reconnecting ", t.Bad})
	case st.Observer:
		out = append(out, segment{" read-only ", t.Warn})
	case m.lag.trouble != "" || m.unkept():
		out = append(out, segment{" not durable ", t.Bad})
	case m.lag.silent:
		out = append(out, segment{" no answer ", t.Bad})
	case st.Leading:
		out = append(out, segment{" leading ", t.Good})
	case m.taking:
		out = append(out, segment{" taking over ", t.Warn})
	case m.fenced:
		out = append(out, segment{" fenced ", t.Bad})
	case st.Watching, m.denied:
		out = append(out, segment{" watching ", t.Warn})
	default:
		out = append(out, segment{" joining ", t.Warn})
	}
	return out
}

// runningNamed is how many running commands are named; more are counted.
const runningNamed = 4

// runningCells is how much of a name is shown.
const runningCells = 16

// running names the commands that run, the newest first, for Kill.
func (m *Model) running() string {
	meta := m.session.Meta()
	if meta == nil {
		return ""
	}
	var names []string
	for i := range meta.Procs {
		if p := &meta.Procs[i]; !p.Done && p.Term == 0 {
			names = append(names, fit(edit.ProgramName(p.Command), runningCells, m.theme.Glyphs.Ellipsis))
		}
	}
	slices.Reverse(names)
	if n := len(names) - runningNamed; n > 0 {
		names = append(names[:runningNamed], fmt.Sprintf("+%d", n))
	}
	return strings.Join(names, " ")
}

// othersNamed is how many other attachments are named; more are counted.
const othersNamed = 2

// agentPrefix is what the names of agents begin with.
const agentPrefix = "agent:"

// actorName is an actor's name without what kind of actor it is.
func actorName(actor string) string {
	if _, name, ok := strings.Cut(actor, ":"); ok && name != "" {
		return name
	}
	return actor
}

// others names who else is in the session.
func (m *Model) others() string {
	var names []string
	for _, p := range m.session.Peers() {
		if p.Attachment == m.session.Actor().Attachment {
			continue
		}
		name := actorName(p.Actor)
		switch {
		case strings.HasPrefix(p.Actor, agentPrefix):
			name += " (agent)"
		case p.Kind != core.AttachUI:
			name += " (" + p.Kind.String() + ")"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > othersNamed {
		return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
	}
	return strings.Join(names, ", ")
}

// drawHint draws the last row: what can be done, and at the right where the caret is. A message
// takes its place until the next key.
func (m *Model) drawHint() {
	if m.message.text != "" {
		m.drawMessage()
		return
	}
	area := m.placing.hint
	if area.Empty() {
		return
	}
	v := m.grid.View(area)
	v.Fill(v.Bounds(), cell.New(' ', m.theme.Hint))
	where := m.where()
	room := area.W
	if at := area.W - paint.Width(where) - 1; where != "" && at > 0 {
		drawString(v, at, 0, where, m.theme.Hint)
		room = at
	}
	m.drawHints(v, room)
}

// messageMaxRows is how much of the screen a message may cover.
const messageMaxRows = 4

// drawMessage draws the message over the last rows, as many as it needs.
func (m *Model) drawMessage() {
	width, height := m.grid.Size()
	lines := wrapWords(m.message.text, max(width-2, 1))
	if most := max(min(messageMaxRows, height-1), 1); len(lines) > most {
		lines = append(lines[:most-1], strings.Join(lines[most-1:], " "))
	}
	t := m.theme
	style := t.Key
	if m.message.bad {
		style = cell.Style{Fg: t.Bad.Fg, Attr: t.Bad.Attr}
	}
	v := m.grid.View(cell.Rect{Y: height - len(lines), W: width, H: len(lines)})
	v.Fill(v.Bounds(), cell.New(' ', style))
	for y, line := range lines {
		drawString(v, 1, y, fit(line, width-2, t.Glyphs.Ellipsis), style)
	}
	m.covered = m.covered || len(lines) > m.placing.hint.H
}

// wrapWords breaks a text at its blanks into lines of at most so many cells, where that can be.
func wrapWords(s string, cells int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case paint.Width(line)+1+paint.Width(word) <= cells:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// drawHints draws keys and what they do, as many as there is room for.
func (m *Model) drawHints(v cell.View, room int) {
	x := 1
	for _, h := range m.hints() {
		if x+paint.Width(h.key)+1+paint.Width(h.does)+2 > room {
			return
		}
		x = drawString(v, x, 0, h.key, m.theme.Key)
		x = drawString(v, x+1, 0, h.does, m.theme.Hint) + 2
	}
}

// hint is a key and what it does, in a word or two.
type hint struct{ key, does string }

func (m *Model) hints() []hint {
	st := m.session.State()
	var out []hint
	switch {
	case st.Observer:
		out = append(out, hint{"", "watching only: scroll, search and copy"})
	case m.nextTry() != "":
		out = append(out, hint{keyOf("take-over"), "connects now"})
	case !st.Leading && st.Connected:
		out = append(out, hint{keyOf("take-over"), "takes over"})
	}
	if p := m.termFocus(); p != nil && !m.mayNot() {
		return append(out, m.termHints(p)...)
	}
	for _, h := range []hint{{"help", "help"}, {"detach", "detach"}, {"palette", "commands"},
		{"save", "save"}, {"open", "open"}, {"find", "find"}, {"undo", "undo"}} {
		out = append(out, hint{keyOf(h.key), h.does})
	}
	return out
}

// where says where the caret is: line and column, and how much is selected.
func (m *Model) where() string {
	v := m.focused()
	if p := m.termPane(v); p != nil {
		return m.termWhere(p)
	}
	b := m.buffer(v)
	if b == nil || b.Loading || v.Kind != core.ViewBody {
		return ""
	}
	s := m.seen(v, b)
	if s.Q1 > s.Q0 {
		return fmt.Sprintf("%d selected", s.Q1-s.Q0)
	}
	line := b.Text.LineOf(s.Q0)
	return fmt.Sprintf("%d:%d", line+1, s.Q0-b.Text.LineStart(line)+1)
}
