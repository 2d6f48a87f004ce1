package paint

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"apex/core/cell"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// vt is a small terminal to test against. It is written from the standards and shares nothing with
// the painter but the types of style. It fails on whatever it doesn't know.
type vt struct {
	w, h        int
	rows        [][]vtCell
	x, y        int
	pending     bool // the last column was written and the next character would wrap
	style       cell.Style
	wrap        bool
	top, bottom int
	shown       bool
	shape       int
	title       string
	sync        bool
	alt         bool
	legacy      bool // each rune takes its own cells, joiners and marks none
	bad         []string
}

type vtCell struct {
	text  string // "" is a tail
	style cell.Style
	known bool // written since the terminal was switched on
}

func newVT(w, h int) *vt {
	t := &vt{w: w, h: h, wrap: true, shown: true, bottom: h - 1}
	for range h {
		t.rows = append(t.rows, make([]vtCell, w))
	}
	for y := range t.rows {
		for x := range t.rows[y] {
			t.rows[y][x] = vtCell{text: "#"} // garbage that must be painted over
		}
	}
	return t
}

func (t *vt) fail(format string, args ...any) {
	t.bad = append(t.bad, fmt.Sprintf(format, args...))
}

func (t *vt) feed(b []byte) {
	for len(b) > 0 {
		switch c := b[0]; {
		case c == 0x1B:
			b = t.escape(b)
		case c == '\r':
			t.x, t.pending, b = 0, false, b[1:]
		case c == '\b':
			t.x, t.pending, b = max(t.x-1, 0), false, b[1:]
		case c == '\n':
			if t.y == t.bottom {
				t.fail("line feed scrolls")
			}
			t.y, b = min(t.y+1, t.h-1), b[1:]
		case c < 0x20 || c == 0x7F:
			t.fail("control character %#x", c)
			b = b[1:]
		default:
			b = t.text(b)
		}
	}
}

// text prints the graphemes up to the next control character.
func (t *vt) text(b []byte) []byte {
	n := 0
	for n < len(b) && b[n] >= 0x20 && b[n] != 0x7F {
		n++
	}
	if !utf8.Valid(b[:n]) {
		t.fail("invalid UTF-8 %q", b[:n])
	}
	if t.legacy {
		for _, r := range string(b[:n]) {
			t.print(string(r), displaywidth.Rune(r))
		}
		return b[n:]
	}
	for g := graphemes.FromBytes(b[:n]); g.Next(); {
		t.print(string(g.Value()), displaywidth.Bytes(g.Value()))
	}
	return b[n:]
}

func (t *vt) print(s string, width int) {
	if r, _ := utf8.DecodeRuneInString(s); r >= 0x80 && r < 0xA0 {
		t.fail("C1 control %U", r)
	}
	if width == 0 {
		if !t.legacy {
			t.fail("a mark by itself: %q", s)
		}
		return
	}
	if t.pending && t.wrap {
		t.fail("automatic wrap")
	}
	t.x = min(t.x, t.w-width)
	if t.x < 0 {
		return
	}
	row := t.rows[t.y]
	t.cut(row, t.x)
	t.cut(row, t.x+width)
	row[t.x] = vtCell{s, t.style, true}
	if width == 2 {
		row[t.x+1] = vtCell{"", t.style, true}
	}
	t.x += width
	t.pending = t.x >= t.w
	t.x = min(t.x, t.w-1)
}

// cut blanks a wide character that lies across the border before x.
func (t *vt) cut(row []vtCell, x int) {
	if x > 0 && x < t.w && row[x].text == "" {
		row[x-1].text, row[x].text = " ", " "
	}
}

func (t *vt) escape(b []byte) []byte {
	switch {
	case len(b) > 1 && b[1] == '[':
		return t.csi(b)
	case len(b) > 1 && b[1] == ']':
		end := strings.IndexByte(string(b), '\a')
		if end < 0 || !strings.HasPrefix(string(b), "\x1b]2;") {
			t.fail("string %q", b)
			return nil
		}
		t.title = string(b[4:end])
		return b[end+1:]
	}
	t.fail("escape %q", b)
	return nil
}

func (t *vt) csi(b []byte) []byte {
	i := 2
	for i < len(b) && (b[i] < 0x40 || b[i] > 0x7E) {
		i++
	}
	if i == len(b) {
		t.fail("unfinished sequence %q", b)
		return nil
	}
	param, final := string(b[2:i]), b[i]
	first, second := 1, 1
	parts := strings.Split(param, ";")
	if n, err := strconv.Atoi(parts[0]); err == nil {
		first = n
	}
	if len(parts) > 1 {
		second, _ = strconv.Atoi(parts[1])
	}
	switch {
	case final == 'm':
		t.sgr(param)
	case final == 'h' || final == 'l':
		t.mode(param, final == 'h')
	case final == 'q' && strings.HasSuffix(param, " "):
		t.shape, _ = strconv.Atoi(param[:len(param)-1])
	case final == 'H':
		t.x, t.y, t.pending = second-1, first-1, false
		if t.x < 0 || t.x >= t.w || t.y < 0 || t.y >= t.h {
			t.fail("move outside the screen: %d,%d", t.x, t.y)
			t.x, t.y = 0, 0
		}
	case final == 'C':
		t.x, t.pending = min(t.x+first, t.w-1), false
	case final == 'K' && param == "":
		t.cut(t.rows[t.y], t.x)
		t.blank(t.rows[t.y][t.x:])
	case final == 'J' && param == "" && t.x == 0:
		for y := t.y; y < t.h; y++ {
			t.blank(t.rows[y])
		}
	case final == 'r' && param == "":
		t.top, t.bottom, t.x, t.y = 0, t.h-1, 0, 0
	case final == 'r':
		t.top, t.bottom, t.x, t.y = first-1, second-1, 0, 0
		if t.top >= t.bottom || t.bottom >= t.h {
			t.fail("scroll region %q", param)
		}
	case final == 'M' || final == 'L':
		t.scroll(first, final == 'M')
	default:
		t.fail("sequence %q", b[:i+1])
	}
	return b[i+1:]
}

func (t *vt) blank(cells []vtCell) {
	for i := range cells {
		cells[i] = vtCell{" ", cell.Style{Bg: t.style.Bg}, true}
	}
}

func (t *vt) scroll(n int, up bool) {
	for range n {
		band := t.rows[t.y : t.bottom+1]
		fresh := make([]vtCell, t.w)
		t.blank(fresh)
		if up {
			copy(band, band[1:])
			band[len(band)-1] = fresh
		} else {
			copy(band[1:], band)
			band[0] = fresh
		}
	}
}

func (t *vt) mode(param string, on bool) {
	switch param {
	case "?7":
		t.wrap = on
	case "?25":
		t.shown = on
	case "?2026":
		t.sync = on
	case "?1049":
		t.alt = on
	default:
		t.fail("mode %q", param)
	}
}

func (t *vt) sgr(param string) {
	if param == "" {
		param = "0"
	}
	parts := strings.Split(param, ";")
	on := map[string]cell.Attr{"1": cell.Bold, "2": cell.Dim, "3": cell.Italic, "5": cell.Blink,
		"7": cell.Reverse, "8": cell.Hidden, "9": cell.Strike}
	off := map[string]cell.Attr{"22": cell.Bold | cell.Dim, "23": cell.Italic, "25": cell.Blink,
		"27": cell.Reverse, "28": cell.Hidden, "29": cell.Strike}
	for i := 0; i < len(parts); i++ {
		s := parts[i]
		n, _ := strconv.Atoi(s)
		switch {
		case s == "0":
			t.style = cell.Style{}
		case on[s] != 0:
			t.style.Attr |= on[s]
		case off[s] != 0:
			t.style.Attr &^= off[s]
		case s == "4" || s == "24" || strings.HasPrefix(s, "4:"):
			u := map[string]cell.Underline{"4": 1, "24": 0, "4:2": 2, "4:3": 3, "4:4": 4, "4:5": 5}
			t.style.Attr = t.style.Attr.WithUnderline(u[s])
		case s == "38" || s == "48":
			i += t.colour(parts[i:])
		case n >= 30 && n <= 37:
			t.style.Fg = cell.Palette(uint8(n - 30))
		case n >= 90 && n <= 97:
			t.style.Fg = cell.Palette(uint8(n - 82))
		case n >= 40 && n <= 47:
			t.style.Bg = cell.Palette(uint8(n - 40))
		case n >= 100 && n <= 107:
			t.style.Bg = cell.Palette(uint8(n - 92))
		case n == 39:
			t.style.Fg = cell.Default
		case n == 49:
			t.style.Bg = cell.Default
		default:
			t.fail("rendition %q", param)
		}
	}
}

// colour reads 38;5;n, 38;2;r;g;b and the same for 48, and returns how many more parts it took.
func (t *vt) colour(parts []string) int {
	num := func(i int) uint8 {
		n, err := strconv.ParseUint(parts[i], 10, 8)
		if err != nil {
			t.fail("colour %q", parts)
		}
		return uint8(n)
	}
	c, n := cell.Default, 0
	switch {
	case len(parts) >= 3 && parts[1] == "5":
		c, n = cell.Palette(num(2)), 2
	case len(parts) >= 5 && parts[1] == "2":
		c, n = cell.RGB(num(2), num(3), num(4)), 4
	default:
		t.fail("colour %q", parts)
	}
	if parts[0] == "38" {
		t.style.Fg = c
	} else {
		t.style.Bg = c
	}
	return n
}
