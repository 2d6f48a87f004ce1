//go:build unix

package paint

import (
	"bytes"
	"context"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
)

// screen collects what reaches the other end of a pty, up to END.
type screen struct {
	b    []byte
	done chan struct{}
}

func (s *screen) Write(b []byte) (int, error) {
	s.b = append(s.b, b...)
	if bytes.HasSuffix(s.b, []byte("END")) {
		close(s.done)
	}
	return len(b), nil
}

// painting paints when it learns the size, quits on q.
type painting struct {
	w     *Writer
	size  chan tea.WindowSizeMsg
	error error
}

func (p *painting) Init() tea.Cmd { return nil }

func (p *painting) View() tea.View {
	v := tea.NewView(" ")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	return v
}

func (p *painting) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.error = p.w.Paint(letters("painted"), Cursor{2, 0, true, 0})
		p.size <- msg
	case tea.KeyPressMsg:
		return p, tea.Quit
	}
	return p, nil
}

// Through a real pty and a real Bubble Tea: the size is found through the Writer, and what was
// painted before Bubble Tea cleared its screen is there again afterwards.
func TestWriterUnderBubbleTea(t *testing.T) {
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pty:", err)
	}
	defer ptmx.Close()
	defer tty.Close()
	if err := pty.Setsize(ptmx, &pty.Winsize{Cols: 50, Rows: 7}); err != nil {
		t.Fatal(err)
	}
	got := &screen{done: make(chan struct{})}
	go func() { _, _ = ptmx.WriteTo(got) }()
	m := &painting{w: NewWriter(tty, TrueColour, Caps{}), size: make(chan tea.WindowSizeMsg, 8)}
	must(t, m.w.Enter())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var size tea.WindowSizeMsg
	go func() {
		size = <-m.size
		_, _ = ptmx.Write([]byte("q"))
	}()
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(tty), tea.WithOutput(m.w),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}), tea.WithoutSignalHandler())
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	must(t, m.error)
	if size != (tea.WindowSizeMsg{Width: 50, Height: 7}) {
		t.Errorf("size: got %+v, want 50x7", size)
	}
	if _, err := tty.WriteString("END"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-got.done:
	case <-ctx.Done():
		t.Fatal("the end of the output never came")
	}
	b := got.b
	on, off := bytes.LastIndex(b, []byte("\x1b[?1049h")), bytes.LastIndex(b, []byte("\x1b[?1049l"))
	painted := bytes.LastIndex(b, []byte("painted"))
	if on < 0 || painted < on || off < painted {
		t.Errorf("on at %d, painted at %d, off at %d in %q", on, painted, off, b)
	}
	if wrap := bytes.LastIndex(b, []byte("\x1b[?7h")); wrap < off {
		t.Errorf("wrapping isn't back on after the alternate screen: %q", b[off:])
	}
}
