package tui

import (
	"apex/client/tui/input"
	"apex/core"
	"apex/core/edit"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// termGrab is a gesture of the mouse that belongs to a terminal's program: from the press of the
// first button to the release of the last.
type termGrab struct {
	view core.View
	held []uint8 // buttons
	x, y int     // cell of the terminal where the mouse was last
}

// The numbers of the mouse's buttons and of what they do, as programs are told them.
const (
	termNoButton = iota
	termLeft
	termMiddle
	termRight
	termWheelUp
	termWheelDown
	termWheelLeft
	termWheelRight
	termBackward
	termForward
)

const (
	termPress = iota
	termRelease
	termMotion
)

var termButtons = map[tea.MouseButton]uint8{
	tea.MouseLeft: termLeft, tea.MouseMiddle: termMiddle, tea.MouseRight: termRight,
	tea.MouseWheelUp: termWheelUp, tea.MouseWheelDown: termWheelDown,
	tea.MouseWheelLeft: termWheelLeft, tea.MouseWheelRight: termWheelRight,
	tea.MouseBackward: termBackward, tea.MouseForward: termForward,
}

// programMouse gives an event of the mouse to the program that it is for: one that asked for the
// mouse and is under it, unless Shift is held. false leaves it to the interface.
func (m *Model) programMouse(msg tea.MouseMsg) bool {
	e := msg.Mouse()
	if _, press := msg.(tea.MouseClickMsg); press {
		m.terms.prefix = false
	}
	if g := &m.terms.grab; len(g.held) > 0 {
		m.goOnGrab(g, msg, e)
		return true
	}
	if len(m.overlays) > 0 || e.Mod&tea.ModShift != 0 || m.gesture.button != input.NoButton ||
		m.mayNot() {
		return false
	}
	h := m.hit(e.X, e.Y)
	if h.kind != hitTerm {
		return false
	}
	p := m.termPane(h.view)
	x, y := p.cellAt(e.X, e.Y)
	if p.t == nil || p.scrolled || p.t.Exit.Done || x >= p.t.Cols || y >= p.t.Rows {
		return false
	}
	button, want := termButtons[e.Button], p.t.Modes.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		if want == core.MouseNone || button == termNoButton {
			return false
		}
		m.message = message{}
		m.setFocus(h.view)
		m.terms.grab = termGrab{h.view, []uint8{button}, x, y}
		m.mouseTo(p, button, termPress, x, y, e.Mod, 0)
		return true
	case tea.MouseWheelMsg:
		const both = core.TermAltScreen | core.TermAltScroll
		if want == core.MouseNone && p.t.Modes&both != both {
			return false
		}
		m.mouseTo(p, button, termPress, x, y, e.Mod, input.WheelLines)
		return true
	case tea.MouseMotionMsg:
		g := &m.terms.grab
		if want == core.MouseMotion && button == termNoButton && (x != g.x || y != g.y) {
			g.x, g.y = x, y
			m.mouseTo(p, button, termMotion, x, y, e.Mod, 0)
			return true
		}
	}
	return false
}

// goOnGrab goes on with a gesture that belongs to a program. Releases that the terminal lost are
// made up for.
func (m *Model) goOnGrab(g *termGrab, msg tea.MouseMsg, e tea.Mouse) {
	p := m.termPane(g.view)
	if p == nil || p.t == nil {
		*g = termGrab{}
		return
	}
	x, y := p.cellAt(e.X, e.Y)
	x, y = min(x, p.t.Cols-1), min(y, p.t.Rows-1)
	button := termButtons[e.Button]
	moved := x != g.x || y != g.y
	g.x, g.y = x, y
	switch msg.(type) {
	case tea.MouseClickMsg:
		g.drop(button)
		g.held = append(g.held, button)
		m.mouseTo(p, button, termPress, x, y, e.Mod, 0)
	case tea.MouseReleaseMsg:
		if button == termNoButton {
			m.endGrab(p, g, e.Mod)
			return
		}
		g.drop(button)
		m.mouseTo(p, button, termRelease, x, y, e.Mod, 0)
	case tea.MouseMotionMsg:
		if button == termNoButton {
			m.endGrab(p, g, e.Mod)
			return
		}
		if moved && p.t.Modes.Mouse() >= core.MouseDrags {
			m.mouseTo(p, g.held[0], termMotion, x, y, e.Mod, 0)
		}
	case tea.MouseWheelMsg:
		m.mouseTo(p, button, termPress, x, y, e.Mod, input.WheelLines)
	}
}

// endGrab releases all buttons.
func (m *Model) endGrab(p *termPane, g *termGrab, mod tea.KeyMod) {
	for _, b := range g.held {
		m.mouseTo(p, b, termRelease, g.x, g.y, mod, 0)
	}
	g.held = nil
}

func (g *termGrab) drop(button uint8) {
	for i, b := range g.held {
		if b == button {
			g.held = append(g.held[:i], g.held[i+1:]...)
			return
		}
	}
}

// mouseTo tells a program of the mouse. What the program did not ask for is left out where it is
// encoded.
func (m *Model) mouseTo(
	p *termPane, button, action uint8, x, y int, mod tea.KeyMod, lines int,
) {
	e := proto.Mouse{Button: button, Action: action, X: max(x, 0), Y: max(y, 0),
		Mods: protoMods(mod)}
	m.inputTo(p, proto.TermInput{Kind: proto.InputMouse, Mouse: e, Lines: lines})
}

// cellAt returns the cell of the grid at a cell of the screen.
func (p *termPane) cellAt(x, y int) (int, int) {
	return max(x-p.area.X, 0) + p.left, max(y-p.area.Y, 0) + p.top
}

// pressTerm begins a gesture of the interface's in a terminal: B1 selects, B2 and B3 sweep.
func (m *Model) pressTerm(e input.MouseEvent) {
	g := &m.gesture
	p := m.termPane(g.hit.view)
	if p == nil || p.t == nil || len(p.rows) == 0 {
		g.hit.kind = hitNothing
		return
	}
	s := p.spotAt(e.X, e.Y)
	g.from, g.to = s, s
	if e.Button != input.B1 {
		return
	}
	m.setFocus(p.view)
	switch {
	case e.Clicks >= 2:
		g.from, g.to = p.expand(s, e.Clicks)
		p.sel = termSel{g.from, g.to}
	case e.Mod&tea.ModShift != 0 && !p.sel.empty():
		g.from, g.to = p.sel.anchor, p.sel.anchor
		p.sel.head = s
	default:
		p.sel = termSel{s, s}
	}
}

// dragTerm sweeps a terminal's text. Beyond its edge it scrolls, a row for each move.
func (m *Model) dragTerm(e input.MouseEvent) {
	g := &m.gesture
	p := m.termPane(g.hit.view)
	if p == nil || p.t == nil || len(p.rows) == 0 {
		return
	}
	switch {
	case e.Y < p.area.Y:
		m.scrollTerm(p, -1)
	case e.Y >= p.area.Y+p.area.H && p.scrolled:
		m.scrollTerm(p, 1)
	}
	s := p.spotAt(e.X, e.Y)
	if g.button != input.B1 {
		p.sweep, p.with = termSel{g.from, s}, g.button
		return
	}
	from, to := s, s
	if g.clicks >= 2 {
		from, to = p.expand(s, g.clicks)
	}
	if s.less(g.from) {
		p.sel = termSel{g.to, from}
	} else {
		p.sel = termSel{g.from, to}
		if to.less(g.to) {
			p.sel.head = g.to
		}
	}
}

// liftTerm ends a click or a sweep in a terminal.
func (m *Model) liftTerm(g gesture) tea.Cmd {
	p := m.termPane(g.hit.view)
	if p == nil || p.t == nil {
		return nil
	}
	swept := p.sweep
	p.sweep = termSel{}
	switch g.button {
	case input.B2:
		arg := ""
		if g.arg {
			arg = m.selected()
		}
		return m.executeTerm(p, g.from, swept, arg)
	case input.B3:
		return m.lookTerm(p, g.from, swept)
	}
	return nil
}

// expand returns what two or three clicks at a place select: a word, or the line.
func (p *termPane) expand(s termSpot, clicks int) (from, to termSpot) {
	if clicks > 2 {
		return termSpot{line: s.line}, termSpot{line: s.line + 1}
	}
	runs, ok := p.lineRuns(s.line)
	if !ok {
		return s, s
	}
	l := newTermText(runs)
	q0, q1 := edit.DoubleClick(l.text, l.rune(s.col))
	return termSpot{s.line, l.col(q0)}, termSpot{s.line, l.col(q1)}
}

// unsweep takes back what B2 or B3 was swept over.
func (m *Model) unsweep(g gesture) {
	if p := m.termPane(g.hit.view); p != nil {
		p.sweep = termSel{}
	}
}
