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

// TestModes follows the modes of a terminal through everything that is done with it: what is set by
// the first Enter is undone by Leave, and set again by the next.
func TestModes(t *testing.T) {
	f := &tty{}
	w := NewWriter(f, TrueColour, Caps{Titles: true, Shapes: true})
	step := func(name string, do func() error, want string) {
		t.Helper()
		must(t, do())
		if got := f.take(); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	const (
		keys, noKeys   = "\x1b[>4;2m\x1b[>1u", "\x1b[>4m\x1b[<1u"
		paste, noPaste = "\x1b[?2004h\x1b[?1004h", "\x1b[?2004l\x1b[?1004l"
		mouse, noMouse = "\x1b[?1002h\x1b[?1006h", "\x1b[?1002l\x1b[?1006l"
		wide, notWide  = "\x1b[?2027h", "\x1b[?2027l"
		enter          = "\x1b[22;2t\x1b[?1049h" + keys + paste
		leave          = "\x1b[r\x1b[?1049l\x1b[m\x1b[?7h\x1b[?25h\x1b[23;2t\x1b[0 q"
	)
	query := func() error { return w.Tell("\x1b[c") }
	step("a query before", query, "")
	step("clusters before", func() error { return w.SetClusters(false) }, "")
	step("enter", w.Enter, enter+mouse)
	step("a query", query, "\x1b[c")
	step("clusters", func() error { return w.SetClusters(true) }, wide)
	step("clusters again", func() error { return w.SetClusters(true) }, "")
	step("no mouse", func() error { return w.SetMouse(false) }, noMouse)
	step("again, after others had it", w.Enter, "\x1b[?1049h\x1b[>4;2m\x1b[=1u"+paste+wide)
	step("motion, without the mouse", func() error { return w.SetMotion(true) }, "")
	step("the mouse with it", func() error { return w.SetMouse(true) }, mouse+"\x1b[?1003h")
	step("drags only", func() error { return w.SetMotion(false) }, "\x1b[?1003l\x1b[?1002h")
	step("motion", func() error { return w.SetMotion(true) }, "\x1b[?1003h")
	step("motion again", func() error { return w.SetMotion(true) }, "")
	step("again, with motion", w.Enter,
		"\x1b[?1049h\x1b[>4;2m\x1b[=1u"+paste+mouse+"\x1b[?1003h"+wide)
	step("no mouse, nor motion", func() error { return w.SetMouse(false) }, "\x1b[?1003l"+noMouse)
	step("no motion", func() error { return w.SetMotion(false) }, "")
	step("leave", w.Leave, noKeys+noPaste+notWide+leave)
	step("leave again", w.Leave, "")
	step("a query after", query, "")
	step("the mouse, while away", func() error { return w.SetMouse(true) }, "")
	step("back", w.Enter, enter+mouse+wide)
	step("gone", w.Leave, noKeys+noPaste+noMouse+notWide+leave)
}

func TestWriterPaintsOnlyItsOwnScreen(t *testing.T) {
	f := &tty{}
	w := NewWriter(f, TrueColour, Caps{Titles: true, Shapes: true})
	painted := func(want bool, text string) {
		t.Helper()
		got := f.take()
		for _, s := range []string{text, "\x1b]2;apex\a", "\x1b[6 q", "\x1b[?7l"} {
			if strings.Contains(got, s) != want {
				t.Errorf("%q in %q: want %v", s, got, want)
			}
		}
	}
	grids := map[string]*cell.Grid{"one": letters("one"), "two": letters("two")}
	paint := func(s string) { t.Helper(); must(t, w.Paint(grids[s], Cursor{0, 0, true, SteadyBar})) }
	w.SetTitle("apex")
	paint("one")
	painted(false, "one")
	must(t, w.Enter())
	paint("one")
	painted(true, "one")
	must(t, w.Leave())
	paint("two")
	must(t, w.Resync())
	painted(false, "two")
	must(t, w.Enter())
	paint("two")
	painted(true, "two")
	must(t, w.Enter()) // somebody else had it
	paint("two")
	painted(true, "two")
	paint("two")
	painted(false, "two")
	must(t, w.Resync())
	painted(true, "two")
	w.Invalidate()
	paint("two")
	painted(true, "two")
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
	if err := w.Tell("x"); !errors.Is(err, broken) {
		t.Fatalf("tell: got %v", err)
	}
	f.fail = nil
	must(t, w.Paint(letters("abc"), Cursor{}))
	if got := f.take(); !strings.Contains(got, "abc") {
		t.Errorf("after the error: got %q", got)
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
			if err := errors.Join(w.Leave(), w.Enter()); err != nil {
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
