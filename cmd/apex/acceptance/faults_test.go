package acceptance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// faulty is a machine on which something goes wrong each round, while a person types, scripts edit,
// and programs run. What is checked after a round is what was acknowledged, seen or typed.
type faulty struct {
	*machine
	random   *rand.Rand
	person   *terminal
	sane     string    // modes of a terminal that no UI has
	other    *terminal // somebody else, who is not attached between rounds
	file     string    // that people type into
	follower *follower
	scripts  *scripts
	words    int
	typed    string // by people, in this order
	texts    []*kept
	programs []*counter
	ended    []*counter // whose windows are still there
	columns  int        // that were asked for
	history  []string   // what happened, for who reads of a failure
}

// kept is a window with a text that only changes as noted here.
type kept struct{ window, before, text string }

// counter is a hosted terminal whose program prints consecutive numbers.
type counter struct {
	*hosted
	name  string // of the file that says how far it has come
	pid   int
	round int // in which it began
}

const (
	keptMost    = 6 // windows with texts; then one goes
	counterMost = 2
	columnsMore = 1 // beside the two that a session has: the screen is no wider
	counterLife = 8 // rounds; a terminal keeps 10,000 lines, and all are compared
)

// TestFaults is the long run over real processes. A seed repeats what is done, not when: the
// processes run as the machine lets them.
func TestFaults(t *testing.T) {
	t.Parallel()
	needTmux(t)
	needProc(t)
	f := newFaulty(t)
	t.Logf("seed %d: go test ./cmd/apex/acceptance -run TestFaults -args -seed %[1]d -rounds %d", *seed, *rounds)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("it went like this:\n%s", strings.Join(f.history, "\n"))
		}
	})
	begun, counts := time.Now(), map[string]int{}
	for n := 0; n < *rounds || time.Since(begun) < *lasting; n++ {
		for range 1 + f.random.IntN(3) {
			act := acts[f.random.IntN(len(acts))]
			f.note("%d: %s", n, act.name)
			act.do(f, n)
		}
		f.focus()
		fault := faults[f.random.IntN(len(faults))]
		if n < len(faults) {
			fault = faults[n] // each once
		}
		f.note("%d: %s", n, fault.name)
		counts[fault.name]++
		arranged := f.arrangement()
		f.scripts.start()
		f.scripts.waitFor(f.random.IntN(3))
		f.types()
		fault.do(f)
		f.types()
		f.scripts.stop()
		f.check(arranged)
	}
	t.Logf("%v; %d edits by scripts, %d without an answer; %d words typed", counts,
		len(f.scripts.applied), len(f.scripts.maybe), f.words)
	f.person.keys("C-q")
	eventually(t, "the terminal to be given back", func() bool { return f.person.modes() == f.sane })
	f.must("stop")
}

func newFaulty(t *testing.T) *faulty {
	m := newMachine(t)
	f := &faulty{machine: m, random: rand.New(rand.NewPCG(*seed, 7)), file: m.write("faults.txt", "begun\n")}
	f.person, f.other = m.terminal("person", 100, 40), m.terminal("other", 80, 24)
	link := f.write("link", fmt.Sprintf(linkScript, m.path("link"+pidSuffix), binary))
	if err := os.Chmod(link, 0o755); err != nil {
		t.Fatal(err)
	}
	f.sane = f.person.modes()
	f.attach()
	f.person.shows("begun")
	f.follower = m.follow(m.info(f.file).Buffer)
	f.scripts = newScripts(m, f.file)
	f.focus()
	return f
}

func (f *faulty) note(format string, args ...any) {
	f.history = append(f.history, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// linkScript is the person's way to the daemon, which can be cut.
const linkScript = `#!/bin/sh
echo $$ >%s
exec %s attach --stdio
`

// attach runs the person's UI, over a link.
func (f *faulty) attach() {
	f.t.Helper()
	f.person.ui("attach", "--via", f.path("link"), "default", f.file)
}

// focus has what the person types go to the end of the text.
func (f *faulty) focus() {
	f.must("open", f.file)
	f.person.keys("C-End")
	f.person.wait("the disk", screen.synced)
}

// word is one that nobody has typed yet, on a line of its own.
func (f *faulty) word() string {
	f.words++
	return fmt.Sprintf("word %d.", f.words)
}

// types has the person type some words, which nobody waits for.
func (f *faulty) types() {
	for range f.random.IntN(4) {
		w := f.word()
		f.person.types(w)
		f.person.keys("Enter")
		f.typed += w + "\n"
	}
}

// typesIn has somebody type a word, and returns when it is on the screen.
func (f *faulty) typesIn(p *terminal) {
	w := f.word()
	p.types(w)
	p.shows(w)
	p.keys("Enter")
	f.typed += w + "\n"
}

// arrived waits until what was typed has come to the UI that leads and from there to the disk, whole
// and in its order, and returns the text. Nothing else is in it but what scripts put there, once each.
func (f *faulty) arrived(p *terminal) string {
	f.t.Helper()
	p.wait("the daemon to be back, and the disk", screen.synced)
	want := "begun\n" + f.typed
	var got, rest string
	var found map[rune]int
	if !within(*patience, func() bool {
		got = f.must("text", "read", f.file)
		found, rest = marks(got)
		return rest == want
	}) {
		f.t.Fatalf("without the scripts' edits the text is\n%q, want\n%q", rest, want)
	}
	p.wait("the disk", screen.synced)
	if !f.scripts.busy() {
		once(f.t, found, f.scripts.applied, f.scripts.maybe)
	}
	return got
}

// arrangement is what the session's windows are, and where.
func (f *faulty) arrangement() string {
	f.t.Helper()
	var all []struct {
		Window, Buffer, Tag, Name, Kind, Show string
		Column, Row                           int
	}
	f.decode(f.must("win", "ls", "--json"), &all)
	return fmt.Sprintf("%+v", all)
}

// check waits until everybody has recovered, and compares everything.
func (f *faulty) check(arranged string) {
	f.t.Helper()
	got := f.arrived(f.person)
	info := f.info(f.file)
	f.follower.reaches(info.Seq)
	if again := replay(f.t, f.follower.printed()[:info.Seq]); again != got {
		f.t.Fatalf("the entries that were told make\n%q, the text is\n%q", again, got)
	}
	if now := f.arrangement(); now != arranged {
		f.t.Fatalf("the windows are\n%s, were\n%s", now, arranged)
	}
	for _, k := range f.texts {
		f.reads(k, k.text)
		f.must("undo", k.window)
		f.reads(k, k.before)
		f.must("redo", k.window)
		f.reads(k, k.text)
	}
	for _, c := range f.programs {
		if now := c.info(); now.PID != c.pid || !now.Running {
			f.t.Fatalf("%s is %+v, was process %d", c.name, now, c.pid)
		}
		c.unbroken()
	}
}

func (f *faulty) reads(k *kept, want string) {
	f.t.Helper()
	if got := f.must("text", "read", k.window); got != want {
		f.t.Fatalf("%s has %q, want %q", k.window, got, want)
	}
}

// An act is what people and scripts do between faults.
var acts = []struct {
	name string
	do   func(f *faulty, round int)
}{
	{"a text without a name", func(f *faulty, _ int) { f.keep(f.mustRead(f.word(), "open", "-")) }},
	{"a new file", func(f *faulty, _ int) {
		f.keep(f.must("open", f.write(fmt.Sprintf("file%d.txt", f.words), f.word())))
	}},
	{"a text is edited", func(f *faulty, _ int) {
		if len(f.texts) > 0 {
			f.rewrite(f.texts[f.random.IntN(len(f.texts))])
		}
	}},
	{"a window is deleted", func(f *faulty, _ int) {
		if n := len(f.texts); n > 0 {
			i := f.random.IntN(n)
			f.must("win", "rm", "-f", f.texts[i].window)
			f.texts = slices.Delete(f.texts, i, i+1)
		}
	}},
	{"a column", func(f *faulty, _ int) {
		if f.columns++; f.columns <= columnsMore {
			f.must("exec", f.file, "Newcol")
		}
	}},
	{"sort", func(f *faulty, _ int) { f.must("exec", f.file, "Sort") }},
	{"a program", (*faulty).program},
	{"windows of ended programs are deleted", func(f *faulty, _ int) {
		for _, c := range f.ended {
			f.must("win", "rm", c.window)
		}
		f.ended = nil
	}},
}

// keep notes a window, as `apex open` printed it, and gives it a text.
func (f *faulty) keep(opened string) {
	f.t.Helper()
	window, _, _ := strings.Cut(opened, "\t")
	k := &kept{window: window, text: f.must("text", "read", window)}
	f.rewrite(k)
	if f.texts = append(f.texts, k); len(f.texts) > keptMost {
		f.must("win", "rm", "-f", f.texts[0].window)
		f.texts = f.texts[1:]
	}
}

func (f *faulty) rewrite(k *kept) {
	f.t.Helper()
	k.before, k.text = k.text, k.text+f.word()+"\n"
	f.mustRead(k.text, "text", "write", k.window)
}

// program starts one, and ends the oldest.
func (f *faulty) program(round int) {
	f.t.Helper()
	if n := len(f.programs); n > 0 && (n == counterMost || round-f.programs[0].round > counterLife) {
		f.must("win", "rm", "-f", f.programs[0].window)
		f.programs = f.programs[1:]
	}
	f.words++
	c := &counter{name: fmt.Sprintf("counted%d", f.words), round: round}
	loop := strings.ReplaceAll(counting, "counted", c.name)
	c.hosted = f.hosts("80x24", "sh", "-c", loop)
	c.pid = c.info().PID
	c.countsOn(f.machine)
	f.programs = append(f.programs, c)
}

// counted is how far the program has come.
func (c *counter) counted() int { return c.m.countedIn(c.name) }

// unbroken checks that the terminal has every line that the program has printed.
func (c *counter) unbroken() {
	c.m.t.Helper()
	c.unbrokenTo(c.counted())
}

// countsOn waits until the program has printed more.
func (c *counter) countsOn(m *machine) {
	m.t.Helper()
	to := c.counted() + 3
	eventually(m.t, "the program to go on", func() bool { return c.counted() >= to })
}

// A fault is over when do returns, and everybody goes on by themselves.
var faults = []struct {
	name string
	do   func(f *faulty)
}{
	{"kill -9 of the daemon", func(f *faulty) { f.killDaemon() }},
	{"the daemon stops for a moment", func(f *faulty) {
		pid := f.daemon()
		kill(pid, syscall.SIGSTOP)
		f.typesIn(f.person)
		kill(pid, syscall.SIGCONT)
	}},
	{"kill -9 of a daemon that has not heard", func(f *faulty) {
		kill(f.daemon(), syscall.SIGSTOP)
		f.typesIn(f.person)
		f.killDaemon()
	}},
	{"kill -9 of the UI", (*faulty).killUI},
	{"kill -9 of the UI and of the daemon", func(f *faulty) {
		f.arrived(f.person)
		pid := f.person.pid()
		kill(pid, syscall.SIGKILL)
		f.killDaemon()
		f.back(pid)
	}},
	{"the link is cut", func(f *faulty) {
		kill(f.pidIn("link"+pidSuffix), syscall.SIGKILL)
		f.typesIn(f.person)
	}},
	{"somebody takes over while the link is cut", func(f *faulty) {
		f.takeover(func() {
			kill(f.pidIn("link"+pidSuffix), syscall.SIGSTOP)
		}, func() { kill(f.pidIn("link"+pidSuffix), syscall.SIGKILL) })
	}},
	{"somebody takes over", func(f *faulty) { f.takeover(func() {}, func() {}) }},
	{"somebody takes over from a UI that does not run", func(f *faulty) {
		pid := f.person.pid()
		f.takeover(func() { kill(pid, syscall.SIGSTOP) }, func() {
			f.person.types("fg")
			f.person.keys("C-j") // this shell leaves the terminal in the UI's modes
		})
	}},
	{"kill -9 of a holder", (*faulty).killHolder},
	{"kill -9 of scripts", (*faulty).killScripts},
	{"apex stop", func(f *faulty) { f.must("stop") }},
	{"SIGTERM", func(f *faulty) {
		pid := f.daemon()
		kill(pid, syscall.SIGTERM)
		eventually(f.t, "the daemon to end", func() bool { return !alive(pid) })
	}},
	{"an upgrade", func(f *faulty) { f.must("upgrade", binary) }},
	{"the socket is removed", func(f *faulty) {
		if err := os.Remove(f.owner().Socket); err != nil {
			f.t.Error(err)
		}
		f.typesIn(f.person)
	}},
}

// killUI kills the UI when a word is on its screen; what of it the daemon has is as it happens.
func (f *faulty) killUI() {
	f.arrived(f.person)
	tail := f.word()
	f.person.types(tail)
	f.person.shows(tail)
	pid := f.person.pid()
	kill(pid, syscall.SIGKILL)
	f.back(pid)
	_, text := marks(f.must("text", "read", f.file))
	kept, ok := strings.CutPrefix(text, "begun\n"+f.typed)
	if !ok || !strings.HasPrefix(tail, kept) {
		f.t.Fatalf("%q was typed and the UI killed, after %q, and the text is %q", tail, f.typed, text)
	}
	f.person.keys("Enter")
	f.typed += kept + "\n"
}

// back waits for a UI's end and runs it again.
func (f *faulty) back(pid int) {
	f.t.Helper()
	eventually(f.t, "the UI to end", func() bool { return !alive(pid) })
	eventually(f.t, "the terminal to be given back", func() bool { return f.person.modes() == f.sane })
	f.attach()
	f.focus()
}

// takeover has somebody else lead, type, and leave; the person takes the session back.
func (f *faulty) takeover(before, after func()) {
	f.arrived(f.person)
	before()
	f.other.ui(f.file)
	f.other.wait("the lead", screen.leading)
	f.other.keys("C-End")
	f.typesIn(f.other)
	f.arrived(f.other)
	after()
	f.person.wait("that it watches", func(s screen) bool { return s.status("watching") })
	f.person.keys("F2")
	f.person.wait("the lead", screen.leading)
	f.other.detach()
	f.focus()
}

// killHolder ends a terminal, which says why; no other notices.
func (f *faulty) killHolder() {
	if len(f.programs) == 0 {
		return
	}
	c := f.programs[0]
	f.programs = f.programs[1:]
	kill(parent(f.t, c.pid), syscall.SIGKILL)
	c.waits("exit")
	if i := c.info(); i.Running || i.Reason == "" {
		f.t.Errorf("a terminal without its holder: %+v", i)
	}
	eventually(f.t, "its program to end", func() bool { return !alive(c.pid) })
	f.ended = append(f.ended, c)
}

// killScripts kills commands at any moment of an edit.
func (f *faulty) killScripts() {
	for range 5 {
		mark := f.scripts.mark()
		version := strconv.FormatUint(f.info(f.file).Version, 10)
		life := time.Duration(f.random.IntN(20)) * time.Millisecond
		ctx, end := context.WithTimeout(f.t.Context(), life)
		c := f.command(ctx, "text", "apply", f.file, "--on-conflict", "rebase", "--base", version)
		c.Stdin = strings.NewReader(insertion(0, mark))
		_ = c.Run() // killed, or done before
		end()
		f.scripts.unsure(mark)
	}
}
