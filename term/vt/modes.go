package vt

// mode is one of the modes that are on or off.
type mode uint32

const (
	modeInsert    mode = 1 << iota // IRM
	modeNewline                    // LNM
	modeAppCursor                  // DECCKM
	modeReverse                    // DECSCNM
	modeAutowrap                   // DECAWM
	modeBlink                      // att610
	modeVisible                    // DECTCEM
	modeKeypad                     // DECNKM
	modeFocus                      // 1004
	modeAltScroll                  // 1007
	modePaste                      // 2004
	modeSync                       // 2026
	modeScheme                     // 2031
	modesEnd                       // one past the last
)

// modes is all that a program can switch, except what belongs to the cursor and kitty's keys.
type modes struct {
	on          mode
	mouse       MouseMode
	mouseForm   MouseEncoding
	cursorStyle uint8 // of DECSCUSR
	modifyKeys  uint8
}

const (
	cursorStyleMax = 6
	modifyKeysMax  = 3
)

var defaultModes = modes{on: modeAutowrap | modeVisible | modeAltScroll}

func (m *modes) has(b mode) bool { return m.on&b != 0 }

func (m *modes) set(b mode, on bool) {
	if on {
		m.on |= b
	} else {
		m.on &^= b
	}
}

// MouseMode says which of the mouse's doings a program wants to know.
type MouseMode uint8

// The mouse modes, by the numbers of their private modes.
const (
	MouseOff    MouseMode = iota
	MousePress            // 9: presses, without modifiers
	MouseClick            // 1000: presses and releases
	MouseDrag             // 1002: also motion while a button is down
	MouseMotion           // 1003: all motion
)

// MouseEncoding is the form in which it wants it.
type MouseEncoding uint8

// The encodings, by the numbers of their private modes.
const (
	MouseLegacy    MouseEncoding = iota
	MouseUTF8                    // 1005
	MouseSGR                     // 1006
	MouseURXVT                   // 1015
	MouseSGRPixels               // 1016
)

// Modes is what whoever draws a screen or sends it input must know.
type Modes struct {
	AppCursor    bool // cursor keys send SS3
	AppKeypad    bool
	Paste        bool // pastes are bracketed
	Focus        bool // focus changes are reported
	AltScreen    bool
	AltScroll    bool // on the alternate screen the wheel sends cursor keys
	Sync         bool // an update is going on, see SyncStart
	Reverse      bool // the whole screen is drawn in reverse
	Autowrap     bool
	Origin       bool
	Insert       bool
	Newline      bool // Return sends CR LF
	ColourScheme bool // changes between dark and light are reported, see SetColours
	Mouse        MouseMode
	MouseForm    MouseEncoding
	KittyKeys    uint8 // flags of the kitty keyboard protocol
	ModifyKeys   uint8 // xterm's modifyOtherKeys, 0 to 3
}

// Modes returns the modes.
func (s *Screen) Modes() Modes {
	m := &s.modes
	return Modes{
		AppCursor: m.has(modeAppCursor), AppKeypad: m.has(modeKeypad), Paste: m.has(modePaste),
		Focus: m.has(modeFocus), AltScreen: s.g == &s.alt, AltScroll: m.has(modeAltScroll),
		Sync: m.has(modeSync), Reverse: m.has(modeReverse), Autowrap: m.has(modeAutowrap),
		Origin: s.cur.origin, Insert: m.has(modeInsert), Newline: m.has(modeNewline),
		ColourScheme: m.has(modeScheme), Mouse: m.mouse, MouseForm: m.mouseForm,
		KittyKeys: s.kittyFlags(), ModifyKeys: m.modifyKeys,
	}
}

// privateMode returns the bit of private mode n, or 0.
func privateMode(n int) mode {
	switch n {
	case 1:
		return modeAppCursor
	case 5:
		return modeReverse
	case 7:
		return modeAutowrap
	case 12:
		return modeBlink
	case 25:
		return modeVisible
	case 66:
		return modeKeypad
	case 1004:
		return modeFocus
	case 1007:
		return modeAltScroll
	case 2004:
		return modePaste
	case 2026:
		return modeSync
	case 2031:
		return modeScheme
	}
	return 0
}

func mouseMode(n int) MouseMode {
	switch n {
	case 9:
		return MousePress
	case 1000:
		return MouseClick
	case 1002:
		return MouseDrag
	case 1003:
		return MouseMotion
	}
	return MouseOff
}

func mouseEncoding(n int) MouseEncoding {
	switch n {
	case 1005:
		return MouseUTF8
	case 1006:
		return MouseSGR
	case 1015:
		return MouseURXVT
	case 1016:
		return MouseSGRPixels
	}
	return MouseLegacy
}

func ansiMode(n int) mode {
	switch n {
	case 4:
		return modeInsert
	case 20:
		return modeNewline
	}
	return 0
}

func (s *Screen) setANSIMode(n int, on bool) { s.modes.set(ansiMode(n), on) }

func (s *Screen) setPrivateMode(n int, on bool) {
	m := &s.modes
	switch {
	case n == 2026:
		if on && !m.has(modeSync) {
			s.syncStart = s.Point()
		}
		m.set(modeSync, on)
	case privateMode(n) != 0:
		m.set(privateMode(n), on)
	case mouseMode(n) != MouseOff:
		m.mouse = MouseOff
		if on {
			m.mouse = mouseMode(n)
		}
	case mouseEncoding(n) != MouseLegacy:
		m.mouseForm = MouseLegacy
		if on {
			m.mouseForm = mouseEncoding(n)
		}
	case n == 6:
		s.cur.origin = on
		s.moveTo(0, 0)
	default:
		s.setScreen(n, on)
	}
}

// setScreen switches between the main and the alternate screen.
func (s *Screen) setScreen(n int, on bool) {
	switch {
	case n == 1048 && on:
		s.saveCursor()
	case n == 1048:
		s.restoreCursor()
	case n != 47 && n != 1047 && n != 1049:
	case on && s.g == &s.main:
		if n == 1049 {
			s.saveCursor()
		}
		s.useGrid(&s.alt)
		if n == 1049 {
			s.eraseAll()
		}
	case !on && s.g == &s.alt:
		if n == 1047 {
			s.eraseAll()
		}
		s.useGrid(&s.main)
		if n == 1049 {
			s.restoreCursor()
		}
	case !on && n == 1049:
		s.restoreCursor()
	}
}

// useGrid shows g. The cursor stays where it is.
func (s *Screen) useGrid(g *grid) {
	if s.g == g {
		return
	}
	if g.rows == nil {
		saved, kitty := g.saved, g.kitty
		*g = newGrid(s.cols, s.rows, s.gen)
		g.saved, g.kitty = saved, kitty
	}
	s.g = g
	s.touchAll()
}

// keepModes is XTSAVE and XTRESTORE of the modes that are listed.
func (s *Screen) keepModes(save bool) {
	from, to := s.savedModes, &s.modes
	if save {
		from, to = s.modes, &s.savedModes
	}
	for _, v := range s.parser.list() {
		n := int(v)
		switch {
		case privateMode(n) != 0:
			to.set(privateMode(n), from.has(privateMode(n)))
		case mouseMode(n) != MouseOff:
			to.mouse = from.mouse
		case mouseEncoding(n) != MouseLegacy:
			to.mouseForm = from.mouseForm
		}
	}
}

// modeState is a mode's number and what DECRPM says of it.
type modeState struct{ number, value int }

const (
	modeUnknown  = 0
	modeOn       = 1
	modeOff      = 2
	modeAlwaysOn = 3
)

func stateOf(n int, on bool) modeState {
	if on {
		return modeState{n, modeOn}
	}
	return modeState{n, modeOff}
}

func (s *Screen) ansiModeState(n int) modeState {
	if ansiMode(n) == 0 {
		return modeState{n, modeUnknown}
	}
	return stateOf(n, s.modes.has(ansiMode(n)))
}

func (s *Screen) privateModeState(n int) modeState {
	m := &s.modes
	switch {
	case privateMode(n) != 0:
		return stateOf(n, m.has(privateMode(n)))
	case mouseMode(n) != MouseOff:
		return stateOf(n, m.mouse == mouseMode(n))
	case mouseEncoding(n) != MouseLegacy:
		return stateOf(n, m.mouseForm == mouseEncoding(n))
	}
	switch n {
	case 6:
		return stateOf(n, s.cur.origin)
	case 47, 1047, 1049:
		return stateOf(n, s.g == &s.alt)
	case 1048:
		return stateOf(n, true)
	case 2027:
		return modeState{n, modeAlwaysOn} // graphemes are always clusters
	}
	return modeState{n, modeUnknown}
}
