package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"
)

// script is a terminal whose reads return the pieces one by one, each after a pause. Its clock
// stands still but in a pause.
type script struct {
	t        *testing.T
	pieces   []timed
	now      time.Time
	deadline time.Time
	err      error // after the last
}

func (s *script) Read(b []byte) (int, error) {
	if len(s.pieces) == 0 {
		return 0, s.err
	}
	p := &s.pieces[0]
	if p.bytes == "" {
		s.pieces = s.pieces[1:]
		return s.Read(b)
	}
	due := s.now.Add(p.after)
	if !s.deadline.IsZero() && s.deadline.Before(due) {
		p.after = due.Sub(s.deadline)
		s.now = s.deadline
		return 0, os.ErrDeadlineExceeded
	}
	s.now, p.after = due, 0
	n := copy(b, p.bytes)
	if p.bytes = p.bytes[n:]; p.bytes == "" {
		s.pieces = s.pieces[1:]
	}
	return n, nil
}

func (s *script) SetReadDeadline(at time.Time) error {
	if !at.IsZero() && !at.After(s.now) {
		s.t.Errorf("a deadline that has passed")
	}
	s.deadline = at
	return nil
}

// messages returns what a Reader makes of a script, each as a word.
func messages(t *testing.T, pieces ...timed) []string {
	s := &script{t: t, pieces: pieces, now: noon, err: io.EOF}
	var got []string
	err := NewReader(s, func() time.Time { return s.now }).Run(func(msg tea.Msg) {
		got = append(got, word(msg))
	})
	if !errors.Is(err, io.EOF) {
		t.Fatalf("ended with %v", err)
	}
	return got
}

func word(msg tea.Msg) string {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return msg.String()
	case Paste:
		return fmt.Sprintf("<%s>", msg.Text)
	case tea.MouseClickMsg:
		return fmt.Sprintf("click %d,%d", msg.X, msg.Y)
	}
	_, name, _ := strings.Cut(fmt.Sprintf("%T", msg), ".")
	return name
}

func TestReader(t *testing.T) {
	const soon, late, never = EscTimeout / 2, 2 * EscTimeout, 2 * SequenceTimeout
	const answered, da1 = "\x1b[?62c", "PrimaryDeviceAttributesEvent "
	for _, c := range []struct {
		name   string
		pieces []timed
		want   string
	}{
		{"keys", []timed{{0, "aB\r\x1b[A\x1bOP\x1b[1;5C"}}, "a B enter up f1 ctrl+right"},
		{"a wide rune in pieces", []timed{{0, "\xe4"}, {soon, "\xb8"}, {soon, "\x96x"}}, "世 x"},
		{"a sequence in pieces", []timed{{0, "\x1b"}, {soon, "["}, {soon, "1;"}, {soon, "2A"}},
			"shift+up"},
		{"Esc", []timed{{0, "\x1b"}, {late, "a"}}, "esc a"},
		{"Esc at the end", []timed{{0, "\x1b"}}, "esc"},
		{"Esc twice", []timed{{0, "\x1b"}, {late, "\x1b"}, {late, "a"}}, "esc esc a"},
		{"Alt", []timed{{0, "\x1ba"}, {soon, "\x1b\x1b[A"}}, "alt+a alt+up"},
		{"Alt does not wait", []timed{{0, "\x1bx"}, {soon, "[A"}}, "alt+x [ A"},
		{"Alt-[ waits", []timed{{0, answered}, {soon, "\x1b["}, {late, "A"}}, da1 + "alt+[ A"},
		{"Alt-[ waits for answers", []timed{{0, "\x1b["}, {late, "?62;22c"}}, da1},
		{"Alt-[ does not wait for ever", []timed{{0, "\x1b["}, {never, "A"}, {late, "\x1b["},
			{late, "A"}}, "alt+[ A alt+[ A"},
		{"Alt-[ and digits", []timed{{0, answered}, {soon, "\x1b["}, {late, "2"}, {late, "5"}},
			da1 + "alt+[ 2 5"},
		{"Alt-] and a digit", []timed{{0, answered}, {soon, "\x1b]"}, {late, "1"}}, da1 + "alt+] 1"},
		{"Esc and text", []timed{{0, "\x1b"}, {late, "[x]"}, {late, "Oops"}}, "esc [ x ] O o p s"},
		{"a cut rune", []timed{{0, "\xe4"}, {late, "\xb8\x96x"}}, "世 x"},
		{"a rune that stays away", []timed{{0, "\xe4"}, {soon, "x"}}, "x"},
		{"Alt with a cut rune", []timed{{0, "\x1b\xc3"}, {late, "\xa9x"}}, "alt+é x"},
		{"the console's F1", []timed{{0, "\x1b[["}, {late, "A"}}, "f1"},
		{"an old mouse", []timed{{0, "\x1b[M "}, {late, "\"#"}}, "click 1,2"},
		{"the mouse, late", []timed{{0, "\x1b[<64;1"}, {late, "0;5M"}}, "MouseWheelMsg"},
		{"a key, late", []timed{{0, "\x1b[1;"}, {late, "5C"}}, "ctrl+right"},
		{"a colour, late", []timed{{0, "\x1b]1"}, {late, "0;rgb:ffff/ffff/ffff"}, {late, "\x1b"},
			{late, "\\"}}, "ForegroundColorMsg"},
		{"an answer after Esc", []timed{{0, "\x1b"}, {late, "["}, {late, "?62;22"}, {late, ";52c"}},
			"esc " + da1},
		{"the mouse after Esc", []timed{{0, answered}, {soon, "\x1b"}, {late, "[<0;3;4M"}},
			da1 + "esc click 2,3"},
		{"a colour that is cut off", []timed{{0, "\x1b]11;rgb:ff"}, {soon, "\x1b[Ax"}}, "up x"},
		{"a colour that a key ends", []timed{{0, "\x1b]11;rgb:ff"}, {soon, "\rx"}}, "enter x"},
		{"a string that is cut off", []timed{{0, "\x1bP1$r"}, {late, "q\x1bOPx"}}, "f1 x"},
		{"an answer that is cut off", []timed{{0, "\x1b[?62;"}, {late, "\x1b[A"}}, "up"},
		{"an answer that stays away", []timed{{0, "\x1b[?62;"}, {never, "x"}, {late, "y"}}, "x y"},
		{"a colour that stays away", []timed{{0, "\x1b]11;rgb:"}, {never, "x"}}, "x"},
		{"a paste that begins late", []timed{{0, answered}, {soon, "\x1b"}, {soon, "[2"},
			{late, "00~x\x1b[201~"}}, da1 + "<x>"},
		{"the mouse", []timed{{0, "\x1b[<0;3;4M"}}, "click 2,3"},
		{"answers in pieces", []timed{{0, "\x1b[?2026;"}, {soon, "2$y\x1b]11;rgb:0000/"},
			{soon, "0000/0000\x1b"}, {soon, "\\\x1b[?62c"}},
			"ModeReportMsg BackgroundColorMsg PrimaryDeviceAttributesEvent"},
		{"the colours", []timed{{0, "\x1b]10;rgb:ff/ff/ff\x07\x1b]11;rgb:0/0/0\x1b\\"}},
			"ForegroundColorMsg BackgroundColorMsg"},
		{"noise", []timed{{0, "a\x1b[?99zb\xff"}, {soon, "c"}}, "a b c"},
		{"a sequence that stays away", []timed{{0, "\x1b[12"}, {never, "a"}}, "a"},
		{"a paste among keys", []timed{{0, "a\x1b[20"}, {soon, "0~x\xffy"}, {late, "z\x1b[201"},
			{late, "~b\x1b[200~\x1b[201~c"}}, "a <x\xffyz> b <> c"},
		{"a paste without an end", []timed{{0, "\x1b[200~lost"}}, "<lost>"},
		{"an end of nothing", []timed{{0, "a\x1b[201~b"}}, "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := strings.TrimSpace(c.want)
			if got := strings.Join(messages(t, c.pieces...), " "); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// However what comes at once is split, the same messages come of it.
func TestAnySplitDecodesTheSame(t *testing.T) {
	token := rapid.SampledFrom([]string{"a", "世", "e\u0301", "\r", "\x1b[A", "\x1bOQ", "\x1b[1;5C",
		"\x1b[97;5u", "\x1b[27;5;13~", "\x1b[<0;3;4M", "\x1b[<0;3;4m", "\x1b[?2027;2$y",
		"\x1b]11;rgb:ffff/ffff/ffff\x07", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b[?62;4c", "\x1b[I",
		"\x1b[O", "\x1b[200~x\x1b[A\x1b[201~"})
	rapid.Check(t, func(rt *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(token, 0, 10).Draw(rt, "stream"), "")
		var pieces []timed
		for rest := stream; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "piece")
			pieces, rest = append(pieces, timed{time.Millisecond, rest[:n]}), rest[n:]
		}
		whole, split := messages(t, timed{0, stream}), messages(t, pieces...)
		// A cluster that is cut is two keys: what it types is the same.
		if got, want := strings.Join(split, ""), strings.Join(whole, ""); got != want {
			rt.Fatalf("%q in %+v: got %q, want %q", stream, pieces, got, want)
		}
	})
}

// A sequence that never ends costs no more than its bytes, and the keys after it come.
func TestEndlessSequence(t *testing.T) {
	s := &script{t: t, now: noon, err: io.EOF, pieces: []timed{
		{0, "\x1b]52;c;" + strings.Repeat("A", 4*sequenceMax)}, {2 * SequenceTimeout, "q"}}}
	r := NewReader(s, func() time.Time { return s.now })
	got, most := "", 0
	err := r.Run(func(msg tea.Msg) { got, most = got+word(msg), max(most, cap(r.pending)) })
	if got != "q" || most > 4*sequenceMax || err != io.EOF {
		t.Errorf("got %.20q, %d bytes were kept, %v", got, most, err)
	}
}

// However what a terminal sends is split, whatever the pauses, none of it is typed. Only where a
// split leaves what is a key by itself do other keys come of it.
func TestNoSplitTypes(t *testing.T) {
	token := rapid.SampledFrom([]string{"\x1b[?2026;2$y", "\x1b[?2027;0$y", "\x1b[?0u",
		"\x1b]10;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:1111/1111/1111\a", "\x1b[?62;22;52c",
		"\x1b[?997;1n", "\x1bP>|tmux 3.4\x1b\\", "\x1b[1;5C", "\x1b[15~", "\x1b[97;5u",
		"\x1b[27;5;13~", "\x1b[<64;10;5M", "\x1b[<0;3;4m", "\x1b[[B", "\x1b[M #$", "\x1b\x1b[1;2A"})
	rapid.Check(t, func(rt *rapid.T) {
		var pieces []timed
		stream := rapid.SliceOfN(token, 1, 10).Draw(rt, "stream")
		for _, rest := range stream {
			pause := SequenceTimeout / time.Duration(len(rest)) // all of them are no time-out
			for begun := false; rest != ""; begun = true {
				least := 1
				if !begun {
					least = 3 + strings.Count(rest[:2], "\x1b") - 1 // what can be no key
				}
				n := rapid.IntRange(min(least, len(rest)), len(rest)).Draw(rt, "piece")
				after := time.Duration(rapid.Int64Range(0, int64(pause)-1).Draw(rt, "pause"))
				pieces, rest = append(pieces, timed{after, rest[:n]}), rest[n:]
			}
		}
		whole := messages(t, timed{0, strings.Join(stream, "")})
		if got := messages(t, pieces...); !slices.Equal(got, whole) {
			rt.Fatalf("%+v: got %q, want %q", pieces, got, whole)
		}
	})
}

// The same where the first split is anywhere, and is late.
func TestNoLateSplitTypes(t *testing.T) {
	for _, sequence := range []string{"\x1b[?2026;2$y", "\x1b]11;rgb:1111/1111/1111\x1b\\",
		"\x1b[?62;22;52c", "\x1b[1;5C", "\x1b[A", "\x1bOP", "\x1b[<64;10;5M", "\x1b[I", "\x1b[15~"} {
		for i := 1; i < len(sequence)-1; i++ {
			for _, before := range []string{"", "\x1b[?62c"} {
				got := messages(t, timed{0, before}, timed{0, sequence[:i]},
					timed{2 * EscTimeout, sequence[i:]})
				for _, word := range got {
					if utf8.RuneCountInString(word) == 1 {
						t.Errorf("%q + %q: got %q", sequence[:i], sequence[i:], got)
					}
				}
			}
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add("a\x1b[200~x\x1b[201~b\x1b", uint(3))
	f.Add("\x1bP>|tmux\x1b\\\x1b]11;?\x07\x1b[1;2R", uint(9))
	f.Fuzz(func(t *testing.T, stream string, cut uint) {
		cut = min(cut, uint(len(stream)))
		messages(t, timed{0, stream[:cut]}, timed{EscTimeout / 2, stream[cut:] + "."})
	})
}

func BenchmarkPaste10MB(b *testing.B) {
	text := strings.Repeat("All work and no play makes Jack \x1b[1ma\x1b[m dull boy.\r", 10<<20/51)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := &script{pieces: []timed{{0, "\x1b[200~"}, {0, text}, {0, "\x1b[201~"}}, err: io.EOF}
		n := 0
		NewReader(s, time.Now).Run(func(msg tea.Msg) { n += len(msg.(Paste).Text) })
		if n != len(text) {
			b.Fatalf("got %d bytes, want %d", n, len(text))
		}
	}
}

func BenchmarkKey(b *testing.B) {
	keys := bytes.Repeat([]byte("a"), b.N)
	s := &endless{keys: keys}
	b.ReportAllocs()
	b.ResetTimer()
	NewReader(s, time.Now).Run(func(tea.Msg) {})
}

// endless is a terminal on which one key after the other is pressed.
type endless struct{ keys []byte }

func (e *endless) Read(b []byte) (int, error) {
	if len(e.keys) == 0 {
		return 0, io.EOF
	}
	b[0], e.keys = e.keys[0], e.keys[1:]
	return 1, nil
}

func (e *endless) SetReadDeadline(time.Time) error { return nil }
