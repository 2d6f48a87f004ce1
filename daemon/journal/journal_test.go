package journal

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"apex/daemon/disk"
)

// log is a receiver that writes down what it is given, one line each.
type log struct{ lines []string }

func (l *log) add(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *log) Part(key string, data []byte) { l.add("part %s %s", key, brief(data)) }

func (l *log) Record(n uint64, _ time.Time, payload []byte) {
	l.add("record %d %s", n, brief(payload))
}

func (l *log) Damage(d Damage) { l.add("damage %s %s", d.File, d.Reason) }

func (l *log) Reset() { l.lines = nil }

func (l *log) String() string { return strings.Join(l.lines, "\n") }

// brief keeps a log readable: long payloads by size and sum.
func brief(b []byte) string {
	if len(b) <= 40 {
		return string(b)
	}
	return fmt.Sprintf("[%d bytes %08x]", len(b), sum(b))
}

// bench is a journal under test, with what it reported.
type bench struct {
	*Journal
	report Report
	log    log

	mu      sync.Mutex
	durable []uint64
	failed  []error
}

func open(t *testing.T, fsys disk.FS, dir string, opts Options) *bench {
	t.Helper()
	b := &bench{}
	opts.Durable = func(upTo uint64) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.durable = append(b.durable, upTo)
	}
	opts.Failed = func(err error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.failed = append(b.failed, err)
	}
	var err error
	if b.Journal, err = Open(fsys, dir, opts); err != nil {
		t.Fatal(err)
	}
	if b.report, err = b.Recover(&b.log); err != nil {
		t.Fatal(err)
	}
	return b
}

// failures returns what Failed was told, once it was told something.
func (b *bench) failures() []error {
	for {
		b.mu.Lock()
		failed := slices.Clone(b.failed)
		b.mu.Unlock()
		if len(failed) > 0 {
			return failed
		}
		runtime.Gosched()
	}
}

func (b *bench) lastDurable() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.durable) == 0 {
		return 0
	}
	return b.durable[len(b.durable)-1]
}

// add appends and waits for the disk, one commit a record.
func (b *bench) add(t *testing.T, payloads ...string) {
	t.Helper()
	for _, p := range payloads {
		if _, err := b.Append([]byte(p)); err != nil {
			t.Fatal(err)
		}
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *bench) close(t *testing.T) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

func wantLog(t *testing.T, got *log, want ...string) {
	t.Helper()
	if g, w := got.String(), strings.Join(want, "\n"); g != w {
		t.Fatalf("got\n%s\nwant\n%s", g, w)
	}
}

func text(key, data string) Part {
	return Part{Key: key, Data: func(w io.Writer) error {
		_, err := io.WriteString(w, data)
		return err
	}}
}

func TestOnTheRealDisk(t *testing.T) {
	dir := t.TempDir() + "/sessions/s1"
	j := open(t, disk.OS, dir, Options{})
	wantLog(t, &j.log)
	j.add(t, "one", "two")
	if n, err := j.AppendV([]byte("th"), nil, []byte("ree")); n != 3 || err != nil {
		t.Fatalf("got record %d, %v; want 3", n, err)
	}
	j.close(t)
	if got := j.lastDurable(); got != 3 {
		t.Fatalf("got durable up to %d, want 3", got)
	}

	j = open(t, disk.OS, dir, Options{})
	wantLog(t, &j.log, "record 1 one", "record 2 two", "record 3 three")
	big := strings.Repeat("abcdefg", 100_000)
	j.add(t, "four")
	if err := j.Rotate([]Part{text("a", "state"), text("b", big), text("c", "")}, 3); err != nil {
		t.Fatal(err)
	}
	j.add(t, "five", big)
	j.close(t)

	j = open(t, disk.OS, dir, Options{})
	wantLog(t, &j.log, "part a state", "part b "+brief([]byte(big)), "part c ",
		"record 4 four", "record 5 five", "record 6 "+brief([]byte(big)))
	wantHistory(t, j.Journal, 1,
		"1 one", "2 two", "3 three", "4 four", "5 five", "6 "+brief([]byte(big)))
	wantHistory(t, j.Journal, 4, "4 four", "5 five", "6 "+brief([]byte(big)))
	j.close(t)
}

func wantHistory(t *testing.T, j *Journal, from uint64, want ...string) {
	t.Helper()
	var got []string
	for r, err := range j.History(from) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, fmt.Sprintf("%d %s", r.Number, brief(bytes.Clone(r.Payload))))
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Fatalf("history from %d: got\n%s\nwant\n%s", from, g, w)
	}
}
