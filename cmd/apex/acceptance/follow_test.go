package acceptance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// follower is an `apex follow` that runs.
type follower struct {
	m       *machine
	cmd     *exec.Cmd
	ended   chan struct{} // closed when all its output is in lines
	notices bytes.Buffer  // on standard error; to be read when it has ended

	mu    sync.Mutex
	lines []string
}

// follow follows a buffer from its first entry.
func (m *machine) follow(buffer string) *follower {
	m.t.Helper()
	f := &follower{m: m, ended: make(chan struct{})}
	f.cmd = m.command(context.Background(), "follow", "--shard", "buffer/"+buffer, "--from", "1")
	f.cmd.Stderr = &f.notices
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	go func() {
		defer close(f.ended)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			f.mu.Lock()
			f.lines = append(f.lines, lines.Text())
			f.mu.Unlock()
		}
	}()
	m.t.Cleanup(func() {
		f.stop()
		if m.t.Failed() {
			m.t.Logf("apex follow said:\n%s", &f.notices)
		}
	})
	return f
}

// stop interrupts it and returns what it printed.
func (f *follower) stop() []string {
	f.cmd.Process.Signal(os.Interrupt)
	<-f.ended
	f.cmd.Wait()
	return f.printed()
}

// printed is what it has printed until now.
func (f *follower) printed() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.lines)
}

// reaches waits for an entry.
func (f *follower) reaches(seq uint64) {
	f.m.t.Helper()
	eventually(f.m.t, fmt.Sprintf("entry %d to be followed", seq), func() bool {
		lines := f.printed()
		return len(lines) > 0 && parse(f.m.t, lines[len(lines)-1]).Seq >= seq
	})
}

// entry is what a replay needs of a line that `apex follow` prints.
type entry struct {
	Shard  string
	Seq    uint64
	Actor  string
	Op     string
	Fields struct {
		piece
		Edits []piece
	}
}

// piece replaces runes [Q0, Q1) by a text.
type piece struct {
	Q0, Q1 int
	Text   *string
	Base64 []byte `json:"text_base64"`
}

func parse(t *testing.T, line string) entry {
	t.Helper()
	var e entry
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	return e
}

// replay makes a buffer's text from its entries as they are documented, and checks that none is
// missing.
func replay(t *testing.T, lines []string) string {
	t.Helper()
	var text []string // runes; a byte that is none counts as one
	for i, line := range lines {
		e := parse(t, line)
		if e.Seq != uint64(i+1) {
			t.Fatalf("entry %d is %s", i+1, line)
		}
		switch e.Op {
		case "buffer_new", "load":
			text = append(text, runes(e.Fields.bytes())...)
		case "edit":
			text = e.Fields.apply(t, text)
		case "undo":
			for _, p := range e.Fields.Edits {
				text = p.apply(t, text)
			}
		}
	}
	return strings.Join(text, "")
}

func (p *piece) bytes() string {
	if p.Text != nil {
		return *p.Text
	}
	return string(p.Base64)
}

func (p *piece) apply(t *testing.T, text []string) []string {
	t.Helper()
	if p.Q0 < 0 || p.Q1 < p.Q0 || p.Q1 > len(text) {
		t.Fatalf("an edit of [%d,%d) in %d runes", p.Q0, p.Q1, len(text))
	}
	return slices.Replace(text, p.Q0, p.Q1, runes(p.bytes())...)
}

func runes(s string) []string {
	var out []string
	for s != "" {
		_, n := utf8.DecodeRuneInString(s)
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}
