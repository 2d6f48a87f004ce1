package proto

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"apex/core"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The first frames' bytes are frozen for ever: these literals never change, whatever Version is.
func TestFirstFramesAreFrozen(t *testing.T) {
	for _, tt := range []struct {
		m    Message
		want string
	}{
		{&Server{Min: 1, Max: 2, Build: "v1", PID: 4711}, "0000000e856461706578010262763119" + "1267"},
		{&Client{Protocol: 2, Build: "v1"}, "0000000a" + "836461706578" + "02" + "627631"},
		{&core.Failure{Err: &core.Error{Code: core.CodeVersion, Message: "x"}},
			"00000019" + "8214" + "8253" + hex.EncodeToString([]byte("unsupported_version")) + "4178"},
	} {
		if got := hex.EncodeToString(frameOf(t, tt.m)); got != tt.want {
			t.Errorf("%T: got %s, want %s", tt.m, got, tt.want)
		}
	}
}

// nextVersion are first frames of a build that speaks only what comes after this Version.
var nextVersion = struct{ server, client string }{
	server: "85" + "6461706578" + "02" + "02" + "627632" + "191267",
	client: "83" + "6461706578" + "02" + "627632",
}

// A peer of the next version is told so by code, with both versions, the pid and the command.
func TestNextVersionIsRefused(t *testing.T) {
	if Version != 1 {
		t.Fatalf("Version is %d: make nextVersion's frames speak %d only", Version, Version+1)
	}
	s, err := DecodeServer(unhex(t, nextVersion.server))
	if err != nil {
		t.Fatal(err)
	}
	_, pickErr := s.Pick("v1")
	c, err := DecodeClient(unhex(t, nextVersion.client))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		err   error
		wants []string
	}{
		{pickErr, []string{"(v1) speaks protocol 1", "v2", "speaks 2", "pid 4711", "`kill 4711`"}},
		{NewServer("v1", 99).Check(c), []string{"(v2) speaks protocol 2", "v1", "speaks 1", "`kill 99`"}},
	} {
		if core.CodeOf(tt.err) != core.CodeVersion {
			t.Fatalf("got %v (%s), want %s", tt.err, core.CodeOf(tt.err), core.CodeVersion)
		}
		for _, w := range tt.wants {
			if !strings.Contains(tt.err.Error(), w) {
				t.Errorf("%q lacks %q", tt.err, w)
			}
		}
		if strings.Contains(tt.err.Error(), "\n") {
			t.Errorf("%q is more than a line", tt.err)
		}
	}
}

func TestPick(t *testing.T) {
	for _, tt := range []struct {
		min, max uint64
		want     uint64 // 0: refused
	}{
		{Version, Version, Version},
		{0, Version, Version},
		{MinVersion, Version + 5, Version},
		{Version + 1, Version + 5, 0},
		{0, MinVersion - 1, 0},
	} {
		s := &Server{Min: tt.min, Max: tt.max}
		got, err := s.Pick("")
		if got != tt.want || (err == nil) != (tt.want != 0) {
			t.Errorf("%d to %d: got %d, %v, want %d", tt.min, tt.max, got, err, tt.want)
		}
		if err == nil {
			if err := s.Check(&Client{Protocol: got}); err != nil {
				t.Errorf("%d to %d: the picked %d is refused: %v", tt.min, tt.max, got, err)
			}
		}
	}
}

// Later versions may add fields behind the frozen ones; everything else is not apex.
func TestFirstFramesFromElsewhere(t *testing.T) {
	if s, err := DecodeServer(unhex(t, "8664617065780101627631"+"01"+"a0")); err != nil || s.PID != 1 {
		t.Errorf("with one field more: %v, %v", s, err)
	}
	for name, item := range map[string]string{
		"http":              hex.EncodeToString([]byte("HTTP/1.1 400 Bad Request")),
		"too short":         "8164" + "61706578",
		"another magic":     "8564" + "61706579" + "0101" + "60" + "01",
		"range upside down": "8564" + "61706578" + "0201" + "60" + "01",
		"empty":             "",
		"rest":              "8564" + "61706578" + "0101" + "60" + "01" + "00",
		"long build": "8564" + "61706578" + "0101" + "79" + "0101" +
			hex.EncodeToString([]byte(strings.Repeat("x", 257))) + "01",
	} {
		_, err := DecodeServer(unhex(t, item))
		if e := new(core.Error); !errors.As(err, &e) || e.Code != core.CodeBadRequest {
			t.Errorf("%s: got %v, want bad_request", name, err)
		}
		_, err = DecodeClient(unhex(t, item))
		if core.CodeOf(err) != core.CodeBadRequest {
			t.Errorf("%s: client: got %v, want bad_request", name, err)
		}
	}
}

// A build's name can't break the line that it is printed in, nor the frame.
func TestBuildIsPrintable(t *testing.T) {
	build := "v1\n\x1b[2J\xff" + strings.Repeat("é", maxBuildBytes)
	item := frameOf(t, NewServer(build, 1))[headBytes:]
	s, err := DecodeServer(item)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(s.Build, "\n\x1b") || !utf8.ValidString(s.Build) || len(s.Build) > maxBuildBytes {
		t.Errorf("build %q", s.Build)
	}
}
