package vt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"apex/core/cell"
)

// Random programs seldom do one thing and then the one that shows whether it was done right. These
// tests do each thing of a list and then each of another.

// sequences are words, and every control sequence with parameters that matter.
func sequences() []string {
	out := slices.Clone(words)
	for _, final := range "@ABCDEFGHIJKLMPSTXZ`abcdefghlmnrstu" {
		for _, arg := range []string{"", "2", "3;4", "?25", ">1", "4:3"} {
			out = append(out, fmt.Sprintf("\x1b[%s%c", arg, final))
		}
	}
	for _, mode := range []int{1, 5, 6, 7, 9, 12, 25, 66, 1000, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1048, 2004,
		2026, 2031} {
		out = append(out, fmt.Sprintf("\x1b[?%dh", mode), fmt.Sprintf("\x1b[?%dl", mode))
	}
	return append(out, "\x1b[38:2:1:", "\x1b[4:3", "\x1b[12;3", "\x1b[?1;", "\x1b[1 ", "\x1b(", "\x1b[1<", "\x1b]2;ab", "\x1bP$q",
		"\x1b]2;ab\x1b", "\x1b_ab", "\xe4\xb8", "\xf0\x9f\x91", "e\u0301", "👩\u200d")
}

// probes show what is remembered and can't be seen.
var probes = []string{
	"x", "q#", "世", "\u0301", "🇪", "👧", "\tx", "\r\tx\tx", "\x1b[bx", "\x1b8x", "\r\nx", "\x1b[Hx", "\x1b[99;99Hx\ny",
	"\x1b[?1;7;1000;2004rx", "\x1b[?1049lx\x1b8x", "\x1b[23tx", "\x1b[<u\x1b[?u", "0m\x07x", "mx", "\x1b\\x", "\\x",
	"\x96x", "\xa7x", "\x1b[J\x1b[1J", "\x0ex\x1bnx", "\x1b[6n\x1b[?6n\x1bP$qm\x1b\\\x1bP$qr\x1b\\",
}

// busy is a screen with something of everything, the cursor in its middle.
func busy() *Screen {
	s := New(12, 5, Options{HistoryLines: 4, ClipboardReads: true})
	s.SetColours(Colours{Fg: cell.RGB(9, 9, 9)})
	s.Write([]byte("\x1b[22t\x1b]2;busy\a\x1b[>3u\x1b]133;A\a$ one\r\ntwo words that wrap 世界世界\r\n\x1b[31;44m" +
		"e\u0301 👍🏽 red\x1b[K\r\n\x1b[mlast line that is long\x1b[2;5H\x1b7\x1b[3;6H"))
	return s
}

// A screen that is saved between any two things goes on as if it had not been.
func TestRestoreBetweenEachTwo(t *testing.T) {
	for _, first := range sequences() {
		base := busy()
		base.Write([]byte(first))
		screen, lines := saved(base)
		for _, second := range probes {
			s := busy()
			s.Write([]byte(first))
			back, err := Restore(screen, func(n uint64) ([]byte, bool) { b, ok := lines[n]; return b, ok })
			if err != nil {
				t.Fatalf("after %q: %v", first, err)
			}
			s.Write([]byte(second))
			back.Write([]byte(second))
			sameAfter(t, back, s, fmt.Sprintf("after %q, restored, then %q", first, second))
		}
	}
}

// Looks and clusters are numbered anew without anybody noticing.
func TestCompactBetweenEachTwo(t *testing.T) {
	for _, first := range sequences() {
		for _, second := range probes {
			s, packed := busy(), busy()
			s.Write([]byte(first))
			packed.Write([]byte(first))
			packed.compact()
			s.Write([]byte(second))
			packed.Write([]byte(second))
			sameAfter(t, packed, s, fmt.Sprintf("after %q, compact, then %q", first, second))
		}
	}
}

func sameAfter(t *testing.T, got, want *Screen, how string) {
	t.Helper()
	a, b := got.AppendScreen(nil), want.AppendScreen(nil)
	if slices.Equal(a, b) {
		return
	}
	if d := cmp.Diff(observe(want), observe(got)); d != "" {
		t.Fatalf("%s: screens differ (- want, + got):\n%s", how, d)
	}
	t.Fatalf("%s: snapshots differ:\ngot  %q\nwant %q", how, a, b)
}

// Whatever one thing changes on the screen, Changes tells it.
func TestEachThingIsAChange(t *testing.T) {
	for _, before := range []string{"", "\x1b[2;4r\x1b[3;6H", "\x1b[5;12H", "\x1b[1;1H", "\x1b[4h", "\x1b[2;12Hx", "\x1b[?1049hx",
		"\x1b[2;12H世\x1b[2;3H"} {
		for _, thing := range sequences() {
			s := busy()
			s.Write([]byte(before))
			copied, at := rowsOf(s), s.Point()
			s.Write([]byte(thing))
			up, changed := s.Changes(at)
			next := make([]string, s.rows)
			copy(next, copied[up:])
			for y := range changed {
				next[y] = rowOf(s, y)
			}
			if d := cmp.Diff(rowsOf(s), next); d != "" {
				t.Fatalf("%q, then %q: (- is, + copy)\n%s", before, thing, d)
			}
			if err := s.verify(); err != nil {
				t.Fatalf("%q, then %q: %v", before, thing, err)
			}
		}
	}
}

func rowOf(s *Screen, y int) string {
	return fmt.Sprint(s.Row(y, nil), s.RowWrapped(y))
}

func rowsOf(s *Screen) []string {
	var rows []string
	for y := range s.rows {
		rows = append(rows, rowOf(s, y))
	}
	return rows
}

// The tables of the Unicode standard's section 3.9 on what is U+FFFD, and every character there is.
func TestDecode(t *testing.T) {
	const bad = "\uFFFD"
	for in, want := range map[string]string{
		"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41":             strings.Repeat(bad, 8) + "A",
		"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41":             strings.Repeat(bad, 8) + "A",
		"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42":             strings.Repeat(bad, 5) + "A" + bad + bad + "B",
		"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41":             strings.Repeat(bad, 4) + "A",
		"\xf5\x80\xf8\xfe":                                 strings.Repeat(bad, 4),
		"\xe0\x9f\xbf\xed\x9f\xbf\xee\x80\x80\xf0\x8f\xbf": bad + bad + bad + "\ud7ff\ue000" + bad + bad + bad,
	} {
		s := New(40, 1, Options{})
		s.Write([]byte(in))
		if got := cell.RowText(s.Row(0, nil)); got != want {
			t.Errorf("%x: got %q, want %q", in, got, want)
		}
		each := New(40, 1, Options{})
		for i := range len(in) {
			each.Write([]byte(in[i : i+1]))
		}
		if got := cell.RowText(each.Row(0, nil)); got != want {
			t.Errorf("%x byte by byte: got %q, want %q", in, got, want)
		}
	}
	for r := rune(0x80); r <= 0x10FFFF; r++ {
		if r == 0xD800 {
			r = 0xE000
		}
		p := []byte(string(r))
		if got, n := decode(p); got != r || n != len(p) {
			t.Fatalf("%U: got %U in %d bytes", r, got, n)
		}
		if _, n := decode(p[:len(p)-1]); n != 0 {
			t.Fatalf("%U without its last byte: got %d bytes, want to wait", r, n)
		}
	}
}

func TestSyncStart(t *testing.T) {
	s := New(10, 3, Options{})
	if _, on := s.SyncStart(); on {
		t.Error("an update goes on in a new screen")
	}
	s.Write([]byte("a\r\nb"))
	s.Write([]byte("\x1b[?2026h"))
	start := s.Point()
	s.Write([]byte("\x1b[?2026h\x1b[Hc"))
	if got, on := s.SyncStart(); !on || got != start {
		t.Errorf("got %v, %v, want %v", got, on, start)
	}
	_, rows := s.Changes(start)
	if got := slices.Collect(rows); !slices.Equal(got, []int{0}) {
		t.Errorf("rows %v changed since the start, want row 0", got)
	}
	s.Write([]byte("\x1b[?2026l"))
	if _, on := s.SyncStart(); on {
		t.Error("the update has not ended")
	}
}

func TestSetOptions(t *testing.T) {
	s := New(10, 1, Options{})
	s.Write([]byte("a\r\nb\r\nc\r\nd\r\n\x1b]52;c;?\a"))
	s.SetOptions(Options{HistoryLines: 2, Name: "n", ClipboardReads: true})
	if first, end := s.HistoryFirst(), s.HistoryEnd(); first != 2 || end != 4 {
		t.Errorf("lines %d to %d, want 2 to 4", first, end)
	}
	s.Write([]byte("\x1b]52;c;?\a\x1b[>q"))
	if e, r := s.Events(), string(s.Replies()); len(e) != 1 || r != "\x1bP>|n\x1b\\" {
		t.Errorf("events %v, replies %q", e, r)
	}
	s.SetOptions(Options{HistoryLines: -1})
	if first, end := s.HistoryFirst(), s.HistoryEnd(); first != 4 || end != 4 {
		t.Errorf("lines %d to %d, want none", first, end)
	}
}

func TestSchemeIsTold(t *testing.T) {
	s := New(10, 1, Options{})
	dark, light := Colours{Bg: cell.RGB(20, 20, 20)}, Colours{Bg: cell.RGB(250, 250, 240)}
	s.SetColours(light)
	s.Write([]byte("\x1b[?2031h"))
	for _, step := range []struct {
		c    Colours
		want string
	}{{dark, "\x1b[?997;1n"}, {dark, ""}, {light, "\x1b[?997;2n"}} {
		s.SetColours(step.c)
		if got := string(s.Replies()); got != step.want {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
}
