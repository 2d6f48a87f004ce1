package cell

// View is a rectangle of a grid with its own coordinates, from 0, 0 at its top left. What is drawn
// outside of it is clipped. It is a small value; it must not be used after the grid is resized.
type View struct {
	grid *Grid
	area Rect // where 0, 0 is and how large, in grid coordinates; may lie outside the grid
	clip Rect // the cells that may change, within the grid
}

// View returns a view of r, in v's coordinates. Its size is r's even where v's edges clip it.
func (v View) View(r Rect) View {
	area := r.Move(v.area.X, v.area.Y)
	return View{v.grid, area, v.clip.Intersect(area)}
}

// Size returns the number of columns and rows, including those clipped away.
func (v View) Size() (width, height int) { return max(v.area.W, 0), max(v.area.H, 0) }

// Bounds returns the rectangle of the view in its own coordinates.
func (v View) Bounds() Rect { return Rect{0, 0, max(v.area.W, 0), max(v.area.H, 0)} }

// Clusters returns the table that the view's cells refer to.
func (v View) Clusters() *Clusters { return v.grid.clusters }

// At returns the cell at x, y, a blank where the view is clipped.
func (v View) At(x, y int) Cell {
	x, y = x+v.area.X, y+v.area.Y
	if !v.clip.Contains(x, y) {
		return Cell{}
	}
	return v.grid.At(x, y)
}

// Set puts c at x, y. A lead takes the cell to its right as its tail; when that one is clipped, or
// c is itself a tail, a blank is put instead. Half a wide grapheme that is left over, even one
// just outside the view, becomes a blank in its own style.
func (v View) Set(x, y int, c Cell) {
	x, y = x+v.area.X, y+v.area.Y
	if !v.clip.Contains(x, y) {
		return
	}
	row := v.grid.edit(y)
	switch c.text & kindMask {
	case 0:
		split(row, x)
		split(row, x+1)
		row[x] = c
	case kindLead:
		if !v.clip.Contains(x+1, y) {
			split(row, x)
			split(row, x+1)
			row[x] = c.blank()
			return
		}
		split(row, x)
		split(row, x+2)
		row[x], row[x+1] = c, c.tail()
	default:
		split(row, x)
		split(row, x+1)
		row[x] = c.blank()
	}
}

// split blanks the wide grapheme that lies across the border before column x, if there is one.
func split(row []Cell, x int) {
	if x > 0 && x < len(row) && row[x].Tail() {
		row[x-1], row[x] = row[x-1].blank(), row[x].blank()
	}
}

// SetText puts a grapheme that is width columns wide, 1 or 2, at x, y.
func (v View) SetText(x, y int, grapheme string, width int, s Style) {
	v.Set(x, y, v.grid.clusters.Cell(grapheme, width, s))
}

// Fill makes every cell of r c. A wide or tail c is filled as a blank in its style.
func (v View) Fill(r Rect, c Cell) {
	if c.text&kindMask != 0 {
		c = c.blank()
	}
	r = r.Move(v.area.X, v.area.Y).Intersect(v.clip)
	for y := r.Y; y < r.Y+r.H; y++ {
		row := v.grid.edit(y)
		split(row, r.X)
		split(row, r.X+r.W)
		part := row[r.X : r.X+r.W]
		for i := range part {
			part[i] = c
		}
	}
}

// Restyle changes the look of every cell of r to what f makes of it, and leaves the text. A wide
// grapheme that r cuts changes as a whole, even past the view's edge.
func (v View) Restyle(r Rect, f func(Style) Style) {
	r = r.Move(v.area.X, v.area.Y).Intersect(v.clip)
	for y := r.Y; y < r.Y+r.H; y++ {
		row := v.grid.edit(y)
		x0, x1 := r.X, r.X+r.W
		if row[x0].Tail() {
			x0--
		}
		if row[x1-1].Wide() {
			x1++
		}
		for x := x0; x < x1; x++ {
			row[x] = row[x].WithStyle(f(row[x].Style()))
		}
	}
}
