package tui

import (
	"fmt"
	"strings"

	"apex/client/tui/paint"
	"apex/core"
	"apex/core/cell"
)

// drawWindow draws a window's tag and body.
func (m *Model) drawWindow(w *placedWindow) {
	win := m.session.Window(w.id)
	if win == nil {
		m.grid.Fill(w.tag, cell.New(' ', m.theme.Tag))
		m.grid.Fill(w.body, cell.New(' ', m.theme.Text))
		return
	}
	m.drawTag(w, win)
	if w.body.Empty() {
		return
	}
	if win.Term != 0 {
		m.drawTerm(w)
		return
	}
	p := m.pane(w.id.Body(), w.body, paneState{body: true, settings: win.Settings})
	if p == nil {
		m.grid.Fill(w.body, cell.New(' ', m.theme.Text))
		return
	}
	p.draw(m.grid, &m.rows)
}

// drawTag draws a window's tag: the handle, which also tells whether there is unsaved work, the
// tag's text, and at the right what there is to know about the body.
func (m *Model) drawTag(w *placedWindow, win *core.Window) {
	focus, _ := m.focusWindow()
	flags := m.flags(win)
	if win.Term != 0 {
		m.termFlags(&flags, w, win)
	}
	t := m.theme
	style := t.tag(focus == w.id)
	words := flags.words(w.tag.W)
	width := paint.Width(words)
	area := rest(w.tag, 1, width)
	p := m.pane(w.id.Tag(), area, paneState{flags: flags})
	if p == nil {
		m.grid.Fill(w.tag, cell.New(' ', style))
		return
	}
	p.want.focus = focus == w.id
	if p.ok && p.have == p.want {
		return
	}
	p.draw(m.grid, &m.rows)
	handle, look := t.Glyphs.Window, cell.Style{Fg: t.Handle.Fg, Bg: style.Bg, Attr: style.Attr}
	if flags.dirty {
		handle, look = t.Glyphs.Dirty, cell.Style{Fg: t.Dirty.Fg, Bg: style.Bg, Attr: style.Attr}
	}
	m.grid.Set(w.tag.X, w.tag.Y, cell.New(handle, look))
	look = cell.Style{Fg: t.Dirty.Fg, Bg: style.Bg, Attr: style.Attr}
	drawString(m.grid.All(), area.X+area.W, w.tag.Y, words, look)
}

// flags returns what a window's tag tells about its body.
func (m *Model) flags(win *core.Window) (f tagFlags) {
	f.working = win.Flag.Work
	if win.Term != 0 {
		return f
	}
	f.held, f.pending = m.heldFor(win.Body), m.pending(win.Body)
	b := m.session.Buffer(win.Body)
	if b == nil {
		f.loading, f.dirty = true, m.dirty[win.Body].dirty
		return f
	}
	f.dirty = m.isDirty(win.Body, b)
	f.unsaved = f.dirty && unsaved(win)
	f.stale, f.missing, f.loading = b.Stale, b.Missing, b.Loading
	return f
}

// words says what the flags mean, the most important first, as far as there is room in a tag: half of
// it, or if there are commands among them, three quarters.
func (f tagFlags) words(tag int) string {
	s, cells := " ", tag/2
	offers := f.offers()
	if len(offers) > 0 {
		cells = tag * 3 / 4
	}
	for _, w := range []struct {
		on   bool
		word string
	}{
		{f.term != "", f.term},
		{f.pending > 0, fmt.Sprintf("%d pending", f.pending)},
		{f.held > f.pending, fmt.Sprintf("%d keys wait", f.held-f.pending)},
		{f.unsaved, "not saved"},
		{f.missing, "file is gone"},
		{f.stale, "changed on disk"},
		{f.stale, strings.Join(offers, " ")},
		{f.dirty, "modified"},
		{f.loading, "loading"},
		{f.working, "working"},
	} {
		if w.on && len(s)+len(w.word)+1 <= cells {
			s += w.word + " "
		}
	}
	if s == " " {
		return ""
	}
	return s
}

// drawString draws a string from x, y on and returns the cell after it.
func drawString(v cell.View, x, y int, s string, style cell.Style) int {
	for len(s) > 0 {
		n, w := paint.First(s)
		switch {
		case w == 0: // a control or format character in a name
			v.Set(x, y, cell.New('\uFFFD', style))
			w = 1
		case n == 1:
			v.Set(x, y, cell.New(rune(s[0]), style))
		default:
			v.SetText(x, y, s[:n], w, style)
		}
		x += w
		s = s[n:]
	}
	return x
}

// fit returns s cut to cells, ending in mark where something is missing.
func fit(s string, cells int, mark rune) string {
	if paint.Width(s) <= cells {
		return s
	}
	width, end := 0, 0
	for end < len(s) {
		n, w := paint.First(s[end:])
		if width+w > cells-1 {
			break
		}
		width, end = width+w, end+n
	}
	if cells < 1 {
		return ""
	}
	return s[:end] + string(mark)
}
