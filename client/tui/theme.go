package tui

import (
	"apex/client/tui/paint"
	"apex/core/cell"
)

// Theme is how everything looks. Text keeps the terminal's own colours; only what surrounds it has
// a ground of its own.
type Theme struct {
	Text     cell.Style // bodies
	Tag      cell.Style // tags of windows without the focus
	TagFocus cell.Style // the tag of the window with the focus
	Top      cell.Style // the top row and column tags
	Border   cell.Style // between columns
	Handle   cell.Style // what can be dragged
	Dirty    cell.Style // the handle of a window with unsaved work, and the word for it
	Select   cell.Style // the selection of the text with the focus
	Selected cell.Style // the selection of another text
	Execute  cell.Style // what B2 is swept over
	Look     cell.Style // what B3 is swept over
	Escape   cell.Style // ^X and \x9b
	Number   cell.Style // line numbers and other marks beside the text
	Track    cell.Style // the scroll bar
	Thumb    cell.Style // the part of it that stands for what is shown
	Hint     cell.Style // the last row
	Key      cell.Style // names of keys
	Good     cell.Style // leading
	Warn     cell.Style // watching, unsynced
	Bad      cell.Style // disconnected, errors
	Panel    cell.Style // overlays
	PanelKey cell.Style // what matched, names of keys in overlays
	Chosen   cell.Style // the chosen line of an overlay
	Glyphs   Glyphs
}

// Glyphs are the characters that things are drawn with, each one cell wide.
type Glyphs struct {
	Window, Dirty, Column rune // handles
	Border, Track, Thumb  rune
	CutLeft, CutRight     rune
	Ellipsis              rune
}

var unicodeGlyphs = Glyphs{'□', '■', '≡', '│', '│', '┃', '‹', '›', '…'}
var asciiGlyphs = Glyphs{'o', '*', '=', '|', '|', '#', '<', '>', '~'}

// NewTheme chooses a theme for what the terminal can show. unicode is false where the locale's
// characters are not Unicode.
func NewTheme(p paint.Profile, dark, unicode bool) *Theme {
	t := richTheme(dark)
	switch p {
	case paint.Colour16:
		t = plainTheme(dark)
	case paint.NoColour:
		t = monoTheme()
	}
	t.Glyphs = unicodeGlyphs
	if !unicode {
		t.Glyphs = asciiGlyphs
	}
	return t
}

// richTheme is for 256 colours and more.
func richTheme(dark bool) *Theme {
	type pair struct{ dark, light cell.Colour }
	pick := func(p pair) cell.Colour {
		if dark {
			return p.dark
		}
		return p.light
	}
	rgb := func(v uint32) cell.Colour { return cell.RGB(uint8(v>>16), uint8(v>>8), uint8(v)) }
	var (
		bar    = pick(pair{rgb(0x262b33), rgb(0xe4e8ee)})
		focus  = pick(pair{rgb(0x34465c), rgb(0xc5d9f1)})
		ink    = pick(pair{rgb(0xc9d1d9), rgb(0x24292f)})
		faint  = pick(pair{rgb(0x6b7684), rgb(0x8a94a0)})
		accent = pick(pair{rgb(0x7fb2e5), rgb(0x0b5cad)})
		amber  = pick(pair{rgb(0xe0af68), rgb(0x9a5b00)})
		green  = pick(pair{rgb(0x8fc27a), rgb(0x2a7a2a)})
		red    = pick(pair{rgb(0xf28779), rgb(0xb3261e)})
		sel    = pick(pair{rgb(0x3a5070), rgb(0xb9d5f7)})
		hot    = pick(pair{rgb(0x6b2f33), rgb(0xf6c1bd)})
		cool   = pick(pair{rgb(0x2f5a3c), rgb(0xbfe5c3)})
		old    = pick(pair{rgb(0x33383f), rgb(0xdcdfe3)})
		panel  = pick(pair{rgb(0x1d2127), rgb(0xf2f4f7)})
	)
	return &Theme{
		Tag:      cell.Style{Fg: ink, Bg: bar},
		TagFocus: cell.Style{Fg: ink, Bg: focus},
		Top:      cell.Style{Fg: ink, Bg: bar},
		Border:   cell.Style{Fg: faint},
		Handle:   cell.Style{Fg: accent, Bg: bar},
		Dirty:    cell.Style{Fg: amber, Bg: bar},
		Select:   cell.Style{Fg: ink, Bg: sel},
		Selected: cell.Style{Fg: ink, Bg: old},
		Execute:  cell.Style{Fg: ink, Bg: hot},
		Look:     cell.Style{Fg: ink, Bg: cool},
		Escape:   cell.Style{Fg: amber},
		Number:   cell.Style{Fg: faint},
		Track:    cell.Style{Fg: faint},
		Thumb:    cell.Style{Fg: accent},
		Hint:     cell.Style{Fg: faint},
		Key:      cell.Style{Fg: accent},
		Good:     cell.Style{Fg: green, Bg: bar},
		Warn:     cell.Style{Fg: amber, Bg: bar},
		Bad:      cell.Style{Fg: red, Bg: bar, Attr: cell.Bold},
		Panel:    cell.Style{Fg: ink, Bg: panel},
		PanelKey: cell.Style{Fg: accent, Bg: panel, Attr: cell.Bold},
		Chosen:   cell.Style{Fg: ink, Bg: focus},
	}
}

// plainTheme is for sixteen colours: their values are the user's, so grounds come in pairs that
// every palette keeps apart.
func plainTheme(dark bool) *Theme {
	p := cell.Palette
	bar, barInk, hi := p(7), p(0), p(6)
	if dark {
		bar, barInk, hi = p(4), p(15), p(6)
	}
	return &Theme{
		Tag:      cell.Style{Fg: barInk, Bg: bar},
		TagFocus: cell.Style{Fg: p(0), Bg: hi},
		Top:      cell.Style{Fg: barInk, Bg: bar},
		Handle:   cell.Style{Fg: barInk, Bg: bar, Attr: cell.Bold},
		Dirty:    cell.Style{Fg: barInk, Bg: p(1), Attr: cell.Bold},
		Select:   cell.Style{Attr: cell.Reverse},
		Selected: cell.Style{Attr: cell.Attr(0).WithUnderline(cell.SingleUnderline)},
		Execute:  cell.Style{Fg: p(15), Bg: p(1)},
		Look:     cell.Style{Fg: p(0), Bg: p(2)},
		Escape:   cell.Style{Fg: p(5)},
		Thumb:    cell.Style{Fg: p(6)},
		Key:      cell.Style{Attr: cell.Bold},
		Good:     cell.Style{Fg: barInk, Bg: bar},
		Warn:     cell.Style{Fg: p(0), Bg: p(3)},
		Bad:      cell.Style{Fg: p(15), Bg: p(1), Attr: cell.Bold},
		Panel:    cell.Style{Fg: barInk, Bg: bar},
		PanelKey: cell.Style{Fg: barInk, Bg: bar, Attr: cell.Bold},
		Chosen:   cell.Style{Fg: p(0), Bg: hi},
	}
}

// monoTheme is for NO_COLOR and terminals without: attributes only.
func monoTheme() *Theme {
	bar := cell.Style{Attr: cell.Reverse}
	strong := cell.Style{Attr: cell.Reverse | cell.Bold}
	under := cell.Style{Attr: cell.Attr(0).WithUnderline(cell.SingleUnderline)}
	return &Theme{
		Tag:      under,
		TagFocus: bar,
		Top:      under,
		Border:   cell.Style{Attr: cell.Dim},
		Handle:   strong,
		Dirty:    strong,
		Select:   bar,
		Selected: under,
		Execute:  strong,
		Look:     strong,
		Escape:   cell.Style{Attr: cell.Bold},
		Number:   cell.Style{Attr: cell.Dim},
		Track:    cell.Style{Attr: cell.Dim},
		Thumb:    cell.Style{Attr: cell.Bold},
		Key:      cell.Style{Attr: cell.Bold},
		Good:     under,
		Warn:     strong,
		Bad:      strong,
		Panel:    bar,
		PanelKey: strong,
		Chosen:   cell.Style{Attr: cell.Bold},
	}
}
