package tui

import (
	"testing"

	"apex/client/tui/paint"
	"apex/core/cell"
)

// TestThemes checks that what has to be told apart can be, with as many colours as there are: by
// looks, and where there are none, by attributes. Colours count as the terminal shows them.
func TestThemes(t *testing.T) {
	for _, p := range []paint.Profile{paint.NoColour, paint.Colour16, paint.Colour256, paint.TrueColour} {
		for _, dark := range []bool{true, false} {
			th := NewTheme(p, dark, true)
			pairs := map[string][2]cell.Style{
				"selection and text":             {th.Select, th.Text},
				"other selection and text":       {th.Selected, th.Text},
				"selection and other selection":  {th.Select, th.Selected},
				"sweep to execute and text":      {th.Execute, th.Text},
				"tags with and without focus":    {th.Tag, th.TagFocus},
				"tag and text":                   {th.Tag, th.Text},
				"escape and text":                {th.Escape, th.Text},
				"leading and watching":           {th.Good, th.Warn},
				"overlay and text":               {th.Panel, th.Text},
				"chosen line and overlay":        {th.Chosen, th.Panel},
				"key in an overlay and its text": {th.PanelKey, th.Panel},
			}
			for what, s := range pairs {
				if s[0] == s[1] {
					t.Errorf("%v, dark %v: %s look the same: %+v", p, dark, what, s[0])
				}
			}
			if p == paint.NoColour {
				for what, s := range pairs {
					if s[0].Fg|s[0].Bg|s[1].Fg|s[1].Bg != cell.Default {
						t.Errorf("no colours: %s has one", what)
					}
				}
			}
		}
	}
}

// TestGlyphs checks that every glyph takes one cell, and is ASCII where nothing else is shown.
func TestGlyphs(t *testing.T) {
	for _, unicode := range []bool{true, false} {
		g := NewTheme(paint.TrueColour, true, unicode).Glyphs
		for _, r := range []rune{g.Window, g.Dirty, g.Column, g.Border, g.Track, g.Thumb, g.CutLeft,
			g.CutRight, g.Ellipsis} {
			if paint.Width(string(r)) != 1 || !unicode && r > 0x7E {
				t.Errorf("glyph %q, unicode %v", r, unicode)
			}
		}
	}
}
