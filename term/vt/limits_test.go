package vt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"apex/core/cell"
	"apex/term/vt/corpus"
)

// held is the memory that the history has, used or not.
func (h *history) held() int {
	chunks := map[*chunk]bool{}
	for _, r := range h.refs[h.head:] {
		chunks[r.chunk] = true
	}
	if h.chunk != nil {
		chunks[h.chunk] = true
	}
	if h.spare != nil {
		chunks[h.spare] = true
	}
	n := cap(h.refs)*24 + cap(h.packed)
	for c := range chunks {
		n += cap(c.buf)
	}
	return n
}

// 60 MB without a line end become lines of bounded length, of which the newest are kept.
func TestOneEndlessLine(t *testing.T) {
	s := New(80, 24, Options{})
	p := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	for range 60 << 20 / len(p) {
		s.Write(p)
	}
	if err := s.verify(); err != nil {
		t.Fatal(err)
	}
	if n := s.history.held(); n > HistoryBytesDefault*5/4 {
		t.Errorf("the history holds %d bytes, want about %d at most", n, HistoryBytesDefault)
	}
	var text strings.Builder
	for n := s.HistoryFirst(); n < s.End(); n++ {
		line, _ := s.LineText(n)
		if len(line) > LineMaxCells+s.cols {
			t.Fatalf("line %d has %d cells, want at most %d", n, len(line), LineMaxCells)
		}
		text.WriteString(line)
	}
	if got := text.String(); len(got) < HistoryBytesDefault*9/10 || !strings.HasSuffix(got, string(p)) {
		t.Errorf("%d bytes are kept, the last %q", len(got), got[max(0, len(got)-20):])
	}
}

// The most that one line can take is bounded whatever is in its cells.
func TestExpensiveLine(t *testing.T) {
	s := New(80, 2, Options{})
	long := strings.Repeat("x", LinkMaxBytes-8)
	pile := "e" + strings.Repeat("\u0301", 60)
	for i := range LineMaxCells + 4000 {
		link := long
		if i > linkLineMax/LinkMaxBytes*2 {
			link = "" // by now links are not kept
		}
		fmt.Fprintf(s, "\x1b]8;;%s%08d\a\x1b[38;2;%d;%d;%dm%s", link, i, i>>16&255, i>>8&255, i&255, pile)
		if i%4096 == 0 && len(s.history.refs) > 0 {
			if n := int(s.history.last().n); n > openLineMax {
				t.Fatalf("a line takes %d bytes, want at most %d", n, openLineMax)
			}
		}
	}
	if n := s.history.held(); n > HistoryBytesDefault+3*openLineMax {
		t.Errorf("the history holds %d bytes", n)
	}
	if err := s.verify(); err != nil {
		t.Fatal(err)
	}
	sameScreens(t, restored(t, s), s)
}

// Strings that never end take bounded memory, and the terminal goes on after them.
func TestEndlessStrings(t *testing.T) {
	for _, start := range []string{"\x1b]2;", "\x1b]52;c;", "\x1bP$q", "\x1bPq", "\x1b_G", "\x1b^", "\x1bX"} {
		s := New(10, 2, Options{})
		s.Write([]byte(start))
		p := bytes.Repeat([]byte("QUJD"), 16<<10)
		for range 8 << 20 / len(p) {
			s.Write(p)
			if n := cap(s.parser.str); n > 2*clipboardStringMax {
				t.Fatalf("%q: %d bytes are kept", start, n)
			}
		}
		s.Write([]byte("\x1b\\ok"))
		if got := cell.RowText(s.Row(0, nil)); got != "ok" || s.Title() != "" || len(s.Events()) != 0 {
			t.Errorf("%q: then %q, title %q", start, got, s.Title())
		}
		if n := cap(s.parser.str); n > stringKeep {
			t.Errorf("%q: %d bytes are kept afterwards", start, n)
		}
	}
}

func TestLargestClipboard(t *testing.T) {
	for _, more := range []int{0, 3} {
		s := New(10, 2, Options{})
		n := ClipboardMaxBytes/3*3 + more
		fmt.Fprintf(s, "\x1b]52;c;%s\a", strings.Repeat("QUJD", n/3))
		if e := s.Events(); (len(e) == 1) != (more == 0) {
			t.Errorf("a text of %d bytes: %d events", n, len(e))
		}
	}
}

// Texts that wait are bounded together, and the newest are kept.
func TestWaitingClipboards(t *testing.T) {
	s := New(10, 2, Options{})
	for i := range 8 {
		fmt.Fprintf(s, "\x1b]52;c%d;%s\a", i, strings.Repeat("QUJD", ClipboardMaxBytes/3))
	}
	e := s.Events()
	if len(e) != eventsMaxBytes/ClipboardMaxBytes || e[len(e)-1].Selection != "c7" {
		t.Errorf("%d events wait, want %d, the last of them c7", len(e), eventsMaxBytes/ClipboardMaxBytes)
	}
}

// A link that is too long or no text is none.
func TestBadLinks(t *testing.T) {
	long := "http://x/" + strings.Repeat("y", LinkMaxBytes-9)
	for uri, want := range map[string]string{long: long, long + "z": "", "http://\x01": "", "http://\xff": ""} {
		s := New(10, 1, Options{})
		fmt.Fprintf(s, "\x1b]8;;http://before/\a\x1b]8;;%s\ax", uri)
		if got := s.Row(0, nil)[0].Link; got != want {
			t.Errorf("%.20q: got link %.20q, want %.20q", uri, got, want)
		}
	}
}

// Counts and parameters without bound do what is possible, at once.
func TestHugeNumbers(t *testing.T) {
	s := New(80, 24, Options{})
	for _, final := range "@ABCDEFGHIJKLMPSTXZ`abdefghlnrstu" {
		fmt.Fprintf(s, "x\x1b[2000000000%c\x1b[2000000000;2000000000%c", final, final)
		fmt.Fprintf(s, "\x1b[%s1%c", strings.Repeat("1;", 100_000), final)
		if err := s.verify(); err != nil {
			t.Fatalf("%c: %v", final, err)
		}
	}
}

// What a program can pile up is bounded.
func TestPilesAreBounded(t *testing.T) {
	s := New(20, 4, Options{HistoryLines: 10})
	for i := range 40_000 {
		fmt.Fprintf(s, "\x1b[38;2;%d;%d;%dm\x1b]8;;http://%d/\a%ce\u0301%c\u0301\x1b[c\x1b[>%du\x1b[22t",
			i>>16, i>>8&255, i&255, i, 'a'+i%26, 'Ā'+i%4000, i%32)
		fmt.Fprintf(s, "\x1b]52;c;QUJD\a\x1b]133;A\a\x1b]9;n\a\x1b7")
		if i%50 == 0 {
			fmt.Fprint(s, "\r\n")
		}
	}
	tab := &s.tables
	if n := max(len(tab.looks), len(tab.links), len(tab.texts)); n > 2*tableMin {
		t.Errorf("a table has %d entries, want at most %d", n, 2*tableMin)
	}
	if len(s.main.kitty) > kittyMax || len(s.titles) > titlesMax || len(s.Events()) > EventsMax ||
		len(s.Replies()) > repliesMax || len(s.history.marks) > MarksMax {
		t.Errorf("%d keyboard modes, %d titles, %d marks", len(s.main.kitty), len(s.titles), len(s.history.marks))
	}
	if err := s.verify(); err != nil {
		t.Fatal(err)
	}
}

func TestMarksAreBounded(t *testing.T) {
	s := New(20, 4, Options{HistoryLines: 1 << 20})
	s.Write(bytes.Repeat([]byte("\x1b]133;A\a$ \x1b]133;B\a\r\n\x1b]133;C\a\x1b]133;D;0\a"), MarksMax))
	marks := s.Marks()
	if n := len(marks); n > MarksMax+4*4 || n < MarksMax/2 {
		t.Errorf("%d marks are kept", n)
	}
	if last := marks[len(marks)-1]; last.Seq != s.MarksSeen() {
		t.Errorf("the last mark is number %d of %d", last.Seq, s.MarksSeen())
	}
	if err := s.verify(); err != nil {
		t.Fatal(err)
	}
}

// 5,000 lines, narrow and back: all of them, whole.
func TestSeqNarrowAndBack(t *testing.T) {
	s := New(80, 24, Options{})
	for i := 1; i <= 5000; i++ {
		fmt.Fprintf(s, "%d and some text that is longer than the narrow screen\r\n", i)
	}
	check := func() {
		t.Helper()
		if n := s.End() - s.HistoryFirst(); n < 5000 {
			t.Fatalf("%d lines, want 5000", n)
		}
		for i := range 5000 {
			want := fmt.Sprintf("%d and some text that is longer than the narrow screen", i+1)
			if got, _ := s.LineText(uint64(i)); got != want {
				t.Fatalf("line %d: got %q, want %q", i, got, want)
			}
		}
	}
	check()
	before := screenText(s)
	if err := s.Resize(20, 24); err != nil {
		t.Fatal(err)
	}
	check()
	if err := s.Resize(80, 24); err != nil {
		t.Fatal(err)
	}
	check()
	same(t, "the screen", screenText(s), before)
}

// A flood of text allocates next to nothing once the history is full.
func TestFloodAllocates(t *testing.T) {
	s := New(corpus.Cols, corpus.Rows, Options{HistoryLines: 1000})
	for _, k := range []corpus.Kind{{Name: "plain", Make: corpus.Plain}, {Name: "sgr", Make: corpus.SGR}} {
		p := k.Make(256 << 10)
		s.Write(p)
		if n := testing.AllocsPerRun(5, func() { s.Write(p) }); n > 20 {
			t.Errorf("%s: %v allocations for %d bytes", k.Name, n, len(p))
		}
	}
}

// Every byte of a snapshot may be damaged: what comes of it is an error or a sound screen.
func TestRestoreDamaged(t *testing.T) {
	s := New(8, 3, Options{HistoryLines: 5})
	s.Write([]byte("\x1b]133;A\a\x1b[1;31mone\x1b]8;;http://x/\a e\u0301世\r\nlong line of text\r\n\x1b]133;D;1\a" +
		"two\r\n\x1b[?1049h\x1b[4:3;38;5;7m👍🏽\x1b[?1049l\x1b]2;t\a\x1b[22t\x1b]9;n\a\x1b[c\x1b[>1u\x1b[12;3"))
	screen, lines := saved(s)
	ask := func(n uint64) ([]byte, bool) { b, ok := lines[n]; return b, ok }
	try := func(what string, p []byte) {
		t.Helper()
		back, err := Restore(p, ask)
		if err != nil {
			return
		}
		if err := back.verify(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		back.Write([]byte("m\x1b\\\x18世\x1b[3b\r\n\r\n\r\n"))
		if err := back.Resize(5, 5); err != nil {
			t.Fatal(err)
		}
		if err := back.verify(); err != nil {
			t.Fatalf("%s: used: %v", what, err)
		}
	}
	try("whole", screen)
	for i := range screen {
		if _, err := Restore(screen[:i], ask); err == nil {
			t.Errorf("cut to %d bytes of %d: no error", i, len(screen))
		}
		for _, v := range []byte{0, 1, 2, 3, 4, 5, 0x7F, 0x80, 0xFF, screen[i] + 1, screen[i] ^ 8} {
			p := bytes.Clone(screen)
			p[i] = v
			try(fmt.Sprintf("byte %d is %#x", i, v), p)
		}
	}
	for n, line := range lines {
		for i := range line {
			for v := range 256 {
				damaged := bytes.Clone(line)
				damaged[i] = byte(v)
				lines[n] = damaged
				try(fmt.Sprintf("byte %d of line %d is %#x", i, n, v), screen)
			}
		}
		lines[n] = line
	}
}

// A history of which the oldest lines are gone begins after them.
func TestRestoreWithoutOldLines(t *testing.T) {
	s := New(8, 2, Options{})
	s.Write([]byte("a\r\nb\r\nc\r\n\x1b]133;A\ad\r\ne\r\nf"))
	screen, lines := saved(s)
	delete(lines, 1)
	back, err := Restore(screen, func(n uint64) ([]byte, bool) { b, ok := lines[n]; return b, ok })
	if err != nil {
		t.Fatal(err)
	}
	if back.HistoryFirst() != 2 || back.End() != s.End() || len(back.Marks()) != 1 {
		t.Errorf("lines from %d to %d, %d marks", back.HistoryFirst(), back.End(), len(back.Marks()))
	}
	if text, _ := back.LineText(3); text != "d" {
		t.Errorf("line 3: got %q, want d", text)
	}
	if _, ok := back.LineText(1); ok {
		t.Error("a line that was not there is")
	}
}
