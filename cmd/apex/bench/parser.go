package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"apex/term/vt"
	"apex/term/vt/corpus"

	"github.com/creack/pty"
)

// parserBytes is the size of a corpus: a second or so of the slower side.
const parserBytes = 16 << 20

// parserTurns is how often each side reads it; the best counts, since what else a machine does can
// only make it slower.
const parserTurns = 3

// parser measures how much output of a kind one second of processor time takes in: our parser and
// screen in this process against a detached tmux. Both read it from a pty that cat writes to, and
// keep as many lines.
func parser(output func(n int) []byte) func(*rig) (measured, error) {
	return func(r *rig) (measured, error) {
		if err := needs("tmux"); err != nil {
			return measured{}, err
		}
		path := filepath.Join(r.dir, "corpus")
		b := output(parserBytes)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return measured{}, err
		}
		mb := float64(len(b)) / (1 << 20)
		m := measured{unit: "MB/s"}
		for range parserTurns {
			ns, err := r.tmuxReads(path)
			if err != nil {
				return m, err
			}
			m.floor = max(m.floor, mb/ns*1e9)
			if ns, err = r.weRead(path); err != nil {
				return m, err
			}
			m.value = max(m.value, mb/ns*1e9)
		}
		return m, nil
	}
}

// weRead returns the processor time that our screen takes to read a file that is printed.
func (r *rig) weRead(path string) (float64, error) {
	screen := vt.New(corpus.Cols, corpus.Rows, vt.Options{})
	c := exec.CommandContext(r.ctx, "cat", path)
	tty, err := pty.StartWithSize(c, &pty.Winsize{Rows: corpus.Rows, Cols: corpus.Cols})
	if err != nil {
		return 0, err
	}
	defer c.Wait()
	defer tty.Close()
	fd := int(tty.Fd()) // blocking: no poller between the pty and the screen
	before, err := cpu(os.Getpid())
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 64<<10)
	got := 0
	for {
		n, err := syscall.Read(fd, buf)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if n <= 0 || err != nil { // EIO: nobody has the other end any more
			break
		}
		screen.Write(buf[:n])
		got += n
	}
	if got < parserBytes {
		return 0, fmt.Errorf("cat %s: %d bytes, want %d", path, got, parserBytes)
	}
	after, err := cpu(os.Getpid())
	return after - before, err
}

// tmuxReads returns the processor time that a tmux server takes to read a file that is printed.
func (r *rig) tmuxReads(path string) (float64, error) {
	done := path + ".done"
	os.Remove(done)
	t, err := r.startTmux(corpus.Cols, corpus.Rows,
		fmt.Sprintf("read go; cat %s; : >%s; exec cat", path, done))
	if err != nil {
		return 0, err
	}
	defer t.close()
	before, err := t.rest()
	if err != nil {
		return 0, err
	}
	if _, err := t.run("send-keys", "Enter"); err != nil {
		return 0, err
	}
	if err := r.appears(done); err != nil {
		return 0, err
	}
	after, err := t.rest()
	return after - before, err
}

// appears waits for a file.
func (r *rig) appears(path string) error {
	for {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		if r.ctx.Err() != nil {
			return fmt.Errorf("%s does not appear: %w", filepath.Base(path), r.ctx.Err())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// rest waits until the server has nothing to do, and returns its processor time so far in
// nanoseconds.
func (t *tmux) rest() (float64, error) {
	const still = 100 * time.Millisecond
	last := -1.0
	for {
		now, err := cpu(t.pid)
		if err != nil || now == last {
			return now, err
		}
		last = now
		if t.r.ctx.Err() != nil {
			return 0, fmt.Errorf("tmux does not come to rest: %w", t.r.ctx.Err())
		}
		time.Sleep(still)
	}
}
