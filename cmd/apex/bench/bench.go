package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"apex/term/vt/corpus"
)

// Line is one figure of the budget.
type Line struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Floor   float64 `json:"floor"` // in the same unit; 0 if the line has none
	Ratio   float64 `json:"ratio"` // value / floor, or the value itself where there is no floor
	Must    float64 `json:"must"`
	Aim     float64 `json:"aim"`
	AtLeast bool    `json:"at_least"`          // the ratio is to be at least must and aim, not at most
	Skipped string  `json:"skipped,omitempty"` // why nothing was measured
}

// String is the line as a person reads it.
func (l Line) String() string {
	if l.Skipped != "" {
		return fmt.Sprintf("%-13s skipped: %s", l.Name, l.Skipped)
	}
	floor := ""
	if l.Floor > 0 {
		floor = fmt.Sprintf(" floor %.2f", l.Floor)
	}
	return fmt.Sprintf("%-13s %10.2f %-4s ratio %8.2f %s %-6s%s",
		l.Name, l.Value, l.Unit, l.Ratio, bounds(l.Must, l.Aim), l.Met(), floor)
}

// bounds is what a ratio is judged by, as a person reads it.
func bounds(must, aim float64) string {
	sign := "<="
	if atLeast(must, aim) {
		sign = ">="
	}
	return fmt.Sprintf("must %s %-4g aim %s %-4g", sign, must, sign, aim)
}

// atLeast reports whether the bounds are lower ones. An aim is harder to meet than a must: where it
// is the greater number, more is better.
func atLeast(must, aim float64) bool { return aim > must }

// Met says how the line stands: aim, must or missed.
func (l *Line) Met() string {
	meets := func(bound float64) bool {
		if l.AtLeast {
			return l.Ratio >= bound
		}
		return l.Ratio <= bound
	}
	switch {
	case l.Skipped != "":
		return "skipped"
	case meets(l.Aim):
		return "aim"
	case meets(l.Must):
		return "must"
	}
	return "missed"
}

// test is one line's measurement. The bounds are upper ones, unless aim is above must: see atLeast.
type test struct {
	name      string
	measures  string
	must, aim float64
	run       func(*rig) (measured, error)
}

// lineMax is more than any line takes on a slow machine.
const lineMax = 5 * time.Minute

// measured is what a test found.
type measured struct {
	value, floor float64 // floor 0: the value is judged itself
	unit         string
}

// skip is the error of a test that needs something that is not there.
type skip string

func (s skip) Error() string { return string(s) }

var tests = []test{
	{"ping", "request and reply, p50, against a raw 16-byte round trip", 2.0, 1.5, ping},
	{"key_follow", "key in one client until another has it, p50, against a round trip", 4.0, 2.5, keyFollow},
	{"key_durable", "key until its durable ack, p50, against append + fdatasync + round trip", 1.5, 1.0, keyDurable},
	{"append_100k", "100,000 one-rune edits in one flush, CPU ns an entry in both processes", 600, 400, append100k},
	{"attach_12mb", "hello until a full replica of 12 MB, against the same bytes through a socket", 7.0, 3.0, attach12mb},
	{"attach_paint", "`apex attach` until its first full paint, 100 MB open, against tmux attach", 1.5, 1.0, attachPaint},
	{"key_paint", "key until painted, 200x60, 10 MB file, p50, against neovim", 1.2, 0.8, keyPaint},
	{"read_range", "a 10-line range in a session of 100 MB, against an empty one", 1.2, 1.1, readRange},
	{"restart", "kill -9 with 1 M entries until a client is answered, against reading the bytes", 5.0, 2.0, restart},
	{"idle", "CPU of daemon and UI over 10 s of quiet, percent", 1.0, 0.3, idle},
	{"rss", "memory of the daemon with 100 MB of text open, against the text", 1.6, 1.3, rss},
	{"term_key", "key in a terminal that runs cat until painted, p50, against tmux", 2.0, 1.0, termKey},
	{"term_flood", "50 MB printed in a terminal until the last line shows, against tmux", 0.5, 0.3, termFlood},
	{"vt_plain", "text read per second of CPU by the parser and screen, against tmux", 1.3, 2.0, parser(corpus.Plain)},
	{"vt_sgr", "the same, every word in another look", 1.3, 2.0, parser(corpus.SGR)},
	{"vt_cjk", "the same, wide characters, accents and emoji", 1.3, 2.0, parser(corpus.Unicode)},
	{"vt_redraw", "the same, a full-screen program that draws all of it", 1.3, 2.0, parser(corpus.Redraw)},
	{"flood_other", "key in a text while a terminal is flooded, p50, against quiet", 2.0, 1.3, floodOther},
	{"takeover", "a second UI's hello until it leads the layout, p50, against a round trip + fdatasync", 3.0, 1.5, takeover},
	{"resume", "a link's return until 10,000 missed entries are here, p50, against applying them", 3.0, 1.5, resume},
	{"clients_1000", "key until another has it and it is stored, 1,000 followers, half of them full, p50, against alone", 2.0, 1.3, clients1000},
}

// Names lists the lines in order.
func Names() []string {
	out := make([]string, len(tests))
	for i, t := range tests {
		out[i] = t.name
	}
	return out
}

// Describe says what each line measures.
func Describe() string {
	var b strings.Builder
	for _, t := range tests {
		fmt.Fprintf(&b, "  %-13s %s %s\n", t.name, bounds(t.must, t.aim), t.measures)
	}
	return b.String()
}

// named reports whether a word names a line: it is the name, or the part before an underscore.
func (t *test) named(word string) bool {
	return t.name == word || strings.HasPrefix(t.name, word+"_")
}

// Check refuses names of lines that there are not. The part of a name before an underscore stands
// for all lines that begin with it.
func Check(names []string) error {
	for _, n := range names {
		if !slices.ContainsFunc(tests, func(t test) bool { return t.named(n) }) {
			return fmt.Errorf("no line %q: want one of %s", n, strings.Join(Names(), ", "))
		}
	}
	return nil
}

// Run measures the named lines, all if none is named, and gives each to report as it is done.
func Run(ctx context.Context, names []string, report func(Line)) error {
	if err := Check(names); err != nil {
		return err
	}
	for _, t := range tests {
		if len(names) > 0 && !slices.ContainsFunc(names, t.named) {
			continue
		}
		l, err := runOne(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		report(l)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func runOne(ctx context.Context, t test) (Line, error) {
	l := Line{Name: t.name, Must: t.must, Aim: t.aim, AtLeast: atLeast(t.must, t.aim)}
	ctx, cancel := context.WithTimeoutCause(ctx, lineMax,
		fmt.Errorf("not done in %v: something that was waited for did not happen", lineMax))
	defer cancel()
	r, err := newRig(ctx)
	if err != nil {
		return l, err
	}
	defer r.close()
	m, err := t.run(r)
	if s, ok := err.(skip); ok {
		l.Skipped = string(s)
		return l, nil
	}
	if err != nil {
		return l, err
	}
	l.Value, l.Unit, l.Floor, l.Ratio = m.value, m.unit, m.floor, m.value
	if m.floor > 0 {
		l.Ratio = m.value / m.floor
	}
	return l, nil
}

// rig is one test's daemon, directories and child processes.
type rig struct {
	ctx    context.Context
	exe    string
	dir    string // everything of the test; short, since a socket's path has a limit
	daemon *exec.Cmd
	kids   []*exec.Cmd
	files  []io.Closer
	fds    []int
	hosts  bool // there are terminals
}

func newRig(ctx context.Context) (*rig, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "apexb")
	if err != nil {
		return nil, err
	}
	return &rig{ctx: ctx, exe: exe, dir: dir}, nil
}

func (r *rig) socket() string { return filepath.Join(r.dir, "run", "s") }

func (r *rig) state() string { return filepath.Join(r.dir, "state") }

// close ends what the test started and removes what it wrote.
func (r *rig) close() {
	if r.hosts {
		r.stopDaemon() // else its terminals would wait for the next one
	}
	for _, c := range append(r.kids, r.daemon) {
		if c != nil && c.Process != nil {
			c.Process.Kill()
			c.Wait()
		}
	}
	for _, f := range r.files {
		f.Close()
	}
	for _, fd := range r.fds {
		syscall.Close(fd)
	}
	os.RemoveAll(r.dir)
}
