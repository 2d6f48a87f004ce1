package bench

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"apex/client"
	"apex/proto"
	"apex/term/vt/corpus"
)

// ready is what a program prints when it can be typed to.
const ready = "READY-FOR-KEYS"

// host runs a program in a terminal of the rig's daemon, which gets the focus, and returns its
// process id. Nobody leads the layout yet: a leader of this goroutine could not answer for it.
func (r *rig) host(argv ...string) (pid int, err error) {
	conn, err := client.Dial(r.ctx, r.at())
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	made, err := conn.NewTerm(r.ctx, &proto.TermNew{Argv: argv, Cols: screenWidth, Rows: screenHeight,
		Focus: true})
	if err != nil {
		return 0, err
	}
	r.hosts = true
	info, err := conn.TermInfo(r.ctx, "", made.Term.String())
	if err == nil && info.Entry.PID <= 0 {
		err = fmt.Errorf("%s: got pid %d", argv[0], info.Entry.PID)
	}
	if err != nil {
		return 0, err
	}
	return info.Entry.PID, nil
}

// attachUI shows the rig's session on a screen.
func (r *rig) attachUI() (*screen, error) {
	return r.show(r.exe, "attach", "--state", r.state(), "--socket", r.socket())
}

// hostShown shows a shell command in a terminal of a UI.
func (r *rig) hostShown(command string) (*screen, error) {
	if err := r.startDaemon(); err != nil {
		return nil, err
	}
	if _, err := r.host("sh", "-c", command); err != nil {
		return nil, err
	}
	s, err := r.attachUI()
	if err != nil {
		return nil, err
	}
	return s, s.waitFor(ready)
}

// tmuxShown shows the command in tmux.
func (r *rig) tmuxShown(command string) (*tmux, *screen, error) {
	t, err := r.startTmux(screenWidth, screenHeight, command)
	if err != nil {
		return nil, nil, err
	}
	s, err := t.attach()
	if err == nil {
		err = s.waitFor(ready)
	}
	if err != nil {
		t.close()
		return nil, nil, err
	}
	return t, s, nil
}

// bothShown shows the command in tmux and in a terminal of a UI; end ends both.
func (r *rig) bothShown(command string) (theirs, ours *screen, end func(), err error) {
	peer, theirs, err := r.tmuxShown(command)
	if err != nil {
		return nil, nil, nil, err
	}
	closeTheirs := func() {
		theirs.close()
		peer.close()
	}
	if ours, err = r.hostShown(command); err != nil {
		closeTheirs()
		return nil, nil, nil, err
	}
	return theirs, ours, func() {
		ours.close()
		closeTheirs()
	}, nil
}

func termKey(r *rig) (measured, error) {
	const program = "echo " + ready + "; exec cat"
	theirs, ours, end, err := r.bothShown(program)
	if err != nil {
		return measured{}, err
	}
	defer end()
	theirs.quiet(time.Second)
	ours.quiet(time.Second)
	return against(400, theirs.key(capitals), ours.key(capitals))
}

// capitals are letters that nothing but the keys paints on a screen at rest, and greek those that
// nothing else paints at all.
const (
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	greek    = "αβγδεζηθικλμνξοπρστυφχψω"
)

// key returns a function that types the next of some letters and waits until it is painted.
func (s *screen) key(letters string) func() error {
	all := []rune(letters)
	i := 0
	return func() error {
		key := string(all[i%len(all)])
		i++
		s.forget()
		if _, err := s.tty.WriteString(key); err != nil {
			return err
		}
		return s.waitFor(key)
	}
}

// floodBytes is what is printed in a flood, and floodTurns how often each side prints it; the best
// counts.
const (
	floodBytes = 50 << 20
	floodTurns = 3
)

// floodMark is the last line of a flood, from 1. No text of it is in the rest, so that no part of it
// is on the screen before.
func floodMark(turn int) string { return fmt.Sprintf("@@@@-LAST-LINE-OF-ALL-%d-@@@@", turn) }

// floodProgram is a shell command that prints a flood for each line that is typed.
func (r *rig) floodProgram() (string, error) {
	path := filepath.Join(r.dir, "flood")
	text := bytes.ReplaceAll(corpus.Plain(floodBytes), []byte("\r\n"), []byte("\n"))
	return fmt.Sprintf("echo %s; while read turn; do cat %s; echo @@@@-LAST-LINE-OF-ALL-$turn-@@@@; done",
		ready, path), os.WriteFile(path, text, 0o600)
}

func termFlood(r *rig) (measured, error) {
	program, err := r.floodProgram()
	if err != nil {
		return measured{}, err
	}
	theirs, ours, end, err := r.bothShown(program)
	if err != nil {
		return measured{}, err
	}
	defer end()
	m := measured{math.Inf(1), math.Inf(1), "ms"}
	for turn := 1; turn <= floodTurns; turn++ {
		floor, err := theirs.flood(turn)
		if err != nil {
			return measured{}, err
		}
		value, err := ours.flood(turn)
		if err != nil {
			return measured{}, err
		}
		m.floor, m.value = min(m.floor, floor), min(m.value, value)
	}
	return m, nil
}

// flood has the program that is ready print its flood, and returns how long it takes until the last
// line is painted, in milliseconds. The screen is at rest before and after.
func (s *screen) flood(turn int) (float64, error) {
	const rest = 300 * time.Millisecond
	s.quiet(rest)
	s.forget()
	start := time.Now()
	if _, err := fmt.Fprintf(s.tty, "%d\r", turn); err != nil {
		return 0, err
	}
	err := s.waitTail(floodMark(turn))
	took := time.Since(start).Seconds() * 1000
	s.quiet(rest)
	return took, err
}

// waitTail reads until the output ends with a text and a little more, and keeps no more than that.
func (s *screen) waitTail(text string) error {
	const keep = 4 << 10 // bytes: the text and what positions it
	limit := time.After(lineMax)
	for {
		select {
		case b, ok := <-s.data:
			if !ok {
				return fmt.Errorf("the program ended: %q", tail(plain(s.seen)))
			}
			s.seen = append(s.seen, b...)
			if bytes.Contains(plain(s.seen), []byte(text)) {
				return nil
			}
			s.seen = append(s.seen[:0], s.seen[max(0, len(s.seen)-keep):]...)
		case <-limit:
			return fmt.Errorf("%q did not show: %q", text, tail(plain(s.seen)))
		}
	}
}

// floodOther has a text and a terminal on one screen and types into the text.
func floodOther(r *rig) (measured, error) {
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	path, err := r.file("a.txt", 4096)
	if err != nil {
		return measured{}, err
	}
	pid, err := r.host("seq", "1000000000000") // more than any machine prints meanwhile
	if err != nil {
		return measured{}, err
	}
	if _, err := r.open(path); err != nil {
		return measured{}, err
	}
	ui, err := r.attachUI()
	if err != nil {
		return measured{}, err
	}
	defer ui.close()
	if err := ui.waitFor("quick brown"); err != nil {
		return measured{}, err
	}
	return ui.duringStops(pid, ui.key(greek))
}

// duringStops measures f while a process runs against while it is stopped, in turns.
func (s *screen) duringStops(pid int, f func() error) (measured, error) {
	const turns, stretch, settle = 10, 50, 100 * time.Millisecond
	var quiet, flooded []time.Duration
	for range turns {
		for _, side := range []struct {
			signal syscall.Signal
			settle time.Duration
			to     *[]time.Duration
		}{{syscall.SIGSTOP, settle, &quiet}, {syscall.SIGCONT, 0, &flooded}} {
			if err := syscall.Kill(pid, side.signal); err != nil {
				return measured{}, err
			}
			s.quiet(side.settle)
			times, err := sample(stretch, f)
			if err != nil {
				return measured{}, err
			}
			*side.to = append(*side.to, times...)
		}
	}
	return measured{median(flooded), median(quiet), "us"}, nil
}
