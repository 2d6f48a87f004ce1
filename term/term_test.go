package term

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"apex/core/cell"
	"apex/term/holder"
	"apex/term/input"
	"apex/term/vt"
)

func TestMain(m *testing.M) {
	holder.Dispatch()
	os.Exit(m.Run())
}

// patience is more than anything here takes on a slow machine.
const patience = 30 * time.Second

// hosted is a terminal in a test.
type hosted struct {
	*Terminal
	t      *testing.T
	dir    string
	exited chan holder.Exit

	mu     sync.Mutex
	frames []*Frame
	events []vt.Event
}

func (h *hosted) options() Options {
	return Options{
		Record: filepath.Join(h.dir, "record"), Size: Size{Cols: 80, Rows: 24},
		Frame: func(f *Frame) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.frames = append(h.frames, f)
		},
		Event: func(e vt.Event) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.events = append(h.events, e)
		},
		Exited: func(e holder.Exit) { h.exited <- e },
		Failed: func(err error) { h.t.Error(err) },
	}
}

func (h *hosted) spec(argv, env []string) holder.Spec {
	return holder.Spec{Dir: h.dir, Name: "t", Argv: argv, Cwd: h.dir, Kind: holder.Pty,
		Env:  append(env, "PATH="+os.Getenv("PATH"), "HOME="+h.dir, "TERM=xterm-256color", "PS1=$ "),
		Size: Size{Cols: 80, Rows: 24}}
}

func host(t *testing.T, argv ...string) *hosted { return hostWith(t, nil, argv...) }

func hostWith(t *testing.T, env []string, argv ...string) *hosted {
	t.Helper()
	h := &hosted{t: t, dir: t.TempDir(), exited: make(chan holder.Exit, 1)}
	if err := os.Chmod(h.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ho, err := holder.Start(t.Context(), "", h.spec(argv, env))
	if err != nil {
		t.Fatal(err)
	}
	h.Terminal = Start(ho, h.options())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		h.Holder().Kill(ctx)
		h.Holder().Release(ctx)
		h.Close()
	})
	return h
}

// again is what a daemon that starts does.
func (h *hosted) again() {
	h.t.Helper()
	if err := h.Close(); err != nil {
		h.t.Fatal(err)
	}
	ho, err := holder.Adopt(h.t.Context(), h.dir, "t")
	if err != nil {
		h.t.Fatal(err)
	}
	h.Terminal = Resume(ho, holder.Exit{}, h.options())
}

func (h *hosted) until(u Until) Met {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	met, err := h.Wait(ctx, u)
	if err != nil {
		h.t.Fatalf("%+v: %v; screen:\n%s", u, err, h.text())
	}
	return met
}

func (h *hosted) match(re string) Met {
	h.t.Helper()
	return h.until(Until{Match: regexp.MustCompile(re)})
}

func (h *hosted) typed(s string) {
	h.t.Helper()
	upTo, err := h.Input(func(input.Modes) []byte { return []byte(s) })
	if err == nil {
		err = h.Taken(h.t.Context(), upTo)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *hosted) text() string {
	f := h.Frame()
	var rows []string
	for _, r := range f.Grid {
		rows = append(rows, strings.TrimRight(cell.RowText(r.Runs), " "))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

func (h *hosted) all() []string {
	var out []string
	l := h.Lines(0, 1<<62, 1<<30)
	for _, runs := range l.Lines {
		out = append(out, cell.RowText(runs))
	}
	return out
}

func TestOutputAndExit(t *testing.T) {
	h := host(t, "sh", "-c", `printf 'hello \033[1mbold\033[m\n\033]2;title\007'; exit 3`)
	met := h.until(Until{Exit: true})
	if met.Exit == nil || met.Exit.Code != 3 {
		t.Errorf("exit %v", met.Exit)
	}
	select {
	case e := <-h.exited:
		if e.Code != 3 {
			t.Errorf("told exit %v", e)
		}
	case <-time.After(patience):
		t.Fatal("the end was not told")
	}
	if got := h.text(); got != "hello bold" {
		t.Errorf("screen %q", got)
	}
	f := h.frames[len(h.frames)-1]
	if f.Title != "title" || f.Exit == nil || f.Exit.Code != 3 {
		t.Errorf("last frame: title %q, exit %v", f.Title, f.Exit)
	}
	if _, err := h.Input(func(input.Modes) []byte { return []byte("x") }); err != ErrExited {
		t.Errorf("input after the end: %v", err)
	}
}

// TestFramesShareRows: what has not changed is the same slice in the next frame, also after the
// screen has scrolled.
func TestFramesShareRows(t *testing.T) {
	h := host(t, "sh", "-c", `seq 100; read x; echo more; read x`)
	h.match("^100$")
	before := h.Frame()
	h.typed("\r")
	h.match("^more$")
	after := h.Frame()
	shared := 0
	for y, r := range after.Grid {
		for z, q := range before.Grid {
			if len(r.Runs) > 0 && len(q.Runs) > 0 && &r.Runs[0] == &q.Runs[0] && z > y {
				shared++
			}
		}
	}
	if shared < 15 {
		t.Errorf("%d of %d rows are shared", shared, after.Rows)
	}
}

// TestInputIsShownAtOnce: the echo of a key does not wait for the time of the next frame.
func TestInputIsShownAtOnce(t *testing.T) {
	h := host(t, "sh", "-c", `printf ready; exec cat`)
	h.match("ready")
	h.Terminal.mu.Lock()
	h.framed = time.Now().Add(time.Hour)
	h.Terminal.mu.Unlock()
	h.typed("x")
	h.match("readyx")
	h.mu.Lock()
	defer h.mu.Unlock()
	last := h.frames[len(h.frames)-1]
	if got := cell.RowText(last.Grid[0].Runs); got != "readyx" {
		t.Errorf("the last frame shows %q, want %q", got, "readyx")
	}
}

// TestFloodMakesFewFrames: a flood makes as many frames as can be seen, and the last one is right.
func TestFloodMakesFewFrames(t *testing.T) {
	h := host(t, "sh", "-c", "seq 200000; echo end; read x")
	start := time.Now()
	h.match("^end$")
	most := int(time.Since(start)/frameEvery) + 5
	if n := len(h.frames); n > most {
		t.Errorf("%d frames, at most %d", n, most)
	}
	lines := h.all()
	if i := slices.Index(lines, "end"); i < 1 || lines[i-1] != "200000" {
		t.Error("the last lines are not there")
	}
}

// TestSurvivesTheDaemon: screen, history and input go on where they were, and nothing that was
// printed while nobody was there is missing.
func TestSurvivesTheDaemon(t *testing.T) {
	h := host(t, "sh", "-c", `seq 500; read x; seq 501 900; read x; echo last`)
	h.match("^500$")
	before, shown := h.all(), h.text()
	h.again()
	if !slices.Equal(h.all(), before) || h.text() != shown {
		t.Fatalf("after a restart:\n%s\nbefore:\n%s", h.text(), shown)
	}
	at, stop := context.WithCancel(t.Context())
	stop()
	if met, err := h.Wait(at, Until{Quiet: time.Hour}); err == nil {
		t.Errorf("quiet for an hour after a restart: %+v", met)
	}
	h.typed("\r")
	h.match("^900$")
	h.again()
	h.again()
	var want []string
	for i := 1; i <= 900; i++ {
		want = append(want, fmt.Sprint(i))
	}
	got := slices.DeleteFunc(h.all(), func(s string) bool { return s == "" })
	if !slices.Equal(got, want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	h.typed("\r")
	h.match("^last$")
	if e := <-h.exited; e.Code != 0 {
		t.Errorf("exit %v", e)
	}
}

// TestNotAnsweredTwice: a question that was answered is not answered again when the output is read
// again.
func TestNotAnsweredTwice(t *testing.T) {
	h := host(t, "bash", "-c", `stty -echo -icanon min 0 time 2; printf '\033[6n'; IFS= read -r -d R a
		printf 'one %q\n' "$a"; echo ready; IFS= read -r -n1 -t 30 b; printf 'two %q\n' "$b"; read -t 30 x`)
	h.match("^ready$")
	if err := os.Remove(filepath.Join(h.dir, "record")); err != nil {
		t.Fatal(err)
	}
	h.killed()
	h.typed("k")
	h.match("^two k$")
}

// killed is again after a daemon that could save nothing.
func (h *hosted) killed() {
	h.t.Helper()
	h.holder.Detach()
	h.Terminal.wait.Wait()
	h.Terminal.mu.Lock()
	h.Terminal.frames.Stop()
	h.Terminal.saves.Stop()
	h.Terminal.file.Close()
	h.Terminal.mu.Unlock()
	ho, err := holder.Adopt(h.t.Context(), h.dir, "t")
	if err != nil {
		h.t.Fatal(err)
	}
	h.Terminal = Resume(ho, holder.Exit{}, h.options())
}

// TestKilledBehindResize: what was printed for one size is not read again at another, and what was
// cleared does not come back.
func TestKilledBehindResize(t *testing.T) {
	h := host(t, "sh", "-c", `seq 100; read x; printf '\033[2J\033[999;1Hbottom'; read x`)
	h.match("^100$")
	if err := h.Resize(Size{Cols: 30, Rows: 10}); err != nil {
		t.Fatal(err)
	}
	h.Clear()
	h.typed("\r")
	h.match("^bottom$")
	want := h.text()
	h.killed()
	if got := h.text(); got != want {
		t.Errorf("it shows\n%s\nwant\n%s", got, want)
	}
	if all := h.all(); slices.Contains(all, "1") {
		t.Errorf("what was cleared is there again: %q", all)
	}
}

// TestHolderDies: a terminal whose holder is killed ends, every time: that the holder is gone must
// not look as if this side had let go of it.
func TestHolderDies(t *testing.T) {
	for range 12 {
		h := host(t, "sh", "-c", "echo here; read x")
		h.match("^here$")
		if err := syscall.Kill(h.holder.Info().Holder, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if e := <-h.exited; !e.Lost {
			t.Errorf("exit %v", e)
		}
		if _, err := h.holder.Kill(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestResizeKeepsLines(t *testing.T) {
	h := host(t, "sh", "-c", "seq 5000; read x")
	h.match("^5000$")
	for _, cols := range []int{20, 3, 80} {
		if err := h.Resize(Size{Cols: cols, Rows: 24}); err != nil {
			t.Fatal(err)
		}
	}
	h.again()
	got := slices.DeleteFunc(h.all(), func(s string) bool { return s == "" })
	if len(got) != 5000 || got[0] != "1" || got[4999] != "5000" {
		t.Errorf("%d lines", len(got))
	}
	if err := h.Resize(Size{Cols: 10_000, Rows: 10_000}); err == nil {
		t.Error("10,000 x 10,000 was taken")
	}
}

func TestWaits(t *testing.T) {
	h := host(t, "sh", "-c", "echo one; read x; echo two; read x; exit 4")
	h.match("^one$")
	h.until(Until{Quiet: 50 * time.Millisecond})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := h.Wait(ctx, Until{Match: regexp.MustCompile("^two$")}); err != context.DeadlineExceeded {
		t.Errorf("a match that does not come: %v", err)
	}
	h.typed("\r")
	met := h.match("^two$")
	if met.Text != "two" {
		t.Errorf("met %+v", met)
	}
	later, cancel2 := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel2()
	past := Until{Match: regexp.MustCompile("^two$"), HasFrom: true, From: met.Line + 1}
	if _, err := h.Wait(later, past); err != context.DeadlineExceeded {
		t.Errorf("a match before the first line: %v", err)
	}
	if end := h.Lines(0, 0, 0).End; end != met.Line+1 {
		t.Errorf("lines end at %d, want %d", end, met.Line+1)
	}
	h.typed("\r")
	if met := h.until(Until{Match: regexp.MustCompile("never")}); !met.Ended || met.Exit.Code != 4 {
		t.Errorf("what can't come any more: %+v", met)
	}
	if met := h.until(Until{Quiet: time.Hour}); met.Exit == nil {
		t.Error("quiet after the end")
	}
}

// run runs a command in a shell.
func (h *hosted) run(command string, marks bool) Result {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	r, err := h.Run(ctx, command, marks)
	if err != nil {
		h.t.Fatalf("%s: %v; screen:\n%s", command, err, h.text())
	}
	return r
}

func TestRun(t *testing.T) {
	for _, shell := range []string{"bash", "dash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("no " + shell)
			}
			shells, err := InstallShells(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			argv, env, marks := shells.Marked([]string{path}, nil)
			h := hostWith(t, env, argv...)
			for i := range 30 {
				r := h.run(fmt.Sprintf("echo out %d; (exit %d)", i, i), marks)
				if r.Output != fmt.Sprintf("out %d\n", i) || r.Status != i || r.Cut != 0 {
					t.Fatalf("command %d: %+v; screen:\n%s", i, r, h.text())
				}
			}
			for _, c := range []struct {
				command, output string
				status          int
			}{
				{"printf 'no line end'", "no line end", 0},
				{"true", "", 0},
				{"false", "", 1},
				{"seq 3; echo \"it's\"", "1\n2\n3\nit's\n", 0},
				{"printf '%0200d\\n' 7", strings.Repeat("0", 199) + "7\n", 0},
				{"echo one\necho two", "one\ntwo\n", 0},
			} {
				if shell != "bash" && strings.Contains(c.command, "\n") {
					continue
				}
				r := h.run(c.command, marks)
				if r.Output != c.output || r.Status != c.status {
					t.Errorf("%s: %+v, want %q and %d", c.command, r, c.output, c.status)
				}
			}
			if r := h.run("exit 9", marks); r.Exit == nil || r.Exit.Code != 9 {
				t.Errorf("exit: %+v", r)
			}
		})
	}
}

// TestSlowStart: what is typed at a shell that is still starting runs, in order.
func TestSlowStart(t *testing.T) {
	dir := t.TempDir()
	rc := filepath.Join(dir, "rc")
	if err := os.WriteFile(rc, []byte("sleep 1\nPS1='$ '\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := host(t, "bash", "--rcfile", rc, "-i")
	for i := range 100 {
		h.typed(fmt.Sprintf("echo got %d\r", i))
	}
	h.match("^got 99$")
	next := 0
	for _, l := range h.all() {
		if l == fmt.Sprintf("got %d", next) {
			next++
		}
	}
	if next != 100 {
		t.Errorf("%d of 100 commands ran in order", next)
	}
}

// TestRunBesideTyping: a command is not mixed with what somebody has begun to type.
func TestRunBesideTyping(t *testing.T) {
	shells, err := InstallShells(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	argv, env, marks := shells.Marked([]string{"bash"}, nil)
	h := hostWith(t, env, argv...)
	h.until(Until{Prompt: true})
	h.typed("echo half ")
	h.match("echo half $")
	if _, err := h.Run(t.Context(), "echo mixed", marks); err != ErrTyping {
		t.Fatalf("got %v", err)
	}
	h.typed("\x15") // kills the line
	h.match(`[#$]\s*$`)
	for _, c := range []struct{ command, output string }{
		{"clear; echo kept", "kept\n"},
		{`printf '\033c'; echo kept`, "kept\n"},
	} {
		if r := h.run(c.command, marks); r.Output != c.output || r.Cut == 0 {
			t.Errorf("%s: %+v", c.command, r)
		}
	}
	// A run that nobody waits for any more does not keep the next one.
	ctx, cancel := context.WithCancel(t.Context())
	stuck := make(chan error)
	go func() {
		_, err := h.Run(ctx, "read x", marks)
		stuck <- err
	}()
	h.match("read x$")
	late, cancel2 := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel2()
	if _, err := h.Run(late, "true", marks); err != context.DeadlineExceeded {
		t.Errorf("behind another: %v", err)
	}
	cancel()
	<-stuck
	h.typed("\r")
	if r := h.run("echo next", marks); r.Output != "next\n" {
		t.Errorf("the next: %+v", r)
	}
}
