package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"apex/client"
	"apex/core"
	"apex/core/cell"
	"apex/proto"
	"apex/term/vt/corpus"
)

// watched is a terminal as a follower has it.
type watched struct {
	r    *rig
	conn *client.Conn // that types
	s    *client.Session
	id   core.TermID
	pid  int // of its program
}

// host runs a program in a terminal as large as the screens of peers. Nobody leads the layout
// meanwhile: a leader of this goroutine could not answer for it.
func (r *rig) host(argv ...string) (*watched, error) {
	conn, err := client.Dial(r.ctx, r.at())
	if err != nil {
		return nil, err
	}
	r.hosts = true
	made, err := conn.NewTerm(r.ctx, &proto.TermNew{Argv: argv, Cols: screenWidth, Rows: screenHeight})
	if err != nil {
		return nil, err
	}
	info, err := conn.TermInfo(r.ctx, "", made.Term.String())
	if err != nil {
		return nil, err
	}
	if info.Entry.PID <= 0 {
		return nil, fmt.Errorf("%s: got pid %d", argv[0], info.Entry.PID)
	}
	return &watched{r: r, conn: conn, id: made.Term, pid: info.Entry.PID}, nil
}

// watch has a session follow the terminal.
func (w *watched) watch(s *client.Session) error {
	w.s = s
	return w.r.until(s, func() bool { return s.Term(w.id) != nil })
}

// row is the text of the row that the cursor is in.
func (w *watched) row() string {
	t := w.s.Term(w.id)
	if y := t.Cursor.Y; y < len(t.Grid) && t.Grid[y] != nil {
		return cell.RowText(t.Grid[y].Runs)
	}
	return ""
}

// shows reports whether a text is in a row.
func (w *watched) shows(text string) bool {
	for _, row := range w.s.Term(w.id).Grid {
		if strings.Contains(cell.RowText(row.Runs), text) {
			return true
		}
	}
	return false
}

// typed types and returns when the terminal's program can read it.
func (w *watched) typed(text string) error {
	return w.conn.Input(w.r.ctx, &proto.TermInput{Term: w.id.String(), Kind: proto.InputBytes,
		Text: []byte(text)})
}

func termKey(r *rig) (measured, error) {
	peer, err := r.startTmux(screenWidth, screenHeight, "cat")
	if err != nil {
		return measured{}, err
	}
	defer peer.close()
	theirs, err := peer.attach()
	if err != nil {
		return measured{}, err
	}
	defer theirs.close()
	theirs.quiet(time.Second)
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	ours, err := r.host("cat")
	if err != nil {
		return measured{}, err
	}
	s, err := r.attach(core.AttachUI)
	if err != nil {
		return measured{}, err
	}
	defer s.Close()
	if err := ours.watch(s); err != nil {
		return measured{}, err
	}
	return against(400, theirs.key(), func() error {
		before := ours.row()
		if err := ours.typed("x"); err != nil {
			return err
		}
		return r.until(s, func() bool { return ours.row() != before })
	})
}

// key returns a function that types one rune and waits until it is painted.
func (s *screen) key() func() error {
	i := 0
	return func() error {
		key := string(rune('A' + i%26))
		i++
		s.forget()
		if _, err := s.tty.WriteString(key); err != nil {
			return err
		}
		return s.waitFor(key)
	}
}

// floodBytes is what is printed in a flood, and floodMark its last line: no text of it is in the
// rest, so that no part of it is on the screen before.
const (
	floodBytes = 50 << 20
	floodReady = "READY-TO-PRINT"
	floodMark  = "@@@@-LAST-LINE-OF-ALL-@@@@"
)

// floodProgram is a shell command that prints a flood when Return is typed.
func (r *rig) floodProgram() (string, error) {
	path := filepath.Join(r.dir, "flood")
	text := bytes.ReplaceAll(corpus.Plain(floodBytes), []byte("\r\n"), []byte("\n"))
	return fmt.Sprintf("echo %s; read go; cat %s; echo %s; exec cat", floodReady, path, floodMark),
		os.WriteFile(path, text, 0o600)
}

func termFlood(r *rig) (measured, error) {
	program, err := r.floodProgram()
	if err != nil {
		return measured{}, err
	}
	floor, err := r.tmuxFlood(program)
	if err != nil {
		return measured{}, err
	}
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	w, err := r.host("sh", "-c", program)
	if err != nil {
		return measured{}, err
	}
	s, err := r.attach(core.AttachUI)
	if err != nil {
		return measured{}, err
	}
	defer s.Close()
	if err := w.watch(s); err != nil {
		return measured{}, err
	}
	if err := r.until(s, func() bool { return w.shows(floodReady) }); err != nil {
		return measured{}, err
	}
	start := time.Now()
	if err := w.typed("\r"); err != nil {
		return measured{}, err
	}
	err = r.until(s, func() bool { return w.shows(floodMark) })
	return measured{ms(time.Since(start)), floor, "ms"}, err
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// tmuxFlood returns how long tmux takes for a flood, in milliseconds.
func (r *rig) tmuxFlood(program string) (float64, error) {
	t, err := r.startTmux(screenWidth, screenHeight, program)
	if err != nil {
		return 0, err
	}
	defer t.close()
	s, err := t.attach()
	if err != nil {
		return 0, err
	}
	defer s.close()
	return s.flood()
}

// flood has the program that is ready print its flood, and returns how long it takes until the last
// line is painted, in milliseconds.
func (s *screen) flood() (float64, error) {
	if err := s.waitFor(floodReady); err != nil {
		return 0, err
	}
	s.quiet(200 * time.Millisecond)
	s.forget()
	start := time.Now()
	if _, err := s.tty.WriteString("\r"); err != nil {
		return 0, err
	}
	err := s.waitTail(floodMark)
	return ms(time.Since(start)), err
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

func floodOther(r *rig) (measured, error) {
	if err := r.startDaemon(); err != nil {
		return measured{}, err
	}
	path, err := r.file("a.txt", 4096)
	if err != nil {
		return measured{}, err
	}
	flood, err := r.host("yes", "the quick brown fox jumps over the lazy dog")
	if err != nil {
		return measured{}, err
	}
	places, err := r.open(path)
	if err != nil {
		return measured{}, err
	}
	b := places[0].Buffer
	s, err := r.lead(b)
	if err != nil {
		return measured{}, err
	}
	defer s.Close()
	w, err := r.attach(core.AttachObserver)
	if err != nil {
		return measured{}, err
	}
	defer w.Close()
	if err := r.until(w, func() bool { return w.Knows(b.Shard()) }); err != nil {
		return measured{}, err
	}
	if err := flood.watch(w); err != nil {
		return measured{}, err
	}
	return duringStops(flood.pid, func() error {
		s.Process()
		if err := key(s, b); err != nil {
			return err
		}
		want := s.Buffer(b).Version
		return r.until(w, func() bool { return w.Buffer(b).Version == want })
	})
}

// duringStops measures f while a process runs against while it is stopped, in turns.
func duringStops(pid int, f func() error) (measured, error) {
	const turns, stretch, settle = 10, 100, 200 * time.Millisecond
	var quiet, flooded []time.Duration
	for range turns {
		for _, side := range []struct {
			signal syscall.Signal
			to     *[]time.Duration
		}{{syscall.SIGSTOP, &quiet}, {syscall.SIGCONT, &flooded}} {
			if err := syscall.Kill(pid, side.signal); err != nil {
				return measured{}, err
			}
			time.Sleep(settle)
			times, err := sample(stretch, f)
			if err != nil {
				return measured{}, err
			}
			*side.to = append(*side.to, times...)
		}
	}
	return measured{median(flooded), median(quiet), "us"}, nil
}
