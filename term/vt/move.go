package vt

// moveX goes to column x of the row, or the nearest there is.
func (s *Screen) moveX(x int) {
	s.cur.x = min(max(x, 0), s.cols-1)
	s.cur.pending = false
}

// moveTo goes to x, y, which count from the top left of the region in origin mode.
func (s *Screen) moveTo(x, y int) {
	low, high := 0, s.rows-1
	if s.cur.origin {
		low, high = s.top, s.bottom
		y += s.top
	}
	s.cur.y = min(max(y, low), high)
	s.moveX(x)
}

// originY is the row that moveTo counts from.
func (s *Screen) originY() int {
	if s.cur.origin {
		return s.top
	}
	return 0
}

// up goes n rows up, but not out of the region.
func (s *Screen) up(n int) {
	limit := 0
	if s.cur.y >= s.top {
		limit = s.top
	}
	s.cur.y = max(s.cur.y-n, limit)
	s.cur.pending = false
}

// down goes n rows down, but not out of the region.
func (s *Screen) down(n int) {
	limit := s.rows - 1
	if s.cur.y <= s.bottom {
		limit = s.bottom
	}
	s.cur.y = min(s.cur.y+n, limit)
	s.cur.pending = false
}

// index goes one row down and scrolls the region at its end.
func (s *Screen) index() {
	s.cur.pending = false
	switch {
	case s.cur.y == s.bottom:
		s.cutBelow(s.bottom)
		s.scrollUp(s.top, s.bottom, 1, true)
	case s.cur.y < s.rows-1:
		s.cur.y++
	}
}

// reverseIndex goes one row up and scrolls the region back at its start.
func (s *Screen) reverseIndex() {
	s.cur.pending = false
	switch {
	case s.cur.y == s.top:
		s.scrollDown(s.top, s.bottom, 1)
	case s.cur.y > 0:
		s.cur.y--
	}
}

// setRegion makes rows top to bottom, from 0, the scrolling region, if there are two of them.
func (s *Screen) setRegion(top, bottom int) {
	bottom = min(bottom, s.rows-1)
	if top >= bottom && (top > 0 || bottom < s.rows-1) {
		return
	}
	s.top, s.bottom = top, bottom
	s.moveTo(0, 0)
}

// cutBelow ends the line of row y there.
func (s *Screen) cutBelow(y int) {
	if r := s.g.rows[y]; r.wrapped {
		r.wrapped, r.gen = false, s.gen
	}
}

// cutAbove makes row y begin a line.
func (s *Screen) cutAbove(y int) {
	switch {
	case y > 0:
		s.cutBelow(y - 1)
	case s.g == &s.main:
		s.history.close()
	}
}

// scrollUp moves the rows top to bottom up by n. When feed is set and they begin at the top of the
// main screen, those that leave go to the history.
func (s *Screen) scrollUp(top, bottom, n int, feed bool) {
	n = min(n, bottom-top+1)
	if n <= 0 {
		return
	}
	rows := s.g.rows
	if feed = feed && top == 0 && s.g == &s.main; feed {
		for _, r := range rows[:n] {
			s.retire(r)
		}
	} else {
		s.cutAbove(top)
	}
	if n == 1 {
		r := rows[top]
		copy(rows[top:bottom], rows[top+1:bottom+1])
		rows[bottom] = r
	} else {
		rotate(rows[top:bottom+1], n)
	}
	for _, r := range rows[bottom+1-n : bottom+1] {
		r.reset(s.eraseID, s.gen)
	}
	if top == 0 && bottom == s.rows-1 {
		s.scrolls += uint64(n)
		return
	}
	for _, r := range rows[top : bottom+1] {
		r.gen = s.gen
	}
}

// scrollDown moves the rows top to bottom down by n; those that leave are lost.
func (s *Screen) scrollDown(top, bottom, n int) {
	n = min(n, bottom-top+1)
	if n <= 0 {
		return
	}
	s.cutAbove(top)
	rows := s.g.rows[top : bottom+1]
	if bottom-n >= top {
		s.cutBelow(bottom - n)
	}
	rotate(rows, len(rows)-n)
	for _, r := range rows[:n] {
		r.reset(s.eraseID, s.gen)
	}
	for _, r := range rows {
		r.gen = s.gen
	}
}

// rotate moves the first n rows to the end.
func rotate(rows []*row, n int) {
	first := append([]*row(nil), rows[:n]...)
	copy(rows, rows[n:])
	copy(rows[len(rows)-n:], first)
}
