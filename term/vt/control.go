package vt

// control executes a C0 control character.
func (s *Screen) control(b byte) {
	c := &s.cur
	s.last.fresh = false
	switch b {
	case 0x07:
		s.bells++
	case 0x08:
		s.moveX(c.x - 1)
	case 0x09:
		s.tabForward(1)
	case 0x0A, 0x0B, 0x0C:
		if s.modes.has(modeNewline) {
			c.x = 0
		}
		s.index()
	case 0x0D:
		s.moveX(0)
	case 0x0E:
		c.gl = 1
	case 0x0F:
		c.gl = 0
	}
}

// escapeSequence executes ESC, the intermediates that were read, and b.
func (s *Screen) escapeSequence(b byte) {
	pr := &s.parser
	switch {
	case pr.inters == 0:
		s.escapeFinal(b)
	case pr.inters > 1:
	case pr.inter[0] == '#' && b == '8':
		s.alignmentTest()
	case pr.inter[0] >= '(' && pr.inter[0] <= '+':
		s.designate(pr.inter[0]-'(', b)
	}
}

func (s *Screen) escapeFinal(b byte) {
	c := &s.cur
	switch b {
	case '7':
		s.saveCursor()
	case '8':
		s.restoreCursor()
	case 'D':
		s.index()
	case 'E':
		s.moveX(0)
		s.index()
	case 'H':
		s.tabs[c.x] = true
	case 'M':
		s.reverseIndex()
	case 'N', 'O':
		c.single = b - 'N' + 2
	case 'Z':
		s.deviceAttributes()
	case 'c':
		s.fullReset()
	case 'n', 'o':
		c.gl = b - 'n' + 2
	case '=':
		s.modes.set(modeKeypad, true)
	case '>':
		s.modes.set(modeKeypad, false)
	}
}

// designate makes set n what the final byte names; one that is not known is ASCII.
func (s *Screen) designate(n, final byte) {
	if final != '0' && final != 'A' {
		final = 'B'
	}
	s.cur.charsets[n] = final
}

func (s *Screen) saveCursor() { s.g.saved = s.cur }

// restoreCursor goes back to what was saved on this screen, or to the home position.
func (s *Screen) restoreCursor() {
	s.cur = s.g.saved
	s.setPen(s.cur.pen)
}

// alignmentTest fills the screen with E.
func (s *Screen) alignmentTest() {
	s.top, s.bottom = 0, s.rows-1
	s.cur.origin = false
	s.moveTo(0, 0)
	s.cutAbove(0)
	for _, r := range s.g.rows {
		r.reset(0, s.gen)
		for x := range r.cells {
			r.cells[x] = makeGlyph('E', 0)
		}
		r.used = s.cols
	}
}

// softReset is DECSTR.
func (s *Screen) softReset() {
	saved := s.cur
	s.cur = homeCursor()
	s.cur.x, s.cur.y = saved.x, saved.y
	s.setPen(look{})
	s.g.saved = homeCursor()
	s.top, s.bottom = 0, s.rows-1
	m := &s.modes
	for _, mode := range []mode{modeInsert, modeAppCursor, modeKeypad, modeBlink} {
		m.set(mode, false)
	}
	m.set(modeVisible, true)
	m.set(modeAutowrap, true)
	m.cursorStyle = 0
	m.modifyKeys = 0
	s.g.kitty = nil
}

// fullReset is RIS. History stays: programs send this to get rid of a mess, not of what was said.
func (s *Screen) fullReset() {
	s.useGrid(&s.main)
	s.cur = homeCursor()
	s.setPen(look{})
	s.eraseAll()
	s.main.saved, s.alt.saved = homeCursor(), homeCursor()
	s.main.kitty, s.alt.kitty = nil, nil
	s.top, s.bottom = 0, s.rows-1
	s.tabs = defaultTabs(nil, s.cols)
	s.modes, s.savedModes = defaultModes, defaultModes
	s.last = lastPrinted{}
	s.title, s.titles = "", nil
	s.progress = Progress{}
	s.resetColours()
}

const tabWidth = 8

// defaultTabs returns tabs for cols columns: those of before, and default stops in new columns.
func defaultTabs(before []bool, cols int) []bool {
	tabs := make([]bool, cols)
	for x := copy(tabs, before); x < cols; x++ {
		tabs[x] = x%tabWidth == 0
	}
	return tabs
}

func (s *Screen) tabForward(n int) {
	x := s.cur.x
	for ; n > 0 && x < s.cols-1; n-- {
		for x++; x < s.cols-1 && !s.tabs[x]; x++ {
		}
	}
	s.cur.x = x
}

func (s *Screen) tabBack(n int) {
	x := s.cur.x
	for ; n > 0 && x > 0; n-- {
		for x--; x > 0 && !s.tabs[x]; x-- {
		}
	}
	s.moveX(x)
}

func (s *Screen) clearTabs(which int) {
	switch which {
	case 0:
		s.tabs[s.cur.x] = false
	case 3:
		clear(s.tabs)
	}
}
