package tui

import (
	"slices"
	"strings"
	"unicode"

	"apex/client/tui/input"
	"apex/client/tui/paint"
	"apex/core/cell"

	tea "charm.land/bubbletea/v2"
)

// item is a line of the picker.
type item struct {
	text string // what is matched and shown
	note string // shown at the right: a key, a place
	run  func(*Model) tea.Cmd
}

// picker lists items and narrows them to those that match what is typed.
type picker struct {
	title  string
	field  field
	items  []item
	shown  []match
	chosen int // in shown
	first  int // the first of shown in sight
	height int // lines of the list when last drawn
	top    int // row of the list's first line when last drawn
}

// match is an item that matches, and how well: lower is better.
type match struct {
	item  *item
	score int
}

// The picker's size, as far as the screen allows.
const (
	pickerCells = 84
	pickerRows  = 20
)

func newPicker(title string, items []item) *picker {
	p := &picker{title: title, items: items}
	p.narrow()
	return p
}

// narrow works out what matches.
func (p *picker) narrow() {
	p.shown, p.chosen, p.first = p.shown[:0], 0, 0
	for i := range p.items {
		if score, ok := fuzzy(p.field.text, p.items[i].text); ok {
			p.shown = append(p.shown, match{&p.items[i], score})
		}
	}
	slices.SortStableFunc(p.shown, func(a, b match) int { return a.score - b.score })
}

// fuzzy reports whether the runes of pattern are in s in this order, whatever their case, and how
// well: a score that is lower the closer together they are, and where they begin words.
func fuzzy(pattern, s string) (score int, ok bool) {
	want := []rune(strings.ToLower(strings.ReplaceAll(pattern, " ", "")))
	if len(want) == 0 {
		return 0, true
	}
	lower := strings.ToLower(s)
	if i := strings.Index(lower, strings.ToLower(pattern)); i >= 0 {
		if i == 0 || !isWord(rune(lower[i-1])) {
			return i - 2000, true
		}
		return i - 1000, true
	}
	last, at := -1, 0
	before := ' '
	for i, r := range lower {
		if at < len(want) && r == want[at] {
			switch {
			case !isWord(before): // begins a word
			case last >= 0 && i == last:
				score++
			default:
				score += 10 + min(i-max(last, 0), 20)
			}
			at++
			last = i + len(string(r))
		}
		before = r
	}
	if unicode.IsSpace(before) {
		score++
	}
	return score, at == len(want)
}

func (p *picker) draw(m *Model) paint.Cursor {
	t := m.theme
	area := m.centred(pickerCells, min(pickerRows, len(p.items)+2))
	v := m.panel(area)
	width, height := v.Size()
	x := drawString(v, 1, 0, p.title+" ", t.PanelKey)
	caret := p.field.draw(v.View(cell.Rect{X: x, W: max(width-x-1, 1), H: 1}), t.Panel)
	p.height, p.top = height-1, area.Y+1
	p.first = min(p.first, p.chosen)
	p.first = max(p.first, p.chosen-p.height+1)
	if len(p.shown) == 0 {
		drawString(v, 1, 1, "Nothing matches.", t.Panel)
	}
	for i := range min(p.height, len(p.shown)-p.first) {
		p.drawItem(v, t, i+1, p.first+i)
	}
	return paint.Cursor{X: area.X + x + caret, Y: area.Y, Visible: true, Shape: paint.SteadyBar}
}

func (p *picker) drawItem(v cell.View, t *Theme, y, i int) {
	width, _ := v.Size()
	it := p.shown[i].item
	style, note := t.Panel, t.PanelKey
	if i == p.chosen {
		style, note = t.Chosen, t.Chosen
	}
	v.Fill(cell.Rect{Y: y, W: width, H: 1}, cell.New(' ', style))
	room := width - 2
	if n := paint.Width(it.note); n > 0 && n < room/2 {
		drawString(v, width-n-1, y, it.note, note)
		room -= n + 1
	}
	drawString(v, 1, y, fit(it.text, room, t.Glyphs.Ellipsis), style)
}

func (p *picker) key(m *Model, k input.Key, text string) tea.Cmd {
	move := func(n int) { p.chosen = min(max(p.chosen+n, 0), max(len(p.shown)-1, 0)) }
	switch {
	case closes(k):
		m.pop()
	case k == key("enter"):
		return p.choose(m)
	case k == key("down"), k == key("ctrl+n"), k == key("tab"):
		move(1)
	case k == key("up"), k == key("ctrl+p"), k == key("shift+tab"):
		move(-1)
	case k == key("pgdown"):
		move(p.height)
	case k == key("pgup"):
		move(-p.height)
	case p.field.key(k, text):
		p.narrow()
	}
	return nil
}

func (p *picker) choose(m *Model) tea.Cmd {
	if p.chosen >= len(p.shown) {
		return nil
	}
	m.pop()
	return p.shown[p.chosen].item.run(m)
}

func (p *picker) paste(_ *Model, text string) {
	p.field.insert(text)
	p.narrow()
}

func (p *picker) mouse(m *Model, e input.MouseEvent) tea.Cmd {
	line := e.Y - p.top
	inside := e.Y >= p.top-1 && line < p.height
	switch {
	case e.Kind == input.Wheel:
		p.chosen = min(max(p.chosen+e.DY, 0), max(len(p.shown)-1, 0))
	case e.Kind == input.Press && !inside:
		m.pop()
	case e.Kind == input.Press && line >= 0 && p.first+line < len(p.shown):
		p.chosen = p.first + line
		return p.choose(m)
	}
	return nil
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
