package tui

import (
	"strings"

	"apex/client/tui/input"
	"apex/client/tui/paint"

	tea "charm.land/bubbletea/v2"
)

// offers are commands that a tag has beside its text, while they are what one needs: where the file
// changed on disk under unsaved changes.
func (f tagFlags) offers() []string {
	if f.stale {
		return []string{"Get -f", "Merge"}
	}
	return nil
}

// offerAt returns the command at a cell of a window's tag beside its text; empty if there is none.
func (m *Model) offerAt(w *placedWindow, x int) string {
	win := m.session.Window(w.id)
	if win == nil || win.Term != 0 {
		return ""
	}
	f := m.flags(win)
	words := f.words(w.tag.W)
	cell := x - (w.tag.X + w.tag.W - paint.Width(words)) // all of the words are ASCII
	for _, c := range f.offers() {
		if at := strings.Index(words, " "+c+" "); at >= 0 && cell > at && cell <= at+len(c) {
			return c
		}
	}
	return ""
}

// liftOffer ends a click, by the left button or the middle one, on a command beside a tag's text.
func (m *Model) liftOffer(g gesture, e input.MouseEvent) tea.Cmd {
	if g.button == input.B3 || m.hit(e.X, e.Y).offer != g.hit.offer {
		return nil
	}
	return m.execIn(g.hit.view, g.hit.offer)
}
