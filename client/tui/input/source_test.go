//go:build unix

package input

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// onTerminals runs a test with each kind of Terminal, on a pty of which it gets the other end.
func onTerminals(t *testing.T, test func(t *testing.T, tty Terminal, master *os.File)) {
	for _, c := range []struct {
		name string
		open func(*os.File) (Terminal, error)
	}{
		{"opened again", Open},
		{"blocking", func(f *os.File) (Terminal, error) { return newBlocking(int(f.Fd())) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			master, slave, err := pty.Open()
			if err != nil {
				t.Skip("no pty:", err)
			}
			defer master.Close()
			defer slave.Close()
			if _, err := term.MakeRaw(slave.Fd()); err != nil {
				t.Fatal(err)
			}
			before := flags(t, slave)
			tty, err := c.open(slave)
			if err != nil {
				t.Fatal(err)
			}
			test(t, tty, master)
			if after := flags(t, slave); after != before {
				t.Errorf("the descriptor that was given has flags %#x, had %#x", after, before)
			}
		})
	}
}

func flags(t *testing.T, f *os.File) int {
	t.Helper()
	n, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The bytes of a paste through a pty are those that were sent, and an Esc by itself is a key though
// nothing follows it.
func TestTerminal(t *testing.T) {
	var text []byte
	for i := range 1 << 16 {
		text = append(text, byte(i), byte(i>>8))
	}
	text = bytes.ReplaceAll(text, endMark, nil)
	onTerminals(t, func(t *testing.T, tty Terminal, master *os.File) {
		wrote := make(chan error, 1)
		go func() {
			_, err := master.Write(slices.Concat([]byte("a"), startMark, text, endMark, []byte("b\x1b")))
			wrote <- err
		}()
		var got []string
		err := NewReader(tty, time.Now).Run(func(msg tea.Msg) {
			if p, ok := msg.(Paste); ok {
				got = append(got, "paste")
				if !bytes.Equal(p.Text, text) {
					t.Errorf("got %d bytes, want %d", len(p.Text), len(text))
				}
				return
			}
			if got = append(got, word(msg)); word(msg) == "esc" {
				tty.Close()
			}
		})
		if err := <-wrote; err != nil {
			t.Fatal(err)
		}
		if want := "a paste b esc"; strings.Join(got, " ") != want || err == nil {
			t.Errorf("got %q, ended with %v, want %q", got, err, want)
		}
	})
}

// Close ends a read that waits.
func TestTerminalClose(t *testing.T) {
	onTerminals(t, func(t *testing.T, tty Terminal, master *os.File) {
		ended := make(chan error)
		go func() { ended <- NewReader(tty, time.Now).Run(func(tea.Msg) {}) }()
		if err := tty.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, os.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

// A terminal that hangs up ends the input.
func TestTerminalHangsUp(t *testing.T) {
	onTerminals(t, func(t *testing.T, tty Terminal, master *os.File) {
		defer tty.Close()
		master.Close()
		err := NewReader(tty, time.Now).Run(func(tea.Msg) {})
		if !errors.Is(err, io.EOF) && !errors.Is(err, unix.EIO) {
			t.Errorf("got %v", err)
		}
	})
}
