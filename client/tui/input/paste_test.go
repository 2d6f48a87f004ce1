package input

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// oracle does what a cutter does, for a stream that is all there.
func oracle(in string) (out string, pastes []Paste) {
	start, end := string(startMark), string(endMark)
	for {
		before, rest, ok := strings.Cut(in, start)
		out += before
		if !ok {
			return out, pastes
		}
		text, after, ok := strings.Cut(rest, end)
		pastes = append(pastes, Paste{Text: []byte(text), Cut: !ok})
		out += start + end
		in = after
	}
}

// run feeds the pieces, all at one time, and ends the stream.
func run(pieces ...string) (out string, pastes []Paste) {
	c := cutter{done: func(p Paste) { pastes = append(pastes, p) }, maximum: PasteMaxBytes}
	var b []byte
	for _, p := range pieces {
		b = c.feed(b, []byte(p), noon)
	}
	return string(c.finish(b)), pastes
}

func samePastes(a, b []Paste) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i].Text, b[i].Text) || a[i].Cut != b[i].Cut || a[i].Dropped != b[i].Dropped {
			return false
		}
	}
	return true
}

func show(pastes []Paste) string {
	var b strings.Builder
	for _, p := range pastes {
		fmt.Fprintf(&b, "[%q dropped %d cut %v]", p.Text, p.Dropped, p.Cut)
	}
	return b.String()
}

func checkSplit(t interface{ Fatalf(string, ...any) }, stream string, pieces []string) {
	out, pastes := run(pieces...)
	wantOut, wantPastes := oracle(stream)
	if out != wantOut {
		t.Fatalf("%q in %q: passed on %q, want %q", stream, pieces, out, wantOut)
	}
	if !samePastes(pastes, wantPastes) {
		t.Fatalf("%q in %q: pastes %s, want %s", stream, pieces, show(pastes), show(wantPastes))
	}
}

// However the stream is split, the same bytes pass and the same pastes are cut out.
func TestAnySplitIsTheSame(t *testing.T) {
	token := rapid.SampledFrom([]string{
		"a", "\x1b", "\x1b[A", "[", "\x1b[2", "\x1b[20", "\x1b[200", "\x1b[200~", "\x1b[201~", "\x1b[201",
		"\xff\x00", "世", "\r", "\x1b[<0;1;1M", "\x1b[2~", "200~", "\x1b\x1b[200~", "\x1b[200~x\x1b[201~",
	})
	rapid.Check(t, func(rt *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(token, 0, 14).Draw(rt, "stream"), "")
		var pieces []string
		for rest := stream; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "piece")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		checkSplit(rt, stream, pieces)
	})
}

func TestEveryTwoPieces(t *testing.T) {
	const stream = "a\x1b[A\x1b[200~one\x1b[31m\x1b[20\xff\x1b[201~b\x1b[200~\x1b[201~\x1b[2~"
	for i := range len(stream) + 1 {
		checkSplit(t, stream, []string{stream[:i], stream[i:]})
	}
	checkSplit(t, stream, strings.Split(stream, ""))
}

func FuzzCutter(f *testing.F) {
	f.Add("a\x1b[200~x\x1b[201~b", uint(3), uint(7))
	f.Fuzz(func(t *testing.T, stream string, i, j uint) {
		a := min(i, uint(len(stream)))
		b := min(max(j, a), uint(len(stream)))
		checkSplit(t, stream, []string{stream[:a], stream[a:b], stream[b:]})
		checkSplit(t, stream, strings.Split(stream, ""))
	})
}

type timed struct {
	after time.Duration // since the last; negative: what came before it has become keys
	bytes string
}

func TestTimes(t *testing.T) {
	const mark, done, long, gone = "\x1b[200~", "\x1b[201~", time.Hour, -time.Hour
	cases := []struct {
		name   string
		reads  []timed
		out    string
		pastes []Paste
	}{
		{"no time-out in a paste", []timed{{0, mark + "one"}, {long, strings.Repeat("two ", 20)},
			{long, done}},
			mark + done, []Paste{{Text: []byte("one" + strings.Repeat("two ", 20))}}},
		{"a key after a pause", []timed{{0, mark + "one"}, {PasteStall, "q"}},
			mark + done + "q", []Paste{{Text: []byte("one"), Cut: true}}},
		{"a key too early", []timed{{0, mark + "one"}, {PasteStall - 1, "q"}, {0, done}},
			mark + done, []Paste{{Text: []byte("oneq")}}},
		{"an arrow after a pause", []timed{{0, mark + "one"}, {PasteStall, "\x1b[A"}},
			mark + done + "\x1b[A", []Paste{{Text: []byte("one"), Cut: true}}},
		{"a control character after a pause", []timed{{0, mark + "one"}, {PasteStall, "\x03"}},
			mark + done + "\x03", []Paste{{Text: []byte("one"), Cut: true}}},
		{"Esc after a pause, then another key", []timed{{0, mark + "one"}, {PasteStall, "\x1b"},
			{0, "q"}},
			mark + done + "\x1bq", []Paste{{Text: []byte("one"), Cut: true}}},
		{"the end mark after a pause", []timed{{0, mark + "one"}, {PasteStall, done + "b"}},
			mark + done + "b", []Paste{{Text: []byte("one")}}},
		{"the end mark after a pause, in pieces",
			[]timed{{0, mark + "one"}, {PasteStall, "\x1b"}, {long, "[20"}, {long, "1~b"}},
			mark + done + "b", []Paste{{Text: []byte("one")}}},
		{"the end mark split over a pause", []timed{{0, mark + "one\x1b[2"}, {long, "01~b"}},
			mark + done + "b", []Paste{{Text: []byte("one")}}},
		{"the last byte of the end mark after a pause", []timed{{0, mark + "one\x1b[201"}, {long, "~"}},
			mark + done, []Paste{{Text: []byte("one")}}},
		{"a new paste after a pause", []timed{{0, mark + "one"},
			{PasteStall, mark + "a second one, rather longer" + done}},
			mark + done + mark + done,
			[]Paste{{Text: []byte("one"), Cut: true}, {Text: []byte("a second one, rather longer")}}},
		{"Esc goes on at once", []timed{{0, "\x1b"}, {long, "x"}}, "\x1bx", nil},
		{"a slow start mark", []timed{{0, "\x1b"}, {time.Millisecond, "[20"},
			{time.Millisecond, "0~x" + done}},
			mark + done, []Paste{{Text: []byte("x")}}},
		{"a start mark so slow that Esc became a key", []timed{{0, "\x1b"}, {gone, "[200~x" + done}},
			"\x1b" + mark + done, []Paste{{Text: []byte("x")}}},
		{"in pieces, too", []timed{{0, "\x1b"}, {gone, "[2"}, {long, "00~x" + done}},
			"\x1b" + mark + done, []Paste{{Text: []byte("x")}}},
		{"Alt-[ became a key, then a digit", []timed{{0, "\x1b["}, {gone, "2"}, {long, "0"}},
			"\x1b[20", nil},
		{"held, then late", []timed{{0, "\x1b["}, {time.Millisecond, "20"}, {long, "0~x" + done}},
			mark + done, []Paste{{Text: []byte("x")}}},
		{"held, then no mark", []timed{{0, "\x1b["}, {time.Millisecond, "20"}, {long, "4~"}},
			"\x1b[204~", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var pastes []Paste
			cut := cutter{done: func(p Paste) { pastes = append(pastes, p) }, maximum: PasteMaxBytes}
			var out []byte
			now := noon
			for _, r := range c.reads {
				if r.after < 0 {
					cut.gone()
				}
				now = now.Add(max(r.after, -r.after))
				out = cut.feed(out, []byte(r.bytes), now)
			}
			if string(out) != c.out {
				t.Errorf("passed on %q, want %q", out, c.out)
			}
			if !samePastes(pastes, c.pastes) {
				t.Errorf("pastes %s, want %s", show(pastes), show(c.pastes))
			}
		})
	}
}

func TestPasteBeyondTheLimitIsCounted(t *testing.T) {
	var pastes []Paste
	c := cutter{done: func(p Paste) { pastes = append(pastes, p) }, maximum: 10}
	out := c.feed(nil, []byte("\x1b[200~0123456789abc\x1b[3\x1b[201~k"), noon)
	want := []Paste{{Text: []byte("0123456789"), Dropped: 6}}
	if !samePastes(pastes, want) || string(out) != "\x1b[200~\x1b[201~k" {
		t.Errorf("got %q and %s, want %s", out, show(pastes), show(want))
	}
}
