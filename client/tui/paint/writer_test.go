package paint

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"apex/core/cell"
)

// tty records what is written to it.
type tty struct {
	mu   sync.Mutex
	b    []byte
	fail error
}

func (t *tty) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fail != nil {
		return 0, t.fail
	}
	t.b = append(t.b, b...)
	return len(b), nil
}

func (t *tty) take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := string(t.b)
	t.b = nil
	return s
}

func (t *tty) Read([]byte) (int, error) { return 0, errors.New("nothing to read") }
func (t *tty) Close() error             { return errors.New("closed by the writer") }
func (t *tty) Fd() uintptr              { return 42 }

func letters(s string) *cell.Grid {
	g := cell.NewGrid(len(s), 1, nil)
	for i, r := range s {
		g.Set(i, 0, cell.New(r, cell.Style{}))
	}
	return g
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWriterMendsWhatBubbleTeaDisturbs(t *testing.T) {
	const settled = "\x1b[1;3H\x1b[?25h"
	cases := []struct{ name, write, want string }{
		{"query", "\x1b[?2026$p\x1b[?2027$p\x1b]11;?\x07", settled},
		{"hide the cursor", "\x1b[?25l", settled},
		{"modes", "\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[>4;2m\x1b[>1u\x1b[?u", settled},
		{"wrap", "\x1b[?7h", "\x1b[?7l" + settled},
		{"device strings", "\x1bP+q524742\x1b\\", settled},
		{"clear", "\x1b[H\x1b[2J", "\x1b[?7l\x1b[H\x1b[mabc" + settled},
		{"text", " ", "\x1b[?7l\x1b[H\x1b[mabc" + settled},
		{"cut sequence", "\x1b[", "\x1b[?7l\x1b[H\x1b[mabc" + settled},
		{"cut string", "\x1b]0;x", "\x1b[?7l\x1b[H\x1b[mabc" + settled},
		{"soft reset", "\x1b[!p", "\x1b[?7l\x1b[H\x1b[mabc" + settled},
		{"alternate screen", "\x1b[?1049h", "\x1b[?7l\x1b[H\x1b[mabc" + settled},
		{"main screen", "\x1b[?1049l", "\x1b[m\x1b[?7h\x1b[?25h\x1b[23;2t"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := &tty{}
			w := NewWriter(f, TrueColour, Caps{})
			must(t, w.Enter())
			must(t, w.Paint(letters("abc"), Cursor{2, 0, true, 0}))
			f.take()
			n, err := w.Write([]byte(c.write))
			if n != len(c.write) || err != nil {
				t.Fatalf("write: got %d, %v", n, err)
			}
			if got, want := f.take(), c.write+c.want; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestWriterPaintsOnlyOnTheAlternateScreen(t *testing.T) {
	f := &tty{}
	w := NewWriter(f, TrueColour, Caps{Titles: true})
	w.SetTitle("apex")
	must(t, w.Paint(letters("one"), Cursor{}))
	if got := f.take(); got != "" {
		t.Fatalf("painted on the main screen: %q", got)
	}
	_, err := w.Write([]byte("\x1b[?1049h"))
	must(t, err)
	if got := f.take(); !strings.Contains(got, "one") || !strings.Contains(got, "\x1b]2;apex\a") {
		t.Errorf("entering: got %q", got)
	}
	_, err = w.Write([]byte("\x1b[?1049l"))
	must(t, err)
	must(t, w.Paint(letters("two"), Cursor{}))
	must(t, w.Resync())
	if got := f.take(); strings.Contains(got, "two") {
		t.Errorf("painted while suspended: %q", got)
	}
	_, err = w.Write([]byte("\x1b[?1049h"))
	must(t, err)
	if got := f.take(); !strings.Contains(got, "two") || !strings.Contains(got, "\x1b]2;apex\a") {
		t.Errorf("coming back: got %q", got)
	}
	must(t, w.Resync())
	if got := f.take(); !strings.Contains(got, "two") {
		t.Errorf("resync: got %q", got)
	}
}

func TestWriterPutsTheTitleAndTheShapeBack(t *testing.T) {
	f := &tty{}
	w := NewWriter(f, TrueColour, Caps{Titles: true, Shapes: true})
	must(t, w.Enter())
	w.SetTitle("apex")
	must(t, w.Paint(letters("abc"), Cursor{0, 0, true, SteadyBar}))
	for _, other := range []string{"\x1b]2;other\a", "\x1b[0 q"} {
		f.take()
		if _, err := w.Write([]byte(other)); err != nil {
			t.Fatal(err)
		}
		got := strings.TrimPrefix(f.take(), other)
		if !strings.Contains(got, "\x1b]2;apex\a") || !strings.Contains(got, "\x1b[6 q") {
			t.Errorf("after %q: got %q", other, got)
		}
	}
}

func TestWriterErrorIsReportedAndPaintedOver(t *testing.T) {
	f := &tty{}
	w := NewWriter(f, TrueColour, Caps{})
	must(t, w.Enter())
	broken := errors.New("broken")
	f.fail = broken
	if err := w.Paint(letters("abc"), Cursor{}); !errors.Is(err, broken) {
		t.Fatalf("paint: got %v", err)
	}
	if _, err := w.Write([]byte("x")); !errors.Is(err, broken) {
		t.Fatalf("write: got %v", err)
	}
	f.fail = nil
	must(t, w.Paint(letters("abc"), Cursor{}))
	if got := f.take(); !strings.Contains(got, "abc") {
		t.Errorf("after the error: got %q", got)
	}
}

func TestWriterIsTheTerminalForBubbleTea(t *testing.T) {
	w := NewWriter(&tty{}, TrueColour, Caps{})
	if w.Fd() != 42 {
		t.Errorf("descriptor: got %d, want 42", w.Fd())
	}
	if err := w.Close(); err != nil {
		t.Errorf("close reached the terminal: %v", err)
	}
}

func TestWriterFromSeveralGoroutines(t *testing.T) {
	f := &tty{}
	w := NewWriter(f, TrueColour, Caps{})
	must(t, w.Enter())
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		for range 200 {
			if _, err := w.Write([]byte("\x1b[2J")); err != nil {
				t.Error(err)
			}
		}
	}()
	go func() {
		defer wg.Done()
		table := &cell.Clusters{}
		for i := range 200 {
			g := cell.NewGrid(4, 1, table)
			g.All().SetText(0, 0, "e"+strings.Repeat("\u0301", 1+i%30), 1, cell.Style{})
			if i%50 == 49 {
				table.Reset()
				continue
			}
			if err := w.Paint(g, Cursor{}); err != nil {
				t.Error(err)
			}
			w.Update(func(c *Caps) { c.Sync = i%2 == 0 })
		}
	}()
	wg.Wait()
	must(t, w.Paint(letters("end"), Cursor{}))
	if got := f.take(); !strings.Contains(got, "end") {
		t.Errorf("last frame: got %q", got[max(0, len(got)-80):])
	}
}

func TestRestore(t *testing.T) {
	before := func(s, first, second string) {
		t.Helper()
		i, j := strings.Index(s, first), strings.LastIndex(s, second)
		if i < 0 || j < 0 || i >= j {
			t.Errorf("want %q before %q in %q", first, second, s)
		}
	}
	f := &tty{}
	w := NewWriter(f, TrueColour, Caps{Shapes: true})
	must(t, w.Enter())
	f.take()
	must(t, w.Restore())
	got := f.take()
	const leave = "\x1b[?1049l"
	if !strings.HasPrefix(got, "\x1b\\\x1b[?2026l") {
		t.Errorf("begins with %q", got[:10])
	}
	for _, off := range []string{"\x1b[?1000l", "\x1b[?1002l", "\x1b[?1003l", "\x1b[?1006l",
		"\x1b[?1004l",
		"\x1b[?2004l", "\x1b[>4m", "\x1b[=0u"} {
		before(got, off, leave)
		before(got, leave, off)
	}
	for _, on := range []string{"\x1b[m", "\x1b[?7h", "\x1b[?25h", "\x1b[0 q", "\x1b[23;2t"} {
		before(got, leave, on)
	}
	if strings.Count(got, leave) != 1 {
		t.Errorf("leaves the alternate screen %d times", strings.Count(got, leave))
	}
	must(t, w.Restore())
	if again := f.take(); strings.Contains(again, leave) {
		t.Errorf("leaves again: %q", again)
	}
}

// A write that hangs must not keep the terminal from being restored.
func TestRestoreDoesNotWaitForAStuckWrite(t *testing.T) {
	f := &tty{}
	w := NewWriter(f, TrueColour, Caps{})
	w.mu.Lock()
	defer w.mu.Unlock()
	must(t, w.Restore())
	if !strings.Contains(f.take(), "\x1b[?1049l") {
		t.Error("not restored")
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("\x1b[?1049h\x1b]0;x\x07\x1bP$q\x1b\\\x1b["))
	f.Fuzz(func(t *testing.T, b []byte) {
		e := scan(b)
		if e.altOn && e.altOff {
			t.Fatalf("%q ends on both screens", b)
		}
		for _, c := range b {
			if c >= 0x20 && c < 0x7F || c >= 0x80 {
				return
			}
		}
		if len(b) > 0 && strings.ContainsAny(string(b), "\n\t\x0e") && !e.screen {
			t.Fatalf("%q leaves the screen alone", b)
		}
	})
}
