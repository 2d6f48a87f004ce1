package paint

import (
	"testing"

	"apex/core/cell"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestDetectProfile(t *testing.T) {
	cases := []struct {
		env  []string
		want Profile
	}{
		{[]string{"TERM", "xterm-256color"}, Colour256},
		{[]string{"TERM", "xterm-256color", "COLORTERM", "truecolor"}, TrueColour},
		{[]string{"TERM", "xterm-256color", "COLORTERM", "truecolor", "NO_COLOR", "1"}, NoColour},
		{[]string{"TERM", "tmux-256color", "COLORTERM", "truecolor", "TMUX", "/tmp/x"}, TrueColour},
		{[]string{"TERM", "screen", "COLORTERM", "truecolor", "STY", "1.pts"}, Colour256},
		{[]string{"TERM", "screen", "TMUX", "/tmp/x"}, Colour16},
		{[]string{"TERM", "xterm-kitty"}, TrueColour},
		{[]string{"TERM", "dumb", "COLORTERM", "truecolor"}, NoColour},
		{[]string{"TERM", "linux"}, Colour16},
		{[]string{"TERM", "no-such-terminal"}, Colour16},
		{nil, Colour16},
	}
	for _, c := range cases {
		if got := DetectProfile(env(c.env...)); got != c.want {
			t.Errorf("%v: got %v, want %v", c.env, got, c.want)
		}
	}
}

func TestDetectCaps(t *testing.T) {
	if got := DetectCaps(env("TERM", "no-such-terminal")); got != (Caps{Shapes: true, Titles: true}) {
		t.Errorf("unknown terminal: got %+v", got)
	}
	if got := DetectCaps(env("TERM", "linux")); got != (Caps{}) {
		t.Errorf("console: got %+v", got)
	}
	if got := DetectCaps(env("TERM", "xterm-kitty")); !got.Underlines || got.Sync || got.Clusters {
		t.Errorf("kitty: got %+v", got)
	}
}

func TestColoursFitTheProfile(t *testing.T) {
	red, grey := cell.RGB(255, 0, 0), cell.RGB(128, 128, 128)
	cases := []struct {
		p    Profile
		in   cell.Colour
		want cell.Colour
	}{
		{TrueColour, red, red}, {Colour256, red, cell.Palette(196)}, {Colour16, red, cell.Palette(9)},
		{NoColour, red, cell.Default}, {NoColour, cell.Palette(3), cell.Default},
		{Colour256, grey, cell.Palette(244)}, {Colour256, cell.RGB(255, 255, 255), cell.Palette(231)},
		{Colour256, cell.RGB(0, 0, 0), cell.Palette(16)},
		{Colour256, cell.RGB(3, 3, 3), cell.Palette(16)},
		{Colour16, cell.Palette(7), cell.Palette(7)}, {Colour16, cell.Palette(196), cell.Palette(9)},
		{Colour256, cell.Palette(244), cell.Palette(244)}, {Colour16, cell.Default, cell.Default},
	}
	for _, c := range cases {
		if got := c.p.colour(c.in); got != c.want {
			t.Errorf("%v of %x: got %x, want %x", c.p, c.in, got, c.want)
		}
	}
	for n := range 256 {
		r, g, b := paletteRGB(uint8(n))
		if n >= 16 && distance(r, g, b, nearest256(r, g, b)) != 0 {
			t.Errorf("palette entry %d isn't its own nearest", n)
		}
	}
}

// Every way from one style to another ends in the other, in every profile.
func TestRenditionsReachTheirStyle(t *testing.T) {
	all := append([]cell.Style{
		{Attr: cell.AttrMask &^ cell.Attr(0).WithUnderline(7)},
		{Fg: cell.Palette(7), Bg: cell.Palette(8)}, {Fg: cell.RGB(0, 0, 0)},
		{Attr: cell.Dim}, {Attr: cell.Attr(0).WithUnderline(cell.DoubleUnderline)},
	}, styles...)
	for _, profile := range []Profile{NoColour, Colour16, Colour256, TrueColour} {
		for _, from := range all {
			for _, to := range all {
				p, term := NewPainter(profile, Caps{Underlines: true}), newVT(10, 1)
				p.use(cell.New('x', from))
				p.use(cell.New('x', to))
				term.feed(p.body)
				if want := profile.fit(to); term.style != want || len(term.bad) > 0 {
					t.Fatalf("%v, %+v to %+v: got %+v by %q %v", profile, from, to, term.style, p.body, term.bad)
				}
			}
		}
	}
}

func TestPlainUnderlineWhereStylesAreUnknown(t *testing.T) {
	p := NewPainter(TrueColour, Caps{})
	p.use(cell.New('x', cell.Style{Attr: cell.Attr(0).WithUnderline(cell.CurlyUnderline)}))
	if got, want := string(p.body), "\x1b[0;4m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
