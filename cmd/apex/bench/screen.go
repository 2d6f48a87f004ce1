package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/creack/pty"
)

// screen is a program in a terminal of 200 by 60.
type screen struct {
	cmd  *exec.Cmd
	tty  *os.File
	data chan []byte // what it prints; closed at its end
	seen []byte      // since the last forget
}

const screenWidth, screenHeight = 200, 60

// show runs a program in a terminal.
func (r *rig) show(name string, args ...string) (*screen, error) {
	c := exec.Command(name, args...)
	c.Dir = r.dir
	c.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "TMUX=", "HOME="+r.dir)
	tty, err := pty.StartWithSize(c, &pty.Winsize{Rows: screenHeight, Cols: screenWidth})
	if err != nil {
		return nil, err
	}
	r.kids = append(r.kids, c)
	s := &screen{cmd: c, tty: tty, data: make(chan []byte, 1024)}
	go func() {
		defer close(s.data)
		for {
			buf := make([]byte, 64<<10)
			n, err := tty.Read(buf)
			if n > 0 {
				s.data <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	return s, nil
}

func (s *screen) close() {
	s.tty.Close()
	s.cmd.Process.Kill()
	for range s.data {
	}
}

func (s *screen) forget() { s.seen = nil }

// screenTimeout is how long a screen may take for what is waited for.
const screenTimeout = 20 * time.Second

// waitFor reads until the output holds a text.
func (s *screen) waitFor(text string) error {
	limit := time.After(screenTimeout)
	for !bytes.Contains(plain(s.seen), []byte(text)) {
		select {
		case b, ok := <-s.data:
			if !ok {
				return fmt.Errorf("the program ended: %q", tail(plain(s.seen)))
			}
			s.seen = append(s.seen, b...)
		case <-limit:
			return fmt.Errorf("%q did not show: %q", text, tail(plain(s.seen)))
		}
	}
	return nil
}

func tail(b []byte) []byte { return b[max(0, len(b)-400):] }

// quiet reads until nothing has come for a while.
func (s *screen) quiet(d time.Duration) {
	for {
		select {
		case _, ok := <-s.data:
			if !ok {
				return
			}
		case <-time.After(d):
			return
		}
	}
}

// plain drops escape sequences: CSI, OSC and the short ones (ECMA-48).
func plain(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != 0x1b || i+1 >= len(b) {
			out = append(out, b[i])
			continue
		}
		i++
		switch b[i] {
		case '[':
			for i++; i < len(b) && (b[i] < 0x40 || b[i] > 0x7e); i++ {
			}
		case ']', 'P', '_', '^':
			for i++; i < len(b) && b[i] != 0x07 && b[i] != 0x1b; i++ {
			}
		case '(', ')':
			i++
		}
	}
	return out
}

func attachPaint(r *rig) (measured, error) {
	if err := needs("tmux"); err != nil {
		return measured{}, err
	}
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	if _, err := r.hundred(); err != nil {
		return measured{}, err
	}
	mark, err := r.markFile()
	if err != nil {
		return measured{}, err
	}
	if _, err := r.open(mark); err != nil {
		return measured{}, err
	}
	tmux := []string{"-S", filepath.Join(r.dir, "tmux"), "-f", "/dev/null"}
	with := func(more ...string) []string { return append(slices.Clone(tmux), more...) }
	start := exec.Command("tmux", with("new-session", "-d", "-x", "200", "-y", "60", "cat "+mark+"; exec cat")...)
	start.Env = append(os.Environ(), "TMUX=", "TERM=xterm-256color")
	if out, err := start.CombinedOutput(); err != nil {
		return measured{}, fmt.Errorf("tmux: %v: %s", err, out)
	}
	defer exec.Command("tmux", with("kill-server")...).Run()
	paint := func(name string, args ...string) (float64, error) {
		us, err := p50(9, func() error {
			s, err := r.show(name, args...)
			if err != nil {
				return err
			}
			defer s.close()
			return s.waitFor(paintMark)
		})
		return us / 1000, err
	}
	floor, err := paint("tmux", with("attach")...)
	if err != nil {
		return measured{}, err
	}
	v, err := paint(r.exe, "attach", "--state", r.state(), "--socket", r.socket())
	return measured{v, floor, "ms"}, err
}

// paintMark is what a painted screen shows.
const paintMark = "THE-MARK-OF-A-PAINTED-SCREEN"

func (r *rig) markFile() (string, error) {
	path := filepath.Join(r.dir, "mark.txt")
	return path, os.WriteFile(path, []byte(paintMark+"\n"), 0o600)
}

func keyPaint(r *rig) (measured, error) {
	if err := needs("nvim"); err != nil {
		return measured{}, err
	}
	path, err := r.file("ten.txt", 10<<20)
	if err != nil {
		return measured{}, err
	}
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	nv, err := r.show("nvim", "-u", "NONE", "-n", path)
	if err != nil {
		return measured{}, err
	}
	defer nv.close()
	nv.quiet(500 * time.Millisecond)
	if _, err := io.WriteString(nv.tty, "i"); err != nil {
		return measured{}, err
	}
	floor, err := nv.keys()
	if err != nil {
		return measured{}, err
	}
	ui, err := r.show(r.exe, "--state", r.state(), "--socket", r.socket(), path)
	if err != nil {
		return measured{}, err
	}
	defer ui.close()
	if err := ui.waitFor("quick brown"); err != nil {
		return measured{}, err
	}
	v, err := ui.keys()
	return measured{v, floor, "us"}, err
}

// keys types runes one by one and returns the median time until each is painted, in microseconds.
func (s *screen) keys() (float64, error) {
	s.quiet(time.Second)
	i := 0
	return p50(200, func() error {
		key := string(rune('A' + i%26))
		i++
		s.forget()
		if _, err := io.WriteString(s.tty, key); err != nil {
			return err
		}
		return s.waitFor(key)
	})
}

func idle(r *rig) (measured, error) {
	path, err := r.file("a.txt", 1<<20)
	if err != nil {
		return measured{}, err
	}
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	ui, err := r.show(r.exe, "--state", r.state(), "--socket", r.socket(), path)
	if err != nil {
		return measured{}, err
	}
	defer ui.close()
	if err := ui.waitFor("quick brown"); err != nil {
		return measured{}, err
	}
	ui.quiet(2 * time.Second)
	total := func() (float64, error) {
		a, err1 := cpu(r.daemon.Process.Pid)
		b, err2 := cpu(ui.cmd.Process.Pid)
		return a + b, errors.Join(err1, err2)
	}
	before, err := total()
	if err != nil {
		return measured{}, err
	}
	const span = 10 * time.Second
	ui.quiet(span) // keeps reading, in case it paints
	after, err := total()
	return measured{(after - before) / float64(span.Nanoseconds()) * 100, 0, "%"}, err
}
