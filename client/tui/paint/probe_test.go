package paint

import (
	"strings"
	"testing"
)

func TestProbesAskForWhatTheTableSays(t *testing.T) {
	for _, p := range probes {
		if n, w := First(p.text); n != len(p.text) || w != p.width {
			t.Errorf("%q: First says %d bytes, %d cells, want %d, %d", p.text, n, w, len(p.text), p.width)
		}
	}
	if got := strings.Count(string(AppendProbe(nil)), "\x1b[6n"); got != len(probes) {
		t.Errorf("asks %d times, want %d", got, len(probes))
	}
}

func TestProbe(t *testing.T) {
	cases := []struct {
		name  string
		wrong func(i int) bool
		want  Caps
	}{
		{"agrees", func(int) bool { return false }, Caps{Clusters: true, Emoji: true}},
		{"counts runes", func(i int) bool { return i >= 3 }, Caps{Emoji: true}},
		{"old emoji", func(i int) bool { return i == 1 }, Caps{Clusters: true}},
		{"knows nothing", func(int) bool { return true }, Caps{}},
	}
	for _, c := range cases {
		var p Probe
		var caps Caps
		for i, probe := range probes {
			p.Trust(&caps)
			if caps != (Caps{}) {
				t.Fatalf("%s: trusted after %d answers", c.name, i)
			}
			column := probe.width
			if c.wrong(i) {
				column += 2
			}
			if done := p.Answer(column); done != (i == len(probes)-1) {
				t.Fatalf("%s: done %v after %d answers", c.name, done, i+1)
			}
		}
		p.Answer(99) // somebody else's report
		if p.Trust(&caps); caps != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, caps, c.want)
		}
	}
}

func TestWriterRepairsTheScreenAfterProbes(t *testing.T) {
	f := &tty{}
	w := NewWriter(f, TrueColour, Caps{})
	must(t, w.Enter())
	must(t, w.Paint(letters("abc"), Cursor{}))
	f.take()
	if _, err := w.Write(AppendProbe(nil)); err != nil {
		t.Fatal(err)
	}
	if got := f.take(); !strings.Contains(got, "abc") {
		t.Errorf("got %q", got)
	}
}
