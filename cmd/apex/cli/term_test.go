package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"apex/core"
	"apex/proto"
)

func TestSize(t *testing.T) {
	sizes := map[string][2]int{"80x24": {80, 24}, "1x1": {1, 1}, "2000x1000": {2000, 1000}}
	for arg, want := range sizes {
		if cols, rows, err := size(arg); err != nil || [2]int{cols, rows} != want {
			t.Errorf("%s: got %dx%d, %v", arg, cols, rows, err)
		}
	}
	for _, arg := range []string{"", "x", "80", "80x", "x24", "80X24", "80x24x1", "0x24", "80x-1",
		"2001x1", "1x1001", "99999999999999999999x1"} {
		if cols, rows, err := size(arg); exitStatus(err) != exitUsage {
			t.Errorf("%q: got %dx%d, %v", arg, cols, rows, err)
		}
	}
}

func TestSeconds(t *testing.T) {
	times := map[string]seconds{"1": 1000, "0.5": 500, "0.0001": 1, "604800": 604_800_000}
	for arg, want := range times {
		var s seconds
		if err := s.Set(arg); err != nil || s != want {
			t.Errorf("%s: got %d, %v", arg, s, err)
		}
	}
	for _, arg := range []string{"", "0", "-1", "NaN", "Inf", "-Inf", "604801", "1e300", "1s"} {
		var s seconds
		if err := s.Set(arg); exitStatus(err) != exitUsage {
			t.Errorf("%q: got %d, %v", arg, s, err)
		}
	}
}

func TestSignalArgs(t *testing.T) {
	tests := []struct{ in, want string }{
		{"kill -9 p0.1", "kill --signal=9 p0.1"},
		{"kill -KILL p0.1", "kill --signal=KILL p0.1"},
		{"-s work kill p0.1 -SIGTERM", "-s work kill p0.1 --signal=SIGTERM"},
		{"term kill -HUP -s work t0.1", "term kill --signal=HUP -s work t0.1"},
		{"kill -- -9", "kill -- -9"},
		{"kill -h", "kill -h"},
		{"term send t0.1 -9", "term send t0.1 -9"},
		{"ps -9", "ps -9"},
	}
	for _, x := range tests {
		root := (&app{}).root()
		if got := strings.Join(signalArgs(root, strings.Fields(x.in)), " "); got != x.want {
			t.Errorf("%s: got %s, want %s", x.in, got, x.want)
		}
	}
	for arg, want := range map[string]signalName{"9": "KILL", "KILL": "KILL", "SIGKILL": "KILL",
		"1": "HUP", "WINCH": "WINCH"} {
		var s signalName
		if err := s.Set(arg); err != nil || s != want {
			t.Errorf("%s: got %s, %v", arg, s, err)
		}
	}
	for _, arg := range []string{"", "0", "-9", "99", "NONE", "SIG", "SIGSIGKILL"} {
		var s signalName
		if err := s.Set(arg); err == nil {
			t.Errorf("%q: got %s", arg, s)
		}
	}
}

func TestUntil(t *testing.T) {
	tests := []struct {
		in   string
		want proto.TermWait
	}{
		{"exit", proto.TermWait{Kind: proto.WaitExit}},
		{"prompt", proto.TermWait{Kind: proto.WaitPrompt}},
		{"quiet", proto.TermWait{Kind: proto.WaitQuiet}},
		{"quiet=40", proto.TermWait{Kind: proto.WaitQuiet, Quiet: 40}},
		{"/exit/", proto.TermWait{Kind: proto.WaitMatch, Pattern: "exit"}},
		{"/a/b/", proto.TermWait{Kind: proto.WaitMatch, Pattern: "a/b"}},
	}
	for _, x := range tests {
		got, err := until(x.in)
		if err != nil || *got != x.want {
			t.Errorf("%s: got %+v, %v", x.in, got, err)
		}
	}
}

// A piece of a text ends neither within a rune nor within a line end of two bytes.
func TestWhole(t *testing.T) {
	tests := []struct{ in, want string }{
		{"abc", "abc"},
		{"ab\n", "ab\n"},
		{"ab\r", "ab"},
		{"ab\r\n", "ab\r\n"},
		{"abé", "abé"},
		{"ab\xc3", "ab"},
		{"ab\xf0\x9f\x98", "ab"},
		{"ab\xf0\x9f\x98\x80", "ab\U0001f600"},
		{"ab\xff", "ab\xff"}, // no beginning of a rune: it goes as it is
		{"a\x80\x80\x80\x80", "a\x80\x80\x80\x80"},
		{"\r", "\r"},
	}
	for _, x := range tests {
		if got := whole([]byte(x.in)); string(got) != x.want {
			t.Errorf("%q: got %q, want %q", x.in, got, x.want)
		}
	}
	text := strings.Repeat("aé\r\n\U0001f600", 100)
	for n := 4; n < len(text); n++ {
		piece := whole([]byte(text[:n]))
		if n-len(piece) >= utf8.UTFMax || !utf8.Valid(piece) || bytes.HasSuffix(piece, []byte("\r")) {
			t.Fatalf("%d bytes: the piece has %d, and ends with %q", n, len(piece), piece[len(piece)-3:])
		}
	}
}

func TestEnvVars(t *testing.T) {
	got, err := envVars([]string{"B=1", "A=x=y", "B=2", "C="}, []string{"D", "A"})
	want := []proto.EnvVar{{Name: "A", Unset: true}, {Name: "B", Value: "2"}, {Name: "C"},
		{Name: "D", Unset: true}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got := quoted("it's $HOME\n"); got != `'it'\''s $HOME`+"\n'" {
		t.Errorf("got %s", got)
	}
}

// The exit status of what was run is a shell's: its own, or above 128 for a signal.
func TestRunStatus(t *testing.T) {
	tests := []struct {
		out  proto.TermOutput
		want int
		says string
	}{
		{proto.TermOutput{HasStatus: true}, 0, ""},
		{proto.TermOutput{HasStatus: true, Status: 42}, 42, ""},
		{proto.TermOutput{HasStatus: true, Cut: 3}, 0, "3 lines at the beginning"},
		{proto.TermOutput{TimedOut: true}, exitTimeout, ""},
		{proto.TermOutput{HasStatus: true, Status: 3, Ended: true}, 3, "has ended, exited with 3"},
		{proto.TermOutput{Ended: true, Signal: "KILL"}, 137, "has ended, killed by KILL"},
		{proto.TermOutput{Ended: true}, exitFailed, "has ended, nobody knows how"},
		{proto.TermOutput{}, exitFailed, ""},
	}
	for _, x := range tests {
		var out, errs bytes.Buffer
		a := &app{Streams: Streams{Out: &out, Err: &errs}}
		x.out.Output = []byte("o\n")
		timeout := seconds(1500)
		if got := exitStatus(a.ran(&x.out, &timeout)); got != x.want || out.String() != "o\n" {
			t.Errorf("%+v: status %d, want %d, output %q", x.out, got, x.want, out.String())
		}
		if !strings.Contains(errs.String(), x.says) || x.says == "" && errs.Len() > 0 {
			t.Errorf("%+v: says %q, want %q", x.out, errs.String(), x.says)
		}
	}
}

// How a program ended shows as one thing.
func TestStates(t *testing.T) {
	code := 0
	tests := []struct {
		in   proto.TermEntry
		want string
		code *int
	}{
		{proto.TermEntry{Running: true}, "running", nil},
		{proto.TermEntry{}, "exited with 0", &code},
		{proto.TermEntry{Signal: "TERM"}, "killed by TERM", nil},
		{proto.TermEntry{Reason: "its holder is gone"}, "its holder is gone", nil},
	}
	for _, x := range tests {
		x.in.Term = core.TermID(core.MakeID(0, 1))
		got := termOf(&x.in)
		if got.state() != x.want || (got.Status == nil) != (x.code == nil) {
			t.Errorf("%+v: %s with status %v, want %s", x.in, got.state(), got.Status, x.want)
		}
	}
}
