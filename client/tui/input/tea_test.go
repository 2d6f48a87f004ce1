//go:build unix

package input

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// recorder writes down what Bubble Tea delivers, until the key q.
type recorder struct {
	reader *Reader
	tty    *os.File
	ready  chan struct{}
	log    []string
}

func (r *recorder) Init() tea.Cmd  { close(r.ready); return nil }
func (r *recorder) View() tea.View { return tea.NewView(" ") }

func (r *recorder) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		r.log = append(r.log, msg.String())
		if msg.String() == "q" {
			return r, tea.Quit
		}
	case tea.PasteMsg:
		p, ok := r.reader.TakePaste()
		r.log = append(r.log, fmt.Sprintf("paste of %d %v, told %q", len(p.Text), ok, msg.Content))
	}
	return r, nil
}

// Through a real pty and a real Bubble Tea: raw mode is set though the input is a Reader, pastes
// keep their place among the keys and their bytes, and the program ends at once though a read
// waits.
func TestReaderUnderBubbleTea(t *testing.T) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pty:", err)
	}
	defer ptmx.Close()
	defer tty.Close()
	before, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("\x1b[31mred\x00\xff\x03\r", 40_000)
	go func() { // what Bubble Tea sends must be read, or it blocks
		_, _ = ptmx.WriteTo(discard{})
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	m := &recorder{reader: NewReader(tty, time.Now), tty: tty, ready: make(chan struct{})}
	go func() {
		<-m.ready
		_, _ = ptmx.Write([]byte("a\x1b[200~" + text + "\x1b[201~b\x1b[200~second\x1b[201~\x1b[A"))
		_, _ = ptmx.Write([]byte("q"))
	}()
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(m.reader), tea.WithOutput(tty),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithoutSignalHandler())
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	want := []string{"a", fmt.Sprintf("paste of %d true, told \"\"", len(text)), "b",
		"paste of 6 true, told \"\"", "up", "q"}
	if got := strings.Join(m.log, "; "); got != strings.Join(want, "; ") {
		t.Errorf("got  %s\nwant %s", got, strings.Join(want, "; "))
	}
	after, err := term.GetState(tty.Fd())
	if err != nil || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("terminal settings: got %v, %v, want %v", after, err, before)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// The bytes of a paste through a pty are those that were sent.
func TestPasteBytesThroughAPty(t *testing.T) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pty:", err)
	}
	defer ptmx.Close()
	defer tty.Close()
	if _, err := term.MakeRaw(tty.Fd()); err != nil {
		t.Fatal(err)
	}
	var text []byte
	for i := range 1 << 16 {
		text = append(text, byte(i), byte(i>>8))
	}
	text = bytes.ReplaceAll(text, endMark, nil)
	go func() {
		_, _ = ptmx.Write(append(append(append([]byte(nil), startMark...), text...), endMark...))
	}()
	r := NewReader(tty, time.Now)
	buf := make([]byte, 4096)
	for {
		if _, err := r.Read(buf); err != nil {
			t.Fatal(err)
		}
		if p, ok := r.TakePaste(); ok {
			if !bytes.Equal(p.Text, text) {
				t.Errorf("got %d bytes, want %d", len(p.Text), len(text))
			}
			return
		}
	}
}
