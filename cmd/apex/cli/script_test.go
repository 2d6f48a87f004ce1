package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"apex/daemon/paths"
	"apex/term/holder"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"apex": func() {
			os.Exit(Run(os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
		},
	})
}

// TestScripts runs the scripts in testdata, each with a home, a state directory and daemons of its
// own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup:              setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":     cmdStatus,
			"eventually": cmdEventually,
			"parallel":   cmdParallel,
			"daemon":     cmdDaemon,
			"json":       cmdJSON,
			"keys":       cmdKeys,
			"setjson":    cmdSetJSON,
			"mknod":      cmdMknod,
			"wedged":     cmdWedged,
			"contend":    cmdContend,
			"odd":        cmdOdd,
			"bytes":      cmdBytes,
			"replay":     cmdReplay,
		},
	})
}

// setup gives a script directories of its own, and ends its daemon when it is over.
func setup(env *testscript.Env) error {
	state := filepath.Join(env.WorkDir, ".state")
	run := filepath.Join(env.WorkDir, ".run")
	for _, dir := range []string{state, run} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("APEX_STATE", state)
	env.Setenv("XDG_RUNTIME_DIR", run)
	env.Setenv("ODD", filepath.Join(env.WorkDir, "od\nd\x1b[1m\\"))
	env.Defer(func() {
		endDaemon(state)
		endPrograms(env.T(), filepath.Join(state, "holders"))
	})
	return nil
}

// endDaemon ends the daemon of a state directory that a test made.
func endDaemon(state string) {
	owner, held, err := paths.Holder(state)
	if err != nil || !held || owner.PID == 0 {
		return
	}
	// The lock names a process that this test started: the directory was made for it.
	syscall.Kill(owner.PID, syscall.SIGKILL)
	await(func() bool { _, held, _ := paths.Holder(state); return !held })
}

// endPrograms ends the programs that outlived a daemon, by those that hold them.
func endPrograms(t testscript.T, dir string) {
	names, err := holder.List(dir)
	if err != nil {
		t.Log(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), awaitMax)
	defer cancel()
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, name := range names {
		h, err := holder.Adopt(ctx, dir, name)
		if errors.Is(err, holder.Gone) {
			_, err = holder.EndLost(ctx, dir, name)
		}
		if err != nil || h == nil {
			t.Log(name, err)
			continue
		}
		wg.Go(func() {
			left, err := h.Kill(ctx)
			if err == nil {
				left, err = h.Release(ctx)
			}
			if err != nil || len(left) > 0 {
				t.Log(name, "left", left, err)
			}
		})
	}
}

// awaitMax is how long a condition is waited for before a test gives up.
const awaitMax = 20 * time.Second

// await looks for a condition until it holds.
func await(holds func() bool) bool {
	end := time.Now().Add(awaitMax)
	for ; time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return holds()
}

// cmdStatus runs a command that must end with a status: status N apex ...
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command args...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("status %d, want %s", got, args[0])
	}
}

// cmdEventually runs a command again and again until what it prints matches: eventually REGEX
// apex ...; with a file instead of a command, until the file does: eventually REGEX < FILE.
func cmdEventually(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: eventually REGEX command args...")
	}
	re := regexp.MustCompile("(?m)" + args[0])
	ok := await(func() bool {
		if args[1] == "<" {
			b, _ := os.ReadFile(ts.MkAbs(args[2]))
			return re.Match(b) != neg
		}
		err := ts.Exec(args[1], args[2:]...)
		return err == nil && re.MatchString(ts.ReadFile("stdout")) != neg
	})
	if !ok {
		ts.Fatalf("%v never matched %s", args[1:], args[0])
	}
}

// command makes a command in the script's environment.
func command(ts *testscript.TestScript, argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "APEX_STATE", "XDG_RUNTIME_DIR", "PATH"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	return cmd
}

// cmdParallel runs a command N times at once, with the number in place of {}: all must succeed.
func cmdParallel(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	if neg || err != nil {
		ts.Fatalf("usage: parallel N command args...")
	}
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			var argv []string
			for _, a := range args[1:] {
				argv = append(argv, strings.ReplaceAll(a, "{}", strconv.Itoa(i)))
			}
			if out, err := command(ts, argv...).CombinedOutput(); err != nil {
				errs[i] = fmt.Errorf("%v: %w\n%s", argv, err, out)
			}
		})
	}
	wg.Wait()
	ts.Check(errors.Join(errs...))
}

// asking are commands that ask the daemon, one of each.
var asking = []string{
	"ls", "ls --json", "new x", "rename x y", "end x", "status", "stop", "who", "win ls",
	"win rm w", "open /etc/passwd", "text read w", "text info w", "text apply w --base 0", "text write w",
	"undo w", "redo w", "put w", "get w -f", "exec w Put", "sel w", "sel w 1 2", "log meta",
	"follow", "term new", "term ls", "term info", "term info t", "term run t -- ls", "term send t x",
	"term keys t Enter", "term read t", "term screen t", "term wait t exit", "term find t /x/",
	"term resize t 8x2", "term clear t", "term kill t", "ps", "kill p", "env", "env A=b", "upgrade",
	"edit-wait /etc/passwd", "lease ls", "lease take w", "lease release w",
}

// cmdContend has N writers, each of which makes M edits of a text and tries each again while it is
// in conflict; then every edit must be in the text once: contend N M WIN.
func cmdContend(ts *testscript.TestScript, neg bool, args []string) {
	n, err0 := strconv.Atoi(args[0])
	m, err1 := strconv.Atoi(args[1])
	ts.Check(errors.Join(err0, err1))
	win := args[2]
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			for k := range m {
				if errs[i] = insist(ts, win, fmt.Sprintf("<%d.%d>", i, k)); errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	ts.Check(errors.Join(errs...))
	text, err := command(ts, "apex", "text", "read", win).Output()
	ts.Check(err)
	for i := range n {
		for k := range m {
			if c := strings.Count(string(text), fmt.Sprintf("<%d.%d>", i, k)); c != 1 {
				ts.Fatalf("edit %d of writer %d is there %d times", k, i, c)
			}
		}
	}
}

// insist inserts a word into a text until it is applied.
func insist(ts *testscript.TestScript, win, word string) error {
	version := "0"
	for {
		cmd := command(ts, "apex", "text", "apply", win, "--base", version, "--json")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`[{"q0":0,"q1":0,"text":%q}]`, word))
		out, err := cmd.Output()
		if status := cmd.ProcessState.ExitCode(); status != exitOK && status != exitConflict {
			return fmt.Errorf("%w: %s", err, out)
		}
		var got outcomeJSON
		if err := json.Unmarshal(out, &got); err != nil {
			return err
		}
		if got.Outcome == "applied" {
			return nil
		}
		version = strconv.FormatUint(got.Version, 10)
	}
}

// cmdWedged runs all commands while the daemon is stopped: each must say that there is none that
// answers, which process that is and what to do about it: wedged PID.
func cmdWedged(ts *testscript.TestScript, neg bool, args []string) {
	var wg sync.WaitGroup
	errs := make([]error, len(asking))
	for i, line := range asking {
		wg.Go(func() {
			cmd := command(ts, append([]string{"apex"}, strings.Fields(line)...)...)
			cmd.Stdin = strings.NewReader("[]")
			out, err := cmd.CombinedOutput()
			said := strings.Contains(string(out), "no_daemon") &&
				strings.Contains(string(out), "the daemon with pid "+args[0]+" holds ") &&
				strings.Contains(string(out), "next: `kill -CONT "+args[0]+"`")
			if cmd.ProcessState.ExitCode() != exitNoDaemon || !said {
				errs[i] = fmt.Errorf("apex %s: %w\n%s", line, err, out)
			}
		})
	}
	wg.Wait()
	ts.Check(errors.Join(errs...))
}

// cmdDaemon signals the script's daemon, or waits until it is up or gone: daemon kill|stop|...,
// daemon up, daemon gone, daemon pid NAME.
func cmdDaemon(ts *testscript.TestScript, neg bool, args []string) {
	state := ts.Getenv("APEX_STATE")
	holder := func() (paths.Owner, bool) {
		o, held, err := paths.Holder(state)
		ts.Check(err)
		return o, held
	}
	owner, held := holder()
	signals := map[string]syscall.Signal{"kill": syscall.SIGKILL, "stop": syscall.SIGSTOP,
		"cont": syscall.SIGCONT, "term": syscall.SIGTERM, "hup": syscall.SIGHUP,
		"int": syscall.SIGINT}
	sig, isSignal := signals[args[0]]
	switch {
	case isSignal && held:
		ts.Check(syscall.Kill(owner.PID, sig))
		if sig == syscall.SIGSTOP && !await(func() bool { return stopped(owner.PID) }) {
			ts.Fatalf("daemon %d did not stop", owner.PID)
		}
	case args[0] == "up":
		if !await(func() bool { o, held := holder(); return held && o.Socket != "" }) {
			ts.Fatalf("no daemon came up")
		}
	case args[0] == "gone":
		if !await(func() bool { _, held := holder(); return !held }) {
			ts.Fatalf("the daemon did not go")
		}
	case args[0] == "pid" && held:
		ts.Setenv(args[1], strconv.Itoa(owner.PID))
	default:
		ts.Fatalf("daemon %v: held %v", args, held)
	}
}

// stopped reports whether a process is stopped, where that can be seen.
func stopped(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(after, "T")
}

// value finds a part of the JSON that was printed last: a.0.b.
func value(ts *testscript.TestScript, path string) any {
	var v any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	d.UseNumber()
	ts.Check(d.Decode(&v))
	for _, key := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = x[key]; !ok {
				ts.Fatalf("%s: no %q in %v", path, key, x)
			}
		case []any:
			i, err := strconv.Atoi(key)
			if key == "len" {
				v = len(x)
				continue
			}
			if err != nil || i >= len(x) {
				ts.Fatalf("%s: no %q in %v", path, key, x)
			}
			v = x[i]
		default:
			if key != "" {
				ts.Fatalf("%s: %v is no object", path, v)
			}
		}
	}
	return v
}

// cmdJSON compares a part of the JSON that was printed last: json PATH WANT.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH WANT")
	}
	if got := fmt.Sprint(value(ts, args[0])); (got == args[1]) == neg {
		ts.Fatalf("%s is %q, want %q", args[0], got, args[1])
	}
}

// cmdKeys compares the names of an object's fields: keys PATH a,b,c, with . for all of it.
func cmdKeys(ts *testscript.TestScript, neg bool, args []string) {
	path := strings.TrimPrefix(args[0], ".")
	var v any
	if path == "" {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	} else {
		v = value(ts, path)
	}
	object, _ := v.(map[string]any)
	var got []string
	for k := range object {
		got = append(got, k)
	}
	want := strings.Split(args[1], ",")
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) == neg {
		ts.Fatalf("fields of %s: %v, want %v", args[0], got, want)
	}
}

// cmdSetJSON sets a variable to a part of the JSON that was printed last: setjson NAME PATH.
func cmdSetJSON(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv(args[0], fmt.Sprint(value(ts, args[1])))
}

// cmdMknod makes a FIFO or a socket: mknod fifo|socket NAME.
func cmdMknod(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs(args[1])
	if args[0] == "fifo" {
		ts.Check(syscall.Mkfifo(path, 0o600))
		return
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	ts.Check(err)
	defer syscall.Close(fd)
	ts.Check(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}))
}

// cmdBytes writes bytes, given as Go would quote them: bytes FILE TEXT.
func cmdBytes(ts *testscript.TestScript, neg bool, args []string) {
	text, err := strconv.Unquote(`"` + strings.Join(args[1:], " ") + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o640))
}

// cmdOdd opens odd files, edits them, takes that back and saves: they must be as they were.
func cmdOdd(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs("odd")
	ts.Check(os.Mkdir(dir, 0o700))
	run := func(stdin string, args ...string) string {
		cmd := command(ts, append([]string{"apex"}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			ts.Fatalf("apex %v: %v", args, err)
		}
		return string(out)
	}
	for name, content := range oddFiles() {
		path := filepath.Join(dir, name)
		ts.Check(os.WriteFile(path, content, 0o640))
		run("", "open", path)
		if got := run("", "text", "read", path); got != string(content) {
			ts.Fatalf("%s: read %d bytes that differ, want %d", name, len(got), len(content))
		}
		run("", "put", path)
		checkFile(ts, path, content)
		run("\xa9<"+string(content)+">\xe2", "text", "write", path)
		run("", "undo", path)
		run("", "put", "-f", path)
		checkFile(ts, path, content)
	}
}

func checkFile(ts *testscript.TestScript, path string, want []byte) {
	got, err := os.ReadFile(path)
	ts.Check(err)
	info, err := os.Stat(path)
	ts.Check(err)
	if !bytes.Equal(got, want) || info.Mode().Perm() != 0o640 {
		ts.Fatalf("%s: saved %d bytes with mode %v, want %d that are the same", path, len(got),
			info.Mode(), len(want))
	}
}

// oddFiles are files that an editor may get wrong.
func oddFiles() map[string][]byte {
	all := make([]byte, 256)
	random := make([]byte, 200_000)
	seed := uint32(1)
	for i := range random {
		seed = seed*1664525 + 1013904223
		random[i] = byte(seed >> 24)
	}
	for i := range all {
		all[i] = byte(i)
	}
	return map[string][]byte{
		"random": random, "all-bytes": all, "empty": {}, "nul": {0}, "no-newline": []byte("a\nb"),
		"utf-16":  []byte("\xff\xfea\x00b\x00\n\x00"),
		"latin-1": []byte("caf\xe9 na\xefve\n"), "crlf": []byte("a\r\nb\r\n"),
		"mixed":     []byte("a\r\nb\nc\rd"),
		"bom":       []byte("\xef\xbb\xbfa\n"),
		"broken":    []byte("\xe2\x82\xe2\x82\xac\xf0\x9f\n"),
		"surrogate": []byte("\xed\xa0\x80"),
		"one-line":  bytes.Repeat([]byte("x"), 1<<20+100),
	}
}
