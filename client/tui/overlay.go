package tui

import (
	"strings"
	"sync"

	"apex/client/tui/input"
	"apex/client/tui/paint"
	"apex/core/cell"

	tea "charm.land/bubbletea/v2"
)

// overlay is something in front of the session that takes all input: a prompt, the picker, help.
// There is one stack of them; the topmost has the input.
type overlay interface {
	// draw draws it over what is in the grid, and returns where the cursor belongs.
	draw(m *Model) paint.Cursor
	key(m *Model, k input.Key, text string) tea.Cmd
	paste(m *Model, text string)
	mouse(m *Model, e input.MouseEvent) tea.Cmd
}

// push puts an overlay in front. One of the same kind is not put there twice.
func (m *Model) push(o overlay) { m.overlays = append(m.overlays, o) }

// pop takes the topmost overlay away.
func (m *Model) pop() {
	if n := len(m.overlays); n > 0 {
		m.overlays = m.overlays[:n-1]
	}
}

// panel fills an area as the ground of an overlay and returns its view.
func (m *Model) panel(area cell.Rect) cell.View {
	v := m.grid.View(area)
	v.Fill(v.Bounds(), cell.New(' ', m.theme.Panel))
	return v
}

// centred returns an area of at most the size given, in the middle of the screen.
func (m *Model) centred(width, height int) cell.Rect {
	w, h := m.grid.Size()
	width, height = min(width, w), min(height, h)
	return cell.Rect{X: (w - width) / 2, Y: (h - height) / 3, W: width, H: height}
}

// field is a line of text that is typed in an overlay.
type field struct {
	text    string
	at      int  // the caret, a byte of text
	offered bool // the text is an offer: typing replaces it
}

// set replaces the text; the caret is behind it.
func (f *field) set(s string) { *f = field{text: s, at: len(s)} }

// offer sets a text that goes when something is typed.
func (f *field) offer(s string) { *f = field{text: s, at: len(s), offered: s != ""} }

func (f *field) insert(s string) {
	if f.offered {
		f.set("")
	}
	f.text = f.text[:f.at] + s + f.text[f.at:]
	f.at += len(s)
}

// key deals with a key that edits the line. It is false for others.
func (f *field) key(k input.Key, text string) bool {
	if text != "" {
		f.insert(text)
		return true
	}
	offered := f.offered
	f.offered = false
	switch {
	case k == key("backspace") && offered:
		f.set("")
	case k == key("left"):
		f.at = f.before()
	case k == key("right"):
		n, _ := paint.First(f.text[f.at:])
		f.at += n
	case k == key("home"), k == key("ctrl+a"):
		f.at = 0
	case k == key("end"), k == key("ctrl+e"):
		f.at = len(f.text)
	case k == key("backspace"):
		at := f.before()
		f.text, f.at = f.text[:at]+f.text[f.at:], at
	case k == key("delete"):
		n, _ := paint.First(f.text[f.at:])
		f.text = f.text[:f.at] + f.text[f.at+n:]
	case k == key("ctrl+u"):
		f.text, f.at = f.text[f.at:], 0
	default:
		f.offered = offered
		return false
	}
	return true
}

// before returns the beginning of the grapheme before the caret.
func (f *field) before() int {
	at := 0
	for at < f.at {
		n, _ := paint.First(f.text[at:])
		if at+n >= f.at {
			break
		}
		at += n
	}
	return at
}

// draw draws the line in a row and returns the cell of the caret. A long line is scrolled so that
// the caret is in sight.
func (f *field) draw(v cell.View, style cell.Style) int {
	width, _ := v.Size()
	v.Fill(v.Bounds(), cell.New(' ', style))
	s, x := f.text, paint.Width(f.text[:f.at])
	for x >= width && s != "" {
		n, w := paint.First(s)
		s, x = s[n:], x-w
	}
	if f.offered {
		style.Attr |= cell.Reverse
	}
	drawString(v, 0, 0, s, style)
	return x
}

// key is a key by its name, for comparisons.
func key(name string) input.Key {
	k, ok := keysByName()[name]
	if !ok {
		panic("tui: no key " + name)
	}
	return k
}

// keysByName are the keys that overlays know.
var keysByName = sync.OnceValue(func() map[string]input.Key {
	out := map[string]input.Key{}
	const names = "left right up down home end pgup pgdown backspace delete enter esc tab " +
		"shift+tab ctrl+home ctrl+end ctrl+a ctrl+c ctrl+e ctrl+f ctrl+n ctrl+p ctrl+q ctrl+u " +
		"alt+c alt+r alt+s alt+w f1 f3 shift+f3"
	for _, name := range strings.Fields(names) {
		k, err := input.ParseKey(name)
		if err != nil {
			panic("tui: " + err.Error())
		}
		out[name] = k
	}
	return out
})

// closes reports whether a key closes overlays.
func closes(k input.Key) bool { return k == key("esc") || k == key("ctrl+c") }
