package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, x := range tests {
		if seen[x.name] {
			t.Errorf("%s is there twice", x.name)
		}
		seen[x.name] = true
		if x.must <= 0 || x.aim <= 0 || x.must == x.aim {
			t.Errorf("%s: must %g, aim %g: want two positive bounds", x.name, x.must, x.aim)
		}
		if !strings.Contains(Describe(), " "+x.name+" ") || !strings.Contains(Describe(), x.measures) {
			t.Errorf("%s is not described:\n%s", x.name, Describe())
		}
	}
	if got := Names(); len(got) != len(seen) {
		t.Errorf("got names %v, want all %d", got, len(seen))
	}
}

func TestBoundsOfLinesAboutTerminals(t *testing.T) {
	want := map[string]string{
		"term_key":    "must <= 2    aim <= 1",
		"term_flood":  "must <= 0.5  aim <= 0.3",
		"vt_plain":    "must >= 1.3  aim >= 2",
		"vt_sgr":      "must >= 1.3  aim >= 2",
		"vt_cjk":      "must >= 1.3  aim >= 2",
		"vt_redraw":   "must >= 1.3  aim >= 2",
		"flood_other": "must <= 2    aim <= 1.3",
	}
	got := map[string]string{}
	for _, x := range tests {
		if _, ok := want[x.name]; ok {
			got[x.name] = strings.TrimRight(bounds(x.must, x.aim), " ")
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCheck(t *testing.T) {
	for _, x := range []struct {
		words []string
		bad   string // the word that is refused
	}{
		{nil, ""},
		{[]string{"ping", "vt_sgr"}, ""},
		{[]string{"vt", "term"}, ""},
		{[]string{"vt_"}, "vt_"},
		{[]string{"v"}, "v"},
		{[]string{"ping", "pong"}, "pong"},
	} {
		err := Check(x.words)
		switch {
		case x.bad == "" && err != nil:
			t.Errorf("%q: %v", x.words, err)
		case x.bad != "" && (err == nil || !strings.Contains(err.Error(), x.bad)):
			t.Errorf("%q: got %v, want it to name %q", x.words, err, x.bad)
		}
	}
}

func TestWordsNameLines(t *testing.T) {
	var got []string
	for _, x := range tests {
		if x.named("vt") {
			got = append(got, x.name)
		}
	}
	want := []string{"vt_plain", "vt_sgr", "vt_cjk", "vt_redraw"}
	if !slices.Equal(got, want) {
		t.Errorf("vt names %v, want %v", got, want)
	}
}

func TestMet(t *testing.T) {
	for _, x := range []struct {
		ratio, must, aim float64
		want             string
	}{
		{1.0, 2.0, 1.0, "aim"},
		{1.1, 2.0, 1.0, "must"},
		{2.0, 2.0, 1.0, "must"},
		{2.1, 2.0, 1.0, "missed"},
		{2.0, 1.3, 2.0, "aim"},
		{1.9, 1.3, 2.0, "must"},
		{1.3, 1.3, 2.0, "must"},
		{1.2, 1.3, 2.0, "missed"},
	} {
		l := Line{Ratio: x.ratio, Must: x.must, Aim: x.aim, AtLeast: atLeast(x.must, x.aim)}
		if got := l.Met(); got != x.want {
			t.Errorf("ratio %g, must %g, aim %g: got %s, want %s", x.ratio, x.must, x.aim, got, x.want)
		}
		l.Skipped = "tmux is missing"
		if got := l.Met(); got != "skipped" {
			t.Errorf("skipped: got %s", got)
		}
	}
}

// What reads the JSON reads these names.
func TestJSON(t *testing.T) {
	l := Line{Name: "vt_sgr", Value: 60, Unit: "MB/s", Floor: 20, Ratio: 3, Must: 1.3, Aim: 2, AtLeast: true}
	for _, x := range []struct {
		line Line
		want string
	}{
		{l, `{"name":"vt_sgr","value":60,"unit":"MB/s","floor":20,"ratio":3,"must":1.3,"aim":2,"at_least":true}`},
		{Line{Name: "ping", Must: 2, Aim: 1.5, Skipped: "why"}, `{"name":"ping","value":0,"unit":"",` +
			`"floor":0,"ratio":0,"must":2,"aim":1.5,"at_least":false,"skipped":"why"}`},
	} {
		got, err := json.Marshal(x.line)
		if err != nil || string(got) != x.want {
			t.Errorf("got %s, %v, want %s", got, err, x.want)
		}
	}
}

func TestLineString(t *testing.T) {
	l := Line{Name: "vt_sgr", Value: 60, Unit: "MB/s", Floor: 20, Ratio: 3, Must: 1.3, Aim: 2, AtLeast: true}
	want := "vt_sgr             60.00 MB/s ratio     3.00 must >= 1.3  aim >= 2    aim    floor 20.00"
	if got := l.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Without tmux the lines against it say so, and start nothing.
func TestSkippedWithoutPeer(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, name := range []string{"term_key", "term_flood", "vt"} {
		err := Run(context.Background(), []string{name}, func(l Line) {
			if l.Skipped != "tmux is missing" || !strings.Contains(l.String(), "skipped: tmux is missing") {
				t.Errorf("%s: got %v, want it skipped for tmux", name, l)
			}
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRunStopsAtAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	t.Setenv("PATH", t.TempDir())
	n := 0
	err := Run(ctx, []string{"vt"}, func(Line) { n++ })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("got %v after %d lines, want %v after one", err, n, context.Canceled)
	}
}

// The last line of a flood is found wherever the pieces are cut, and nothing before it is kept.
func TestWaitTail(t *testing.T) {
	flood := bytes.Repeat([]byte("all work and no play\r\n"), 10_000)
	mark := floodMark(2)
	for _, cut := range []int{1, 7, len(mark) - 1} {
		s := &screen{data: make(chan []byte, 4)}
		s.data <- flood
		s.data <- []byte("\x1b[60;1H" + mark[:cut])
		s.data <- []byte(mark[cut:])
		if err := s.waitTail(mark); err != nil {
			t.Errorf("cut at %d: %v", cut, err)
		}
		if len(s.seen) > 8<<10 {
			t.Errorf("cut at %d: %d bytes are kept", cut, len(s.seen))
		}
	}
	s := &screen{data: make(chan []byte, 1)}
	s.data <- []byte(floodMark(1)) // of another turn
	close(s.data)
	if err := s.waitTail(mark); err == nil || !strings.Contains(err.Error(), "ended") {
		t.Errorf("got %v, want it to say that the program ended", err)
	}
}
