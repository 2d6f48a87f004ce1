package tui_test

import (
	"strings"
	"testing"

	"apex/client/tui/tuitest"
)

// TestPasteLarge pastes more than one bundle takes, with bytes that are no UTF-8: every byte arrives,
// and one undo takes all of it back.
func TestPasteLarge(t *testing.T) {
	session := tuitest.NewSession()
	id := session.File("/home/ann/a.txt", "before\nafter\n")
	s := tuitest.New(session, 80, 24, tuitest.Options{})
	s.Key("down")
	pasted := strings.Repeat("line 世界 \xff\xfe\x00 and\ttabs\r\n", 400_000)
	s.Paste(pasted)
	if got := session.Text(id); got != "before\n"+pasted+"after\n" {
		t.Fatalf("a paste of %d bytes became %d", len(pasted), len(got)-len("before\nafter\n"))
	}
	s.Key("ctrl+z")
	if got := session.Text(id); got != "before\nafter\n" {
		t.Errorf("after one undo there are %d bytes", len(got))
	}
	s.Key("ctrl+y")
	if got := session.Text(id); got != "before\n"+pasted+"after\n" {
		t.Errorf("after redo there are %d bytes", len(got))
	}
}

// TestPasteLineEnds checks that the key that terminals send for line ends becomes one, and that what
// has line ends of its own is left alone.
func TestPasteLineEnds(t *testing.T) {
	for _, test := range []struct{ pasted, want string }{
		{"one\rtwo\r", "one\ntwo\n"},
		{"one\ntwo\n", "one\ntwo\n"},
		{"one\r\ntwo\r\n", "one\r\ntwo\r\n"},
		{"no line end", "no line end"},
	} {
		session := tuitest.NewSession()
		id := session.File("/home/ann/a.txt", "")
		s := tuitest.New(session, 80, 24, tuitest.Options{})
		s.Paste(test.pasted)
		if got := session.Text(id); got != test.want {
			t.Errorf("pasted %q, got %q, want %q", test.pasted, got, test.want)
		}
	}
}
