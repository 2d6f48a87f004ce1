package vt

// erase blanks columns x0 to x1 of row y.
func (s *Screen) erase(y, x0, x1 int) {
	r := s.g.rows[y]
	r.split(x0)
	r.split(x1)
	r.fill(x0, x1, s.eraseID)
	if x1 == s.cols {
		r.wrapped = false
	}
	r.gen = s.gen
}

// eraseRows blanks rows y0 to y1 and forgets the marks on them.
func (s *Screen) eraseRows(y0, y1 int) {
	if y0 >= y1 {
		return
	}
	s.cutAbove(y0)
	for _, r := range s.g.rows[y0:y1] {
		r.reset(s.eraseID, s.gen)
	}
}

func (s *Screen) eraseAll() { s.eraseRows(0, s.rows) }

// eraseInLine is EL.
func (s *Screen) eraseInLine(which int) {
	c := &s.cur
	c.pending = false
	switch which {
	case 0:
		s.erase(c.y, c.x, s.cols)
	case 1:
		s.erase(c.y, 0, c.x+1)
	case 2:
		s.erase(c.y, 0, s.cols)
	}
}

// eraseInDisplay is ED.
func (s *Screen) eraseInDisplay(which int) {
	c := &s.cur
	switch which {
	case 0:
		c.pending = false
		if c.x == 0 {
			s.cutAbove(c.y)
		}
		s.erase(c.y, c.x, s.cols) // marks stay: shells do this after that of their prompt
		s.eraseRows(c.y+1, s.rows)
	case 1:
		c.pending = false
		s.eraseRows(0, c.y)
		s.erase(c.y, 0, c.x+1)
	case 2:
		c.pending = false
		s.eraseAll()
	case 3:
		s.Clear()
	case 22: // kitty's: as 2, but what is there goes to the history first
		c.pending = false
		s.scrollUp(0, s.contentEnd(), s.rows, true)
		s.eraseAll()
	}
}

// contentEnd is the last row with something on it, or 0.
func (s *Screen) contentEnd() int {
	for y := s.rows - 1; y > 0; y-- {
		if len(s.g.rows[y].line()) > 0 {
			return y
		}
	}
	return 0
}

// eraseCells is ECH.
func (s *Screen) eraseCells(n int) {
	s.cur.pending = false
	s.erase(s.cur.y, s.cur.x, min(s.cur.x+n, s.cols))
}

// insertCells is ICH: it moves the cells from the cursor on n to the right.
func (s *Screen) insertCells(n int) {
	c := &s.cur
	c.pending = false
	r := s.row()
	n = min(n, s.cols-c.x)
	r.split(c.x)
	r.split(s.cols - n)
	copy(r.cells[c.x+n:], r.cells[c.x:s.cols-n])
	if r.used > c.x {
		r.used = min(r.used+n, s.cols)
	}
	r.fill(c.x, c.x+n, s.eraseID)
	r.wrapped, r.gen = false, s.gen
}

// deleteCells is DCH: it moves the cells after the next n to the cursor.
func (s *Screen) deleteCells(n int) {
	c := &s.cur
	c.pending = false
	r := s.row()
	n = min(n, s.cols-c.x)
	r.split(c.x)
	r.split(c.x + n)
	r.unpad()
	copy(r.cells[c.x:], r.cells[c.x+n:])
	r.fill(s.cols-n, s.cols, s.eraseID)
	r.wrapped, r.gen = false, s.gen
}

// insertRows is IL, deleteRows DL. Outside of the region they do nothing.
func (s *Screen) insertRows(n int) {
	if c := &s.cur; c.y >= s.top && c.y <= s.bottom {
		s.scrollDown(c.y, s.bottom, n)
		s.moveX(0)
	}
}

func (s *Screen) deleteRows(n int) {
	if c := &s.cur; c.y >= s.top && c.y <= s.bottom {
		s.cutBelow(s.bottom)
		s.scrollUp(c.y, s.bottom, n, false)
		s.moveX(0)
	}
}
