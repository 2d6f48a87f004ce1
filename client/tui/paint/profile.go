package paint

import (
	"strings"

	"apex/core/cell"
)

// Profile is how many colours the terminal shows. A Painter turns every colour into one that fits.
type Profile uint8

// The profiles, from none to all. NoColour keeps the attributes: bold, reverse and so on.
const (
	NoColour Profile = iota
	Colour16
	Colour256
	TrueColour
)

func (p Profile) String() string {
	return [...]string{"none", "16", "256", "truecolour"}[p&3]
}

// trueColourTerms begin the TERM of terminals that have always shown 24-bit colour, whether or not
// COLORTERM came along (ssh and sudo drop it).
var trueColourTerms = []string{
	"xterm-kitty", "kitty", "xterm-ghostty", "ghostty", "alacritty", "foot", "wezterm", "contour",
	"rio",
}

// richTerms are those of the above that draw the styles of underline. Others take SGR 4:3 for two
// attributes, or for none.
var richTerms = trueColourTerms

// DetectProfile chooses a profile from the environment, which getenv looks up. COLORTERM is
// believed even inside tmux, because tmux turns down the colours that its own terminal hasn't got.
func DetectProfile(getenv func(string) string) Profile {
	term := getenv("TERM")
	switch {
	case getenv("NO_COLOR") != "", term == "dumb":
		return NoColour
	case hasPrefix(term, trueColourTerms), strings.HasSuffix(term, "-direct"):
		return TrueColour
	case strings.HasPrefix(term, "screen") && getenv("TMUX") == "":
		return Colour256 // GNU screen: COLORTERM is the outer terminal's, and screen 4 can't
	}
	switch strings.ToLower(getenv("COLORTERM")) {
	case "truecolor", "24bit", "yes", "true":
		return TrueColour
	}
	if strings.Contains(term, "256") || strings.HasPrefix(term, "tmux") {
		return Colour256
	}
	return Colour16
}

// DetectCaps returns what the environment alone says that the terminal can do. Sync, Clusters and
// Emoji are never among them: only the terminal's answers say that.
func DetectCaps(getenv func(string) string) Caps {
	term := getenv("TERM")
	plain := term == "dumb" || term == "" || strings.HasPrefix(term, "vt1")
	return Caps{
		Underlines: hasPrefix(term, richTerms),
		Shapes:     !plain && term != "linux",
		Titles:     !plain && term != "linux",
	}
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// fit returns s with its colours made to fit p.
func (p Profile) fit(s cell.Style) cell.Style {
	s.Fg, s.Bg = p.colour(s.Fg), p.colour(s.Bg)
	return s
}

func (p Profile) colour(c cell.Colour) cell.Colour {
	switch p {
	case NoColour:
		return cell.Default
	case TrueColour:
		return c
	}
	if r, g, b, ok := c.RGB(); ok {
		if p == Colour256 {
			return cell.Palette(nearest256(r, g, b))
		}
		return cell.Palette(nearest16(r, g, b))
	}
	if n, _ := c.Palette(); p == Colour16 && n > 15 {
		return cell.Palette(nearest16(paletteRGB(n)))
	}
	return c
}

// cubeLevels are the six values that a component has in entries 16 to 231 of the palette.
var cubeLevels = [6]uint8{0, 95, 135, 175, 215, 255}

// ansi16 are xterm's first sixteen colours. Themes change them, so they are only ever a goal for
// terminals that have nothing better.
var ansi16 = [16][3]uint8{
	{0, 0, 0}, {205, 0, 0}, {0, 205, 0}, {205, 205, 0},
	{0, 0, 238}, {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
	{127, 127, 127}, {255, 0, 0}, {0, 255, 0}, {255, 255, 0},
	{92, 92, 255}, {255, 0, 255}, {0, 255, 255}, {255, 255, 255},
}

func paletteRGB(n uint8) (r, g, b uint8) {
	switch {
	case n < 16:
		return ansi16[n][0], ansi16[n][1], ansi16[n][2]
	case n < 232:
		n -= 16
		return cubeLevels[n/36], cubeLevels[n/6%6], cubeLevels[n%6]
	}
	v := 8 + 10*(n-232)
	return v, v, v
}

// nearest256 returns the closer of the nearest entry of the cube and the nearest grey.
func nearest256(r, g, b uint8) uint8 {
	level := func(v uint8) uint8 {
		if v < 48 {
			return 0
		}
		if v < 115 {
			return 1
		}
		return (v - 35) / 40
	}
	cube := 16 + 36*level(r) + 6*level(g) + level(b)
	mean := (int(r) + int(g) + int(b)) / 3
	grey := uint8(232 + min(max((mean-3)/10, 0), 23))
	if distance(r, g, b, grey) < distance(r, g, b, cube) {
		return grey
	}
	return cube
}

func nearest16(r, g, b uint8) uint8 {
	best := uint8(0)
	for n := range uint8(16) {
		if distance(r, g, b, n) < distance(r, g, b, best) {
			best = n
		}
	}
	return best
}

// distance weighs the components roughly as the eye does.
func distance(r, g, b, n uint8) int {
	pr, pg, pb := paletteRGB(n)
	dr, dg, db := int(r)-int(pr), int(g)-int(pg), int(b)-int(pb)
	return 3*dr*dr + 6*dg*dg + 2*db*db
}
