package tui

import (
	"slices"

	"apex/client/tui/input"
	"apex/client/tui/paint"
	"apex/core/cell"

	tea "charm.land/bubbletea/v2"
)

// prompt asks for one or two lines at the bottom of the screen.
type prompt struct {
	labels []string
	fields []field
	at     int // the field being typed in
	note   string
	bad    bool // the note is an error

	// Enter, and what may be nil: after each change of a field or to another, any other key, Esc.
	enter   func(*Model, *prompt) tea.Cmd
	changed func(*Model, *prompt) tea.Cmd
	other   func(*Model, *prompt, input.Key) (tea.Cmd, bool)
	cancel  func(*Model)
}

// otherField are the keys that go from one field to the other.
var otherField = []input.Key{key("tab"), key("shift+tab"), key("down"), key("up")}

// newPrompt returns a prompt with one field for each label.
func newPrompt(labels ...string) *prompt {
	return &prompt{labels: labels, fields: make([]field, len(labels))}
}

func (p *prompt) value(i int) string { return p.fields[i].text }

// tell sets the note at the right.
func (p *prompt) tell(note string, bad bool) { p.note, p.bad = note, bad }

func (p *prompt) draw(m *Model) paint.Cursor {
	width, height := m.grid.Size()
	rows := min(len(p.fields), height)
	area := cell.Rect{Y: height - rows, W: width, H: rows}
	v := m.panel(area)
	labelCells := 0
	for _, l := range p.labels {
		labelCells = max(labelCells, paint.Width(l)+1)
	}
	labelCells = min(labelCells, width/2)
	cur := paint.Cursor{Visible: true, Shape: paint.SteadyBar}
	for i := range rows {
		drawString(v, 1, i, fit(p.labels[i], labelCells, m.theme.Glyphs.Ellipsis), m.theme.PanelKey)
		room := width - labelCells - 2
		if i == rows-1 && p.note != "" {
			style := m.theme.Panel
			if p.bad {
				style.Attr |= cell.Bold
				style.Fg = m.theme.Bad.Fg
			}
			note := fit(p.note, max(room-8, 0), m.theme.Glyphs.Ellipsis)
			room -= paint.Width(note) + 1
			drawString(v, width-paint.Width(note)-1, i, note, style)
		}
		line := v.View(cell.Rect{X: labelCells + 1, Y: i, W: max(room, 1), H: 1})
		x := p.fields[i].draw(line, m.theme.Panel)
		if i == p.at {
			cur.X, cur.Y = labelCells+1+x, area.Y+i
		}
	}
	return cur
}

func (p *prompt) key(m *Model, k input.Key, text string) tea.Cmd {
	switch {
	case closes(k):
		m.pop()
		if p.cancel != nil {
			p.cancel(m)
		}
		return nil
	case k == key("enter"):
		return p.enter(m, p)
	case len(p.fields) > 1 && slices.Contains(otherField, k):
		p.at = (p.at + 1) % len(p.fields)
		return p.change(m)
	case p.fields[p.at].key(k, text):
		return p.change(m)
	case p.other != nil:
		if cmd, ok := p.other(m, p, k); ok {
			return cmd
		}
	}
	return nil
}

// change tells who asks that a field, or which has the caret, is another.
func (p *prompt) change(m *Model) tea.Cmd {
	if p.changed == nil {
		return nil
	}
	return p.changed(m, p)
}

func (p *prompt) paste(m *Model, text string) {
	p.fields[p.at].insert(text)
	p.change(m)
}

// mouse: a click outside closes the prompt and does nothing else.
func (p *prompt) mouse(m *Model, e input.MouseEvent) tea.Cmd {
	_, height := m.grid.Size()
	row := e.Y - (height - len(p.fields))
	switch {
	case e.Kind != input.Press:
	case row >= 0:
		p.at = row
		return p.change(m)
	default:
		m.pop()
		if p.cancel != nil {
			p.cancel(m)
		}
	}
	return nil
}
