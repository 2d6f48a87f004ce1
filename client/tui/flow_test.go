package tui

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"apex/client/tui/paint"
	"apex/core/text"

	"pgregory.net/rapid"
)

// naive lays a whole text out, line by line and rune by rune, and says where each rune's glyph is,
// and last where a caret at the end of the text is.
func naive(s string, width, tab int) (places []spot, starts []int) {
	chunk := (chunkMinRunes + width - 1) / width * width
	row, x, inLine, q := 0, 0, 0, 0
	starts = []int{0}
	newRow := func() {
		row, x = row+1, 0
		starts = append(starts, q)
	}
	for len(s) > 0 {
		if s[0] == '\n' {
			places = append(places, spot{row, x})
			s, q, inLine = s[1:], q+1, 0
			newRow()
			continue
		}
		if inLine > 0 && inLine%chunk == 0 {
			newRow()
		}
		n, runes, w := naiveGlyph(s, chunk-inLine%chunk)
		if s[0] == '\t' {
			w = tab - x%tab
			if x < width {
				w = min(w, width-x)
			}
		}
		if x > 0 && x+w > width {
			newRow()
			if s[0] == '\t' {
				w = min(tab, width)
			}
		}
		for range runes {
			places = append(places, spot{row, x})
		}
		x += min(w, width)
		s, q, inLine = s[n:], q+runes, inLine+runes
	}
	return append(places, spot{row, x}), starts
}

// naiveGlyph returns the bytes, runes and cells of the first glyph of s, of at most limit runes.
func naiveGlyph(s string, limit int) (n, runes, width int) {
	r, size := utf8.DecodeRuneInString(s)
	n, width = paint.First(s)
	switch {
	case r < ' ' || r == 0x7F:
		return 1, 1, 2
	case r == utf8.RuneError && size == 1:
		return 1, 1, len(`\x9b`)
	case width == 0 && r > 0xFFFF:
		return size, 1, len(`\u0e0001`)
	case width == 0:
		return size, 1, len(`\u200b`)
	}
	runes = utf8.RuneCountInString(s[:n])
	for runes > limit {
		_, k := utf8.DecodeLastRuneInString(s[:n])
		n, runes = n-k, runes-1
		width = max(paint.Width(s[:n]), 1)
	}
	return n, runes, width
}

var pieces = []string{"a", "b ", "word", "\t", "\n", "\n\n", "\r\n", "世", "界", "e\u0301", "\u0301",
	"\x00", "\x1b", "\x7f", "\xff", "\xe4\xbd", "\u200b", "\ufeff", "\u202e", "\U000e0001",
	"👩‍👩‍👧", "🇩🇪", "🇩", "é", "\u0085", "a\u0300\u0301\u0302"}

func drawText(t *rapid.T) string {
	var b strings.Builder
	for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces") {
		b.WriteString(p)
	}
	if rapid.IntRange(0, 5).Draw(t, "long") == 0 { // a line of more than one chunk
		filler := rapid.SampledFrom(pieces).Draw(t, "filler")
		b.WriteString(strings.Repeat(filler, 2*chunkMinRunes/utf8.RuneCountInString(filler)))
		b.WriteString(rapid.SampledFrom(pieces).Draw(t, "after"))
	}
	return b.String()
}

// TestFlowAgainstNaive compares rows and the mapping of places to cells and back with a renderer
// that reads the whole text.
func TestFlowAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawText(t)
		f := flow{t: text.FromString(s), wrap: true,
			width: rapid.IntRange(1, 40).Draw(t, "width"), tab: rapid.IntRange(1, 9).Draw(t, "tab")}
		places, starts := naive(s, f.width, f.tab)
		checkRows(t, &f, starts)
		var r rows
		n := f.t.Runes()
		step := 1 + n/40
		for q := 0; q <= n; q += step {
			checkPlace(t, &f, &r, q, places, starts)
		}
		checkPlace(t, &f, &r, n, places, starts)
	})
}

func checkRows(t *rapid.T, f *flow, starts []int) {
	var r rows
	r.start(f, 0)
	for i := 0; ; i++ {
		for r.next() {
		}
		if i >= len(starts) || r.row.q0 != starts[i] {
			t.Fatalf("row %d begins at %d, want one of %v", i, r.row.q0, starts)
		}
		if !r.down() {
			if i != len(starts)-1 {
				t.Fatalf("%d rows, want %d", i+1, len(starts))
			}
			return
		}
	}
}

func checkPlace(t *rapid.T, f *flow, r *rows, q int, places []spot, starts []int) {
	want := places[q]
	if got := f.rowAt(r, q); got.q0 != starts[want.row] || !got.holds(q, f.t.Runes()) {
		t.Fatalf("rune %d is in row %+v, want the one from %d", q, got, starts[want.row])
	}
	if got := f.cell(r, q); got != want.cell {
		t.Fatalf("rune %d is at cell %d, want %d", q, got, want.cell)
	}
	back := f.runeIn(r, starts[want.row], want.cell)
	if back > q || places[back] != want {
		t.Fatalf("cell %v holds rune %d, want the glyph of %d", want, back, q)
	}
	n := min(want.row, 3)
	if got := f.up(r, q, n); got != starts[want.row-n] {
		t.Fatalf("%d rows above rune %d begin at %d, want %d", n, q, got, starts[want.row-n])
	}
	if got, row := f.downFrom(r, q, 2), min(want.row+2, len(starts)-1); got != starts[row] {
		t.Fatalf("2 rows below rune %d begin at %d, want %d", q, got, starts[row])
	}
}

// TestFlowCut checks the rows of lines that are not wrapped.
func TestFlowCut(t *testing.T) {
	const s = "0123456789\n\tx\n世界世界\nab\n"
	tests := []struct {
		left int
		want []string // glyph@cell of each row
	}{
		{0, []string{"0@0 1@1 2@2 3@3 4@4 5@5 cut", "\t@0 x@4", "世@0 界@2 世@4 cut", "a@0 b@1", ""}},
		{3, []string{"3@0 4@1 5@2 6@3 7@4 8@5 cut", "\t@-3 x@1", "界@-1 世@1 界@3", "", ""}},
		{12, []string{"", "", "", "", ""}},
	}
	for _, test := range tests {
		f := flow{t: text.FromString(s), width: 6, tab: 4, left: test.left}
		var r rows
		r.start(&f, 0)
		for i, want := range test.want {
			var got []string
			for r.next() {
				if r.g.kind != glyphNewline {
					got = append(got, fmt.Sprintf("%s@%d", r.g.text, r.at()))
				}
			}
			if r.row.cut {
				got = append(got, "cut")
			}
			if strings.Join(got, " ") != want || r.row.line != i {
				t.Errorf("left %d: line %d shows %q, want %q", test.left, r.row.line, got, want)
			}
			if r.down() != (i < len(test.want)-1) {
				t.Fatalf("left %d: wrong number of lines", test.left)
			}
		}
	}
}

// TestFlowLongLine checks that what is read of a line of 8 MB is a few chunks.
func TestFlowLongLine(t *testing.T) {
	long := text.FromString(strings.Repeat("0123456789abcde\t", 1<<19))
	for _, wrap := range []bool{true, false} {
		f := flow{t: long, width: 80, tab: 8, wrap: wrap, left: 5 << 20}
		var r rows
		for _, q := range []int{0, 7_654_321, long.Runes()} {
			if got := f.rowAt(&r, q); wrap && !got.holds(q, long.Runes()) {
				t.Fatalf("row %+v does not hold %d", got, q)
			}
			f.cell(&r, q)
			f.up(&r, q, 60)
		}
		if len(r.above) > chunkMinRunes+80 || cap(r.s.buf) > 4*scanBytes {
			t.Errorf("wrap %v: read %d rows, %d bytes", wrap, len(r.above), cap(r.s.buf))
		}
	}
}

func BenchmarkFlowScreen(b *testing.B) {
	lines := strings.Repeat("func main() { fmt.Println(x) } // a line of text\n", 1e5)
	f := flow{t: text.FromString(lines), width: 198, tab: 8, wrap: true}
	var r rows
	for b.Loop() {
		r.start(&f, 1_000_000)
		for range 60 {
			for r.next() {
			}
			r.down()
		}
	}
}

func BenchmarkFlowLongLineCaret(b *testing.B) {
	line := strings.Repeat("0123456789abcdef", 1<<19)
	f := flow{t: text.FromString(line), width: 198, tab: 8, wrap: true}
	var r rows
	for b.Loop() {
		f.cell(&r, 7_654_321)
	}
}
