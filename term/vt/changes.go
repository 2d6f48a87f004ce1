package vt

import "iter"

// Point is a moment in a screen's life, between two calls. Its zero value is before every change.
type Point struct {
	gen, scrolls uint64
}

// Point returns the present moment.
func (s *Screen) Point() Point { return Point{s.gen, s.scrolls} }

// Changes tells how to make a copy of the shown rows that was right at the moment since right
// again: move it up by up rows, then replace those that rows names. Switching screens and resizing
// replace every row.
func (s *Screen) Changes(since Point) (up int, rows iter.Seq[int]) {
	if n := s.scrolls - since.scrolls; n < uint64(s.rows) {
		up = int(n)
	}
	return up, func(yield func(int) bool) {
		for y, r := range s.g.rows {
			if r.gen > since.gen && !yield(y) {
				return
			}
		}
	}
}

// SyncStart returns the moment at which the synchronized update that is going on began (mode 2026).
// The rows are being changed meanwhile; an owner shows what it had, with a time limit of its own.
func (s *Screen) SyncStart() (Point, bool) { return s.syncStart, s.modes.has(modeSync) }
