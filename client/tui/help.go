package tui

import (
	"strings"

	"apex/client/tui/input"
	"apex/client/tui/paint"
	"apex/core/cell"

	tea "charm.land/bubbletea/v2"
)

// help is the page that F1 shows.
type help struct {
	first int // line in sight, of shown
	lines []helpLine
	shown []helpLine // the lines, broken to the width that they were last drawn in
	rows  int        // in sight when last drawn
}

// helpLine is a heading, a key with what it does, or a line of text.
type helpLine struct{ key, text string }

// heading is the key of a heading.
const heading = "\x00"

// helpIntro is for somebody who has never seen acme, a paragraph each.
var helpIntro = []string{
	"Columns hold windows. A window is a text with a tag above it: the name, then words that are " +
		"commands. Any text can be a command: click a word with the middle button, or put the " +
		"caret on it and press Ctrl-E.",
	"",
	"Everything is kept by a daemon. Detach whenever you like; \"apex\" brings you back to this.",
}

var helpMouse = []helpLine{
	{"Left", "select; twice a word or a bracketed text, three times a line"},
	{"Middle, Alt-left", "execute the word, or what you sweep"},
	{"Right, Ctrl-left", "look: open the file (name:line, name:/re/), or find the next"},
	{"Left + middle", "cut what the left button holds"},
	{"Left + right", "paste over what the left button holds"},
	{"Handle of a tag", "click: more room; drag: move the window"},
	{"Border", "drag: make a column wider"},
	{"Scroll bar", "click or drag: go there"},
	{"Wheel", "scroll what is under the pointer"},
}

// helpPrograms is what else can be executed.
var helpPrograms = []helpLine{
	{"make", "any other word runs as a program; what it writes is in the window +Errors"},
	{"|sort", "put the selection through a program"},
	{"<date", "put what a program writes in the selection's place"},
	{">wc", "hand the selection to a program"},
	{"Kill make", "end programs; the top row names those that run"},
	{"New b", "relative names, and programs, are in the window's directory: its terminal's " +
		"own, or its file's; in the top row and columns' tags the session's"},
}

const helpCells = 96

func (m *Model) openHelp() {
	if n := len(m.overlays); n > 0 {
		if _, ok := m.overlays[n-1].(*help); ok {
			return
		}
	}
	h := &help{}
	inTerm := m.termFocus() != nil
	if inTerm { // what is meant by somebody who asks here
		h.terminals(m.prefixName())
		h.lines = append(h.lines, helpLine{})
	}
	for _, s := range helpIntro {
		h.lines = append(h.lines, helpLine{text: s})
	}
	h.heading("Mouse")
	h.lines = append(h.lines, helpMouse...)
	for _, group := range commandGroups {
		h.heading(group)
		for _, c := range commands.all {
			if c.group != group || len(c.keys) == 0 {
				continue
			}
			names := make([]string, len(c.keys))
			for k, name := range c.keys {
				names[k] = showKey(name)
			}
			h.lines = append(h.lines, helpLine{strings.Join(names, ", "), c.title})
		}
		if group == groupRun {
			h.lines = append(h.lines, helpPrograms...)
		}
	}
	if !inTerm {
		h.lines = append(h.lines, helpLine{})
		h.terminals(m.prefixName())
	}
	m.push(h)
}

func (h *help) heading(s string) {
	h.lines = append(h.lines, helpLine{}, helpLine{text: s, key: heading})
}

// helpKeyCells is what the keys have of the width, at most a third.
const helpKeyCells = 24

// breakTo breaks the lines to a width; what a key does goes on under its beginning.
func (h *help) breakTo(width, keyCells int) {
	h.shown = h.shown[:0]
	for _, l := range h.lines {
		if l.key == "" || l.key == heading {
			for _, s := range wrapWords(l.text, max(width-2, 1)) {
				h.shown = append(h.shown, helpLine{l.key, s})
			}
			continue
		}
		keys := wrapWords(l.key, keyCells)
		does := wrapWords(l.text, max(width-keyCells-5, 1))
		for i := range max(len(keys), len(does)) {
			h.shown = append(h.shown, helpLine{at(keys, i, " "), at(does, i, "")})
		}
	}
}

// at returns s[i], or what stands for it beyond the end.
func at(s []string, i int, missing string) string {
	if i < len(s) {
		return s[i]
	}
	return missing
}

func (h *help) draw(m *Model) paint.Cursor {
	_, height := m.grid.Size()
	area := m.centred(helpCells, height)
	v := m.panel(area)
	t := m.theme
	width, rows := v.Size()
	keyCells := min(helpKeyCells, width/3)
	h.breakTo(width, keyCells)
	h.rows = rows - 1
	h.first = min(h.first, max(len(h.shown)-h.rows, 0))
	title := fit("apex: help. Esc closes, arrows scroll.", width-2, t.Glyphs.Ellipsis)
	drawString(v, 1, 0, title, t.PanelKey)
	for y := 1; y < rows && h.first+y-1 < len(h.shown); y++ {
		l := h.shown[h.first+y-1]
		switch l.key {
		case heading:
			drawString(v, 1, y, fit(l.text, width-2, t.Glyphs.Ellipsis), t.PanelKey)
		case "":
			drawString(v, 1, y, fit(l.text, width-2, t.Glyphs.Ellipsis), t.Panel)
		default:
			drawString(v, 3, y, fit(l.key, keyCells, t.Glyphs.Ellipsis), t.PanelKey)
			x := 3 + keyCells + 1
			drawString(v, x, y, fit(l.text, width-x-1, t.Glyphs.Ellipsis), t.Panel)
		}
	}
	if h.first+h.rows < len(h.shown) {
		v.Set(width-1, rows-1, cell.New(t.Glyphs.Ellipsis, t.PanelKey))
	}
	return paint.Cursor{}
}

func (h *help) key(m *Model, k input.Key, text string) tea.Cmd {
	scroll := func(n int) { h.first = max(h.first+n, 0) }
	switch {
	case closes(k), k == key("f1"), k == key("enter"), text == "q":
		m.pop()
	case k == key("down"):
		scroll(1)
	case k == key("up"):
		scroll(-1)
	case k == key("pgdown"), text == " ":
		scroll(h.rows)
	case k == key("pgup"):
		scroll(-h.rows)
	case k == key("home"), k == key("ctrl+home"):
		h.first = 0
	case k == key("end"), k == key("ctrl+end"):
		h.first = len(h.shown)
	case k == key("ctrl+q"):
		m.pop()
		return m.detach()
	}
	return nil
}

func (h *help) paste(*Model, string) {}

func (h *help) mouse(m *Model, e input.MouseEvent) tea.Cmd {
	switch e.Kind {
	case input.Wheel:
		h.first = max(h.first+e.DY, 0)
	case input.Press:
		m.pop()
	}
	return nil
}
