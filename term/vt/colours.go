package vt

import (
	"fmt"
	"strconv"
	"strings"

	"apex/core/cell"
)

// Colours are the colours of a terminal: those that its user sees, or those that a program changed.
// Default stands for one that is not known, or not changed.
type Colours struct {
	Fg, Bg, Cursor cell.Colour
	Palette        [256]cell.Colour
}

// SetColours tells the colours of the user's terminal, for the program's questions; a question
// about a colour that is not known isn't answered. A program that asked for it is told when they
// change between dark and light.
func (s *Screen) SetColours(c Colours) {
	before := s.dark()
	s.colours = c
	if s.modes.has(modeScheme) && s.dark() != before {
		s.reportScheme()
	}
}

// ProgramColours returns the colours that the program changed, and how often it has changed any.
func (s *Screen) ProgramColours() (c Colours, changes uint64) { return s.overrides, s.overridden }

func (s *Screen) resetColours() {
	if s.overrides != (Colours{}) {
		s.overrides = Colours{}
		s.overridden++
	}
}

// dark reports whether the background is dark, as one that is not known is.
func (s *Screen) dark() bool {
	r, g, b, ok := s.colours.Bg.RGB()
	return !ok || 299*int(r)+587*int(g)+114*int(b) < 128_000
}

const (
	foregroundOSC = 10
	backgroundOSC = 11
	cursorOSC     = 12
	resetOSC      = 100 // added to a number, resets what that one sets
)

// field returns the colour that a number of OSC 10 to 12 names.
func (c *Colours) field(number int) *cell.Colour {
	switch number {
	case foregroundOSC:
		return &c.Fg
	case backgroundOSC:
		return &c.Bg
	case cursorOSC:
		return &c.Cursor
	}
	return nil
}

// colourOSC sets, resets or answers colours.
func (s *Screen) colourOSC(number, arg string, bell bool) {
	switch number {
	case "4":
		s.paletteOSC(arg, bell)
	case "104":
		s.resetPalette(arg)
	case "10", "11", "12":
		n, _ := strconv.Atoi(number)
		for spec, more := "", true; more && n <= cursorOSC; n++ { // each next one sets the next
			spec, arg, more = cutByte(arg, ';')
			s.setOrAnswer(strconv.Itoa(n), spec, s.overrides.field(n), *s.colours.field(n), bell)
		}
	case "110", "111", "112":
		n, _ := strconv.Atoi(number)
		s.override(s.overrides.field(n-resetOSC), cell.Default)
	}
}

func (s *Screen) paletteOSC(arg string, bell bool) {
	for more := true; more; {
		var index, spec string
		index, arg, _ = cutByte(arg, ';')
		spec, arg, more = cutByte(arg, ';')
		n, err := strconv.ParseUint(index, 10, 8)
		if err != nil {
			return
		}
		s.setOrAnswer("4;"+index, spec, &s.overrides.Palette[n], s.colours.Palette[n], bell)
	}
}

func (s *Screen) resetPalette(arg string) {
	if arg == "" {
		for i := range s.overrides.Palette {
			s.override(&s.overrides.Palette[i], cell.Default)
		}
		return
	}
	for index := range strings.SplitSeq(arg, ";") {
		if n, err := strconv.ParseUint(index, 10, 8); err == nil {
			s.override(&s.overrides.Palette[n], cell.Default)
		}
	}
}

func (s *Screen) override(p *cell.Colour, c cell.Colour) {
	if *p != c {
		*p = c
		s.overridden++
	}
}

func (s *Screen) setOrAnswer(name, spec string, own *cell.Colour, user cell.Colour, bell bool) {
	if spec != "?" {
		if c, ok := parseColour(spec); ok {
			s.override(own, c)
		}
		return
	}
	c := *own
	if c == cell.Default {
		c = user
	}
	r, g, b, ok := c.RGB()
	if !ok {
		return
	}
	end := "\x1b\\"
	if bell {
		end = "\a"
	}
	s.reply(fmt.Sprintf("\x1b]%s;rgb:%02x%02x/%02x%02x/%02x%02x%s", name, r, r, g, g, b, b, end))
}

// parseColour reads the numeric forms of XParseColor: rgb:r/g/b and #rgb, with 1 to 4 digits each.
func parseColour(spec string) (cell.Colour, bool) {
	var parts []string
	if rest, ok := strings.CutPrefix(spec, "rgb:"); ok {
		parts = strings.Split(rest, "/")
	} else if rest, ok := strings.CutPrefix(spec, "#"); ok && len(rest)%3 == 0 {
		n := len(rest) / 3
		parts = []string{rest[:n], rest[n : 2*n], rest[2*n:]}
	}
	if len(parts) != 3 {
		return 0, false
	}
	var rgb [3]uint8
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 16, 16)
		if err != nil || len(p) > 4 {
			return 0, false
		}
		high := uint64(1)<<(4*len(p)) - 1
		if spec[0] == '#' && len(p) == 1 {
			v, high = v<<4, 0xF0|0xF // #rgb names the high bits: #f00 is f0 00 00
		}
		rgb[i] = uint8((v*255 + high/2) / high)
	}
	return cell.RGB(rgb[0], rgb[1], rgb[2]), true
}
