package cell

// Rect is a rectangle of cells: W columns from X and H rows from Y. One with W or H below 1 is
// empty.
type Rect struct{ X, Y, W, H int }

// Empty reports whether r has no cells.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether the cell at x, y is in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && y >= r.Y && x-r.X < r.W && y-r.Y < r.H
}

// Intersect returns the cells that are in both, the zero Rect when there are none.
func (r Rect) Intersect(s Rect) Rect {
	x, y := max(r.X, s.X), max(r.Y, s.Y)
	t := Rect{x, y, min(r.X+r.W, s.X+s.W) - x, min(r.Y+r.H, s.Y+s.H) - y}
	if t.Empty() {
		return Rect{}
	}
	return t
}

// Move returns r with its corner moved by dx columns and dy rows.
func (r Rect) Move(dx, dy int) Rect { return Rect{r.X + dx, r.Y + dy, r.W, r.H} }
