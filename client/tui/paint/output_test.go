//go:build unix

package paint

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// What is more than the terminal takes at once arrives whole and in order, and the end of the
// terminal is an error.
func TestOutput(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pty:", err)
	}
	defer slave.Close()
	if _, err := term.MakeRaw(slave.Fd()); err != nil {
		t.Fatal(err)
	}
	w := Output(slave)
	want := []byte(strings.Repeat("a frame that is long, ", 20_000))
	wrote := make(chan error, 1)
	go func() {
		for _, b := range [][]byte{want[:10], want[10:]} {
			if n, err := w.Write(b); n != len(b) || err != nil {
				wrote <- err
				return
			}
		}
		wrote <- nil
	}()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(master, got); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes arrived, %v; they are not those that were sent", len(got), err)
	}
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	master.Close()
	if n, err := w.Write(want); err == nil {
		t.Errorf("a terminal that is gone took %d bytes", n)
	}
}
