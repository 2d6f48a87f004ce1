package cell

// Colour is the default colour, one of a palette of 256, or 24-bit RGB, packed in 32 bits.
// The zero value is the terminal's default colour.
type Colour uint32

// The kind is in bits 24 and 25; bits 26 to 31 are always zero, and Cell keeps attributes there.
const (
	colourValue   = 1<<24 - 1
	colourPalette = 1 << 24
	colourRGB     = 2 << 24
	colourMask    = 3<<24 | colourValue
)

// Default is the terminal's own foreground or background.
const Default Colour = 0

// Palette is entry n of the 256 colour palette.
func Palette(n uint8) Colour { return colourPalette | Colour(n) }

// RGB is the 24-bit colour with these components.
func RGB(r, g, b uint8) Colour {
	return colourRGB | Colour(r)<<16 | Colour(g)<<8 | Colour(b)
}

// Palette returns the palette entry, and whether c is one.
func (c Colour) Palette() (n uint8, ok bool) {
	return uint8(c), c&^colourValue == colourPalette
}

// RGB returns the components, and whether c is a 24-bit colour.
func (c Colour) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&^colourValue == colourRGB
}

// Attr is a set of attribute bits. The zero value is plain text.
type Attr uint16

// The attributes. The underline is a style of three bits above them, see Attr.Underline.
const (
	Bold Attr = 1 << iota
	Dim
	Italic
	Blink
	Reverse
	Hidden
	Strike

	underlineShift      = 7
	underlineMask  Attr = 7 << underlineShift

	// AttrMask holds every bit that an Attr can have.
	AttrMask Attr = 1<<10 - 1
)

// Underline is the style of the line under a cell.
type Underline uint8

// The underline styles, numbered as in SGR 4:n.
const (
	NoUnderline Underline = iota
	SingleUnderline
	DoubleUnderline
	CurlyUnderline
	DottedUnderline
	DashedUnderline
)

// Underline returns the style of the underline.
func (a Attr) Underline() Underline { return Underline(a & underlineMask >> underlineShift) }

// WithUnderline returns a with the underline u instead of its own.
func (a Attr) WithUnderline(u Underline) Attr {
	return a&^underlineMask | Attr(u)<<underlineShift&underlineMask
}

// Style is how a cell looks apart from its text. The zero value is the terminal's default.
type Style struct {
	Fg, Bg Colour
	Attr   Attr
}
