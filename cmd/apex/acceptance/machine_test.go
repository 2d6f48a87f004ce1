package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// machine is what one user has: a HOME, a daemon once there is one, and terminals.
type machine struct {
	t    *testing.T
	dir  string // holds everything, and is where commands run
	env  []string
	user *syscall.Credential // nil: whoever runs the test
}

// newMachine makes a fresh one. What was started on it is gone when the test ends.
func newMachine(t *testing.T) *machine {
	t.Helper()
	dir, err := os.MkdirTemp("", "apex-") // short: sockets are in it
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, dir: dir}
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case strings.HasPrefix(name, "APEX_"), strings.HasPrefix(name, "XDG_"),
			strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "TMUX"):
		default:
			m.env = append(m.env, e)
		}
	}
	m.env = append(m.env, "HOME="+m.path("home"), "XDG_RUNTIME_DIR="+m.path("run"),
		"LANG=C.UTF-8", "SHELL=/bin/sh", "PS1=$ ", "ENV=",
		"GORACE=halt_on_error=1 log_path="+m.path("race"))
	for _, d := range []string{"home", "run"} {
		if err := os.Mkdir(m.path(d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(m.close)
	return m
}

// close ends what runs: UIs first, which would start another daemon.
func (m *machine) close() {
	pids, _ := filepath.Glob(m.path("*" + pidSuffix))
	for _, name := range pids {
		if pid := readPID(name); pid != 0 {
			kill(pid, syscall.SIGKILL)
		}
	}
	exec.Command("tmux", "-S", m.path("tmux"), "kill-server").Run()
	if pid := m.lockedBy(); pid != 0 {
		kill(pid, syscall.SIGKILL)
		within(*patience, func() bool { return !alive(pid) })
	}
	m.killAll()
	races, _ := filepath.Glob(m.path("race.*"))
	for _, name := range races {
		report, err := os.ReadFile(name)
		m.t.Errorf("%s (%v)", report, err)
	}
	if m.t.Failed() {
		if log, err := os.ReadFile(m.state("log", "apex.log")); err == nil {
			m.t.Logf("the daemon's log ends:\n%s", log[max(0, len(log)-4096):])
		}
	}
	if err := os.RemoveAll(m.dir); err != nil {
		m.t.Error(err)
	}
}

func (m *machine) path(elem ...string) string {
	return filepath.Join(append([]string{m.dir}, elem...)...)
}

// state is a path in the daemon's state directory.
func (m *machine) state(elem ...string) string {
	return m.path(append([]string{"home", ".local", "state", "apex"}, elem...)...)
}

// write makes a file.
func (m *machine) write(name, content string) string {
	m.t.Helper()
	path := m.path(name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// owner is what the last daemon says of itself.
type owner struct {
	PID    int
	Socket string
}

// owner is the last daemon; zero if there was none.
func (m *machine) owner() owner {
	var o owner
	line, err := os.ReadFile(m.state("lock"))
	if err != nil || json.Unmarshal(line, &o) != nil {
		return owner{}
	}
	return o
}

// lockedBy is the pid of the last daemon, 0 if there was none.
func (m *machine) lockedBy() int { return m.owner().PID }

// daemon waits for a daemon and returns its pid.
func (m *machine) daemon() int {
	m.t.Helper()
	pid := 0
	eventually(m.t, "a daemon", func() bool {
		pid = m.lockedBy()
		return pid != 0 && alive(pid)
	})
	return pid
}

// killDaemon kills -9 the daemon and returns when it is gone.
func (m *machine) killDaemon() {
	m.t.Helper()
	pid := m.daemon()
	kill(pid, syscall.SIGKILL)
	eventually(m.t, "the daemon to die", func() bool { return !alive(pid) })
}

func kill(pid int, sig syscall.Signal) {
	syscall.Kill(pid, sig)
	if sig == syscall.SIGSTOP { // which takes effect a moment later
		within(*patience, func() bool { return strings.HasPrefix(state(pid), "T") })
	}
}

// state is a process's state as ps prints it; empty if there is none.
func state(pid int) string {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// alive reports whether a process is there and not a zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	s := state(pid)
	return s != "" && !strings.HasPrefix(s, "Z")
}

// running are the processes whose program is in a directory, by pid: daemons, holders and UIs,
// whatever they belong to. Where there is no /proc there are none.
func running(dir string) map[int]string {
	found := map[int]string{}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range all {
		exe, err := os.Readlink(filepath.Join(proc, "exe")) // a zombie has none
		if err != nil || !strings.HasPrefix(exe, dir+string(filepath.Separator)) {
			continue
		}
		words, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
		if pid, err := strconv.Atoi(filepath.Base(proc)); err == nil {
			found[pid] = string(bytes.ReplaceAll(words, []byte{0}, []byte{' '}))
		}
	}
	return found
}

// answer is how a command ended.
type answer struct {
	args     []string
	out, err string
	status   int
	took     time.Duration
}

// command prepares an apex command.
func (m *machine) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, binary, args...)
	c.Dir, c.Env = m.dir, m.env
	if m.user != nil {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: m.user}
	}
	return c
}

// apex runs a command to its end. Any goroutine may call it.
func (m *machine) apex(stdin string, args ...string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), *patience)
	defer cancel()
	c := m.command(ctx, args...)
	var out, err bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &err
	start := time.Now()
	failed := c.Run()
	a := answer{args, out.String(), err.String(), c.ProcessState.ExitCode(), time.Since(start)}
	var exit *exec.ExitError
	if failed != nil && !errors.As(failed, &exit) {
		a.err += failed.Error()
	}
	return a
}

// run runs a program of this user's to its end, and returns what it printed.
func (m *machine) run(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), *patience)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = m.dir, m.env
	out, err := c.Output()
	return string(out), err
}

// must runs a command that has to succeed, and returns what it printed.
func (m *machine) must(args ...string) string {
	m.t.Helper()
	return m.mustRead("", args...)
}

// mustRead is must with something on standard input.
func (m *machine) mustRead(stdin string, args ...string) string {
	m.t.Helper()
	a := m.apex(stdin, args...)
	if a.status != 0 {
		m.t.Fatalf("apex %s: status %d\n%s%s", strings.Join(args, " "), a.status, a.out, a.err)
	}
	return a.out
}

// textInfo is what the tests use of `apex text info --json`.
type textInfo struct {
	Window, Buffer string
	Version, Seq   uint64
	Runes          int
	Dirty          bool
	Leader         string
}

// info is what is known of a window's text.
func (m *machine) info(win string) textInfo {
	m.t.Helper()
	var i textInfo
	m.decode(m.must("text", "info", win, "--json"), &i)
	return i
}

func (m *machine) decode(out string, v any) {
	m.t.Helper()
	if err := json.Unmarshal([]byte(out), v); err != nil {
		m.t.Fatalf("%v in %q", err, out)
	}
}

// lookEvery is how often a condition is looked at.
const lookEvery = 10 * time.Millisecond

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	if !within(*patience, ok) {
		t.Fatalf("waited %v for %s", *patience, what)
	}
}

// within waits for a condition and reports whether it came about.
func within(limit time.Duration, ok func() bool) bool {
	late := time.NewTimer(limit)
	defer late.Stop()
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for !ok() {
		select {
		case <-again.C:
		case <-late.C:
			return ok()
		}
	}
	return true
}

// decodeOr decodes what a command printed, from any goroutine.
func (m *machine) decodeOr(a answer, v any) {
	if err := json.Unmarshal([]byte(a.out), v); err != nil {
		m.t.Errorf("apex %s: status %d: %v in %q: %s",
			strings.Join(a.args, " "), a.status, err, a.out, a.err)
	}
}
