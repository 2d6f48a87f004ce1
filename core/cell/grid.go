package cell

// Grid is a screenful of cells. Its lead and tail cells always pair.
type Grid struct {
	width, height int
	cells         []Cell // row after row
	touched       []bool // by row, since the last Settle
	clusters      *Clusters
}

// NewGrid returns a grid of blanks, width columns and height rows, neither below zero. Its cells
// hold clusters of the table given; nil makes a table of its own.
func NewGrid(width, height int, clusters *Clusters) *Grid {
	if clusters == nil {
		clusters = &Clusters{}
	}
	g := &Grid{clusters: clusters}
	g.Resize(width, height)
	return g
}

// Resize makes every cell blank in the new size. It keeps the memory when it can.
func (g *Grid) Resize(width, height int) {
	g.width, g.height = max(width, 0), max(height, 0)
	g.touchAll()
	n := g.width * g.height
	if cap(g.cells) < n {
		g.cells = make([]Cell, n)
		return
	}
	g.cells = g.cells[:n]
	clear(g.cells)
}

// Size returns the number of columns and rows.
func (g *Grid) Size() (width, height int) { return g.width, g.height }

// Bounds returns the rectangle of all cells.
func (g *Grid) Bounds() Rect { return Rect{0, 0, g.width, g.height} }

// Clusters returns the table that g's cells refer to.
func (g *Grid) Clusters() *Clusters { return g.clusters }

// At returns the cell at x, y, a blank outside the grid.
func (g *Grid) At(x, y int) Cell {
	if x < 0 || y < 0 || x >= g.width || y >= g.height {
		return Cell{}
	}
	return g.cells[y*g.width+x]
}

// Row returns row y, which must be in the grid. The slice is the grid's own: read it only, and not
// after the next change.
func (g *Grid) Row(y int) []Cell {
	return g.cells[y*g.width : (y+1)*g.width : (y+1)*g.width]
}

// Text returns row y as a string with the blanks at its end, for tests and messages.
func (g *Grid) Text(y int) string {
	var b []byte
	for _, c := range g.Row(y) {
		b = append(b, g.clusters.Text(c)...)
	}
	return string(b)
}

// Copy makes g the same as src: size, cells and table.
func (g *Grid) Copy(src *Grid) {
	g.width, g.height, g.clusters = src.width, src.height, src.clusters
	g.cells = append(g.cells[:0], src.cells...)
	g.touchAll()
}

// Touched reports whether anything was drawn in row y since the last Settle; that may be what was
// there.
func (g *Grid) Touched(y int) bool { return g.touched[y] }

// Settle is for who shows the grid and has seen all of it.
func (g *Grid) Settle() { clear(g.touched) }

// edit returns row y, which is about to change.
func (g *Grid) edit(y int) []Cell {
	g.touched[y] = true
	return g.Row(y)
}

func (g *Grid) touchAll() {
	if cap(g.touched) < g.height {
		g.touched = make([]bool, g.height)
	}
	g.touched = g.touched[:g.height]
	for y := range g.touched {
		g.touched[y] = true
	}
}

// Set puts c at x, y. See View.Set.
func (g *Grid) Set(x, y int, c Cell) { g.All().Set(x, y, c) }

// Fill makes every cell of r that is in the grid c. See View.Fill.
func (g *Grid) Fill(r Rect, c Cell) { g.All().Fill(r, c) }

// All returns a view of the whole grid.
func (g *Grid) All() View { return View{g, g.Bounds(), g.Bounds()} }

// View returns a view of r. See View.View.
func (g *Grid) View(r Rect) View { return g.All().View(r) }
