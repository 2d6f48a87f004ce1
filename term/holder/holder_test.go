package holder_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"apex/term/holder"
)

func TestOutputAndExit(t *testing.T) {
	tests := []struct {
		name   string
		kind   holder.Kind
		argv   []string
		output string
		exit   string
	}{
		{"pty", holder.Pty, script("echo hello; exit 3"), "hello\r\n", "exited with 3"},
		{"pipe", holder.Pipe, script("echo hello; echo oh >&2"), "hello\noh\n", "exited with 0"},
		{"signal", holder.Pty, script("kill -9 $$"), "", "killed by killed"},
		{"code 255", holder.Pipe, script("exit 255"), "", "exited with 255"},
		{"terminal", holder.Pty, script("tty >/dev/null && stty size && test -t 0"), "24 80\r\n",
			"exited with 0"},
		{"looked up", holder.Pipe, []string{"echo", "a  b"}, "a  b\n", "exited with 0"},
		{"no input", holder.Pipe, []string{"cat"}, "", "exited with 0"},
		{"directory", holder.Pipe, []string{"pwd"}, "/\n", "exited with 0"},
		{"own session", holder.Pipe, script(
			`read -r p c s pp g id rest </proc/self/stat; test $g = $$ && test $id = $$; echo $?`),
			"0\n", "exited with 0"},
		{"signals", holder.Pipe, script(`grep -E 'Sig(Ign|Blk)' /proc/self/status`),
			"SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n", "exited with 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := start(t, spec(t, test.kind, test.argv...))
			if got := readAll(t, h); got != test.output {
				t.Errorf("output %q, want %q", got, test.output)
			}
			<-h.Exited()
			if got := h.Exit().String(); got != test.exit {
				t.Errorf("exit %q, want %q", got, test.exit)
			}
			if _, err := h.Read(); err != io.EOF {
				t.Errorf("read after the end: %v, want EOF", err)
			}
		})
	}
}

func TestInputFile(t *testing.T) {
	in, err := holder.InputBytes([]byte("b\na\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s := spec(t, holder.Pipe, "sort")
	s.Input = in
	h := start(t, s)
	if got := readAll(t, h); got != "a\nb\n" {
		t.Errorf("output %q", got)
	}
	if _, err := h.Write([]byte("x")); err != holder.ErrNoInput {
		t.Errorf("write: %v, want %v", err, holder.ErrNoInput)
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	orphaned := filepath.Join(dir, "orphaned")
	if err := os.WriteFile(orphaned, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	headless := filepath.Join(dir, "headless")
	if err := os.WriteFile(headless, []byte("echo\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*holder.Spec)
		code   holder.Code
	}{
		{"no command", func(s *holder.Spec) { s.Argv = nil }, holder.BadSpec},
		{"unknown", func(s *holder.Spec) { s.Argv = []string{"no-such-command"} }, holder.NotFound},
		{"missing", func(s *holder.Spec) { s.Argv = []string{"/no/such/file"} }, holder.NotFound},
		{"other path", func(s *holder.Spec) {
			s.Argv, s.Env = []string{"sh"}, []string{"PATH=" + dir}
		}, holder.NotFound},
		{"not executable", func(s *holder.Spec) { s.Argv = []string{plain} }, holder.Denied},
		{"a directory", func(s *holder.Spec) { s.Argv = []string{dir} }, holder.Denied},
		{"no interpreter", func(s *holder.Spec) { s.Argv = []string{orphaned} }, holder.NotFound},
		{"no format", func(s *holder.Spec) { s.Argv = []string{headless} }, holder.Denied},
		{"cwd missing", func(s *holder.Spec) { s.Cwd = "/no/such/dir" }, holder.NoDir},
		{"cwd a file", func(s *holder.Spec) { s.Cwd = plain }, holder.NoDir},
		{"cwd relative", func(s *holder.Spec) { s.Cwd = "." }, holder.BadSpec},
		{"no socket directory", func(s *holder.Spec) { s.Dir = "/no/such/dir" }, holder.Internal},
		{"too wide", func(s *holder.Spec) { s.Size.Cols = holder.SizeMax + 1 }, holder.BadSpec},
		{"name", func(s *holder.Spec) { s.Name = "../x" }, holder.BadSpec},
		{"NUL", func(s *holder.Spec) { s.Argv = []string{"echo", "a\x00b"} }, holder.BadSpec},
		{"too long", func(s *holder.Spec) {
			s.Argv = []string{"echo", strings.Repeat("x", 3<<20)}
		}, holder.TooLong},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := spec(t, holder.Pty, "true")
			test.change(&s)
			h, err := holder.Start(bounded(t), "", s)
			if err == nil {
				end(t, h)
			}
			var e *holder.Error
			if !errors.Is(err, test.code) || !errors.As(err, &e) {
				t.Errorf("error %v, want %v", err, test.code)
			}
		})
	}
}

func TestNameIsTaken(t *testing.T) {
	s := spec(t, holder.Pty, "cat")
	start(t, s)
	if _, err := holder.Start(bounded(t), "", s); !errors.Is(err, holder.Exists) {
		t.Errorf("second start: %v, want %v", err, holder.Exists)
	}
}

func TestInputIsTaken(t *testing.T) {
	h := start(t, spec(t, holder.Pty, script("stty -echo; echo ready; read -r x; echo got $x")...))
	readUntil(t, h, "ready")
	upTo, err := h.Write([]byte("word\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Taken(bounded(t), upTo); err != nil {
		t.Fatal(err)
	}
	readUntil(t, h, "got word")
}

// A program that doesn't read holds nobody up; what it didn't read arrives when it does.
func TestInputOfWhoDoesNotRead(t *testing.T) {
	h := start(t, spec(t, holder.Pty, script(
		"stty raw -echo; echo ready; kill -STOP $$; head -c 300000 | cksum; cat >/dev/null")...))
	readUntil(t, h, "ready")
	piece := []byte(strings.Repeat("0123456789", 10000))
	var upTo uint64
	for range 3 {
		var err error
		if upTo, err = h.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if h.Waiting() == 0 {
		t.Fatal("a terminal took 300,000 bytes that nobody read")
	}
	full := make([]byte, holder.InputMaxBytes)
	if _, err := h.Write(full); err != holder.ErrInputFull {
		t.Errorf("too much input: %v, want %v", err, holder.ErrInputFull)
	}
	// It may be stopped only after this: until it goes on it is told to.
	read := make(chan string)
	go func() { read <- readUntil(t, h, "\n") }()
	taken := make(chan error)
	go func() { taken <- h.Taken(bounded(t), upTo) }()
	for done := false; !done; {
		if err := h.Signal(bounded(t), syscall.SIGCONT, holder.All); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-taken:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
	}
	if got, want := <-read, "300000"; !strings.Contains(got, want) {
		t.Errorf("output %q, want %s", got, want)
	}
}

// Interrupts reach what is in the foreground, a job of a shell, and not the shell.
func TestForegroundJob(t *testing.T) {
	t.Parallel()
	h := start(t, spec(t, holder.Pty, script(`stty -echo; set -m; trap : INT
		for i in 1 2; do sh -c 'echo job $$; exec sleep 1000'; echo status $?; read x; done`)...))
	interrupts := []func() error{
		func() error { return h.Signal(bounded(t), syscall.SIGINT, holder.Foreground) },
		func() error { _, err := h.Write([]byte{3}); return err },
	}
	for _, interrupt := range interrupts {
		job := readUntil(t, h, "\n")
		group, err := h.ForegroundGroup()
		if want := number(t, strings.TrimPrefix(strings.TrimSpace(job), "job ")); group != want {
			t.Fatalf("foreground %d, error %v, want %d", group, err, want)
		}
		if err := interrupt(); err != nil {
			t.Fatal(err)
		}
		if got := readUntil(t, h, "\n"); !strings.HasSuffix(got, "status 130\r\n") {
			t.Fatalf("output %q, want status 130", got)
		}
		if _, err := h.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestResizeAndForeground(t *testing.T) {
	h := start(t, spec(t, holder.Pty, script(
		"trap 'stty size' WINCH; echo ready; while :; do read x; done")...))
	readUntil(t, h, "ready")
	if err := h.Resize(holder.Size{Cols: 132, Rows: 50, Width: 1320, Height: 1000}); err != nil {
		t.Fatal(err)
	}
	readUntil(t, h, "50 132")
	want := holder.Size{Cols: 132, Rows: 50, Width: 1320, Height: 1000}
	if z, err := h.Size(); err != nil || z != want {
		t.Errorf("size %+v, error %v", z, err)
	}
	if err := h.Resize(holder.Size{Cols: 0, Rows: 1}); !errors.Is(err, holder.BadSpec) {
		t.Errorf("resize to 0: %v", err)
	}
	group, err := h.ForegroundGroup()
	if err != nil || group != h.Info().PID {
		t.Errorf("foreground %d, error %v, want %d", group, err, h.Info().PID)
	}
	if err := h.Signal(bounded(t), syscall.SIGKILL, holder.Foreground); err != nil {
		t.Fatal(err)
	}
	<-h.Exited()
	if got := h.Exit().Signal; got != syscall.SIGKILL {
		t.Errorf("signal %v", got)
	}
	if left, err := h.Kill(bounded(t)); err != nil || len(left) > 0 { // a stty, perhaps
		t.Errorf("left %v, error %v", left, err)
	}
	if err := h.Signal(bounded(t), syscall.SIGKILL, holder.Group); !errors.Is(err, holder.Gone) {
		t.Errorf("signal to nobody: %v, want %v", err, holder.Gone)
	}
}
