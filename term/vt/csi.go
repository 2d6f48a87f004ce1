package vt

// controlSequence executes the control sequence that was read, whose final byte is b.
func (s *Screen) controlSequence(b byte) {
	pr := &s.parser
	switch {
	case pr.prefix == 0 && pr.inters == 0:
		s.plainCSI(b)
	case pr.inters == 0:
		s.privateCSI(pr.prefix, b)
	case pr.inters == 1:
		s.intermediateCSI(pr.prefix, pr.inter[0], b)
	}
	if s.tables.full() {
		s.compact()
	}
}

func (s *Screen) plainCSI(b byte) {
	pr, c := &s.parser, &s.cur
	n := pr.param(0, 1)
	switch b {
	case 'm':
		s.sgr()
	case 'H', 'f':
		s.moveTo(pr.param(1, 1)-1, n-1)
	case 'A':
		s.up(n)
	case 'B', 'e':
		s.down(n)
	case 'C', 'a':
		s.moveX(c.x + n)
	case 'D':
		s.moveX(c.x - n)
	case 'E':
		s.down(n)
		s.moveX(0)
	case 'F':
		s.up(n)
		s.moveX(0)
	case 'G', '`':
		s.moveX(n - 1)
	case 'd':
		s.moveTo(c.x, n-1)
	case 'I':
		s.tabForward(n)
	case 'Z':
		s.tabBack(n)
	case 'g':
		s.clearTabs(pr.param(0, 0))
	case 'r':
		s.setRegion(n-1, pr.param(1, s.rows)-1)
	case 's':
		s.saveCursor()
	case 'u':
		s.restoreCursor()
	default:
		s.editCSI(b, n)
	}
}

// editCSI are the sequences that change cells, ask, or set modes.
func (s *Screen) editCSI(b byte, n int) {
	pr := &s.parser
	switch b {
	case 'J':
		s.eraseInDisplay(pr.param(0, 0))
	case 'K':
		s.eraseInLine(pr.param(0, 0))
	case 'X':
		s.eraseCells(n)
	case '@':
		s.insertCells(n)
	case 'P':
		s.deleteCells(n)
	case 'L':
		s.insertRows(n)
	case 'M':
		s.deleteRows(n)
	case 'S':
		s.cutBelow(s.bottom)
		s.scrollUp(s.top, s.bottom, n, true)
	case 'T', '^':
		s.scrollDown(s.top, s.bottom, n)
	case 'b':
		s.repeat(n)
	case 'h', 'l':
		for _, v := range pr.list() {
			s.setANSIMode(int(v), b == 'h')
		}
	case 'c':
		if pr.param(0, 0) == 0 {
			s.deviceAttributes()
		}
	case 'n':
		s.statusReport(pr.param(0, 0))
	case 't':
		s.windowOp()
	}
}

func (s *Screen) privateCSI(prefix, b byte) {
	pr := &s.parser
	switch string([]byte{prefix, b}) {
	case "?h", "?l":
		for _, v := range pr.list() {
			s.setPrivateMode(int(v), b == 'h')
		}
	case "?s", "?r":
		s.keepModes(b == 's')
	case "?J":
		s.eraseInDisplay(pr.param(0, 0))
	case "?K":
		s.eraseInLine(pr.param(0, 0))
	case "?n":
		s.privateStatusReport(pr.param(0, 0))
	case ">c", "=c", ">q", "?m":
		s.identify(prefix, b)
	case ">m", ">n":
		s.modifyKeys(b)
	case ">u", "<u", "=u", "?u":
		s.kittyKeys(prefix)
	}
}

func (s *Screen) intermediateCSI(prefix, inter, b byte) {
	pr := &s.parser
	switch string([]byte{inter, b}) {
	case " q":
		if v := pr.param(0, 0); prefix == 0 && v <= cursorStyleMax {
			s.modes.cursorStyle = uint8(v)
		}
	case "!p":
		if prefix == 0 {
			s.softReset()
		}
	case "$p":
		switch prefix {
		case 0:
			s.reportMode("", s.ansiModeState(pr.param(0, 0)))
		case '?':
			s.reportMode("?", s.privateModeState(pr.param(0, 0)))
		}
	}
}
