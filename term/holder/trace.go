package holder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// trace is what a holder has on disk beside its socket while it lives: who its program is, and who
// it is itself. Whoever finds that the holder was killed, with the daemon that had it, finds the
// program by it. It is for the death of processes: nothing is synced.
type trace struct {
	boot          string // the run of the system in which the rest means something
	child, holder process
	forks         uint64 // of the whole system until then
}

// traceSuffix makes a holder's name that of its trace.
const traceSuffix = ".program"

func tracePath(dir, name string) string { return filepath.Join(dir, name+traceSuffix) }

const traceFormat = "program %d started %d holder %d started %d boot %s forks %d\n"

// writeTrace writes the trace down, if it is not where it was written. The program runs also where
// the disk takes none.
func (s *server) writeTrace() {
	path := tracePath(s.dir, s.name)
	if f, err := fileAt(path); err == nil && f == s.trace {
		return
	}
	own, _ := lookUp(unix.Getpid())
	text := fmt.Sprintf(traceFormat, s.child, s.childStart, own.pid, own.start, bootID(), s.forks)
	temporary := filepath.Join(s.dir, "."+s.name+traceSuffix+".new")
	err := os.WriteFile(temporary, []byte(text), 0o600)
	var f file
	if err == nil {
		f, err = fileAt(temporary)
	}
	if err == nil {
		err = unix.Rename(temporary, path)
	}
	if err != nil {
		unix.Unlink(temporary)
		return
	}
	s.trace = f
}

// removeTrace removes what writeTrace wrote.
func (s *server) removeTrace() {
	path := tracePath(s.dir, s.name)
	if f, err := fileAt(path); err == nil && f == s.trace {
		unix.Unlink(path)
	}
}

// readTrace reads a holder's trace; false if there is none that can be read, or if it is of another
// run of the system, whose processes are all gone.
func readTrace(dir, name string) (t trace, ok bool) {
	b, err := os.ReadFile(tracePath(dir, name))
	if err != nil {
		return trace{}, false
	}
	n, _ := fmt.Sscanf(string(b), traceFormat, &t.child.pid, &t.child.start, &t.holder.pid,
		&t.holder.start, &t.boot, &t.forks)
	const fields = 6
	return t, n == fields && t.child.pid > 1 && t.boot == bootID()
}

// lives reports whether the holder that left a trace does, or may: nothing may be known of a process
// where no descriptor is left.
func (t *trace) lives() bool {
	p, ok := lookUp(t.holder.pid)
	if !ok {
		return unix.Kill(t.holder.pid, 0) != unix.ESRCH
	}
	return p.is(t.holder) && !p.zombie
}

// stray is what runs of the program. Of one that has ended the rest has the number of its session,
// as long as that can't be another's by now.
func (t *trace) stray(known []process) ([]process, error) {
	gone := unix.Kill(t.child.pid, 0) == unix.ESRCH
	if gone && len(known) == 0 && idsReused(t.forks) {
		return nil, nil
	}
	return stray(t.child, known)
}

// EndLost ends what runs of a program whose holder is Gone, as Kill does, as far as it can be found:
// the processes of its session, and those below them. It finds nothing if the holder has left by
// itself, and never ends a process that has the number of one of the program's, and isn't. The result
// is what could not be ended. If ctx ends, it may be called again.
func EndLost(ctx context.Context, dir, name string) ([]Process, error) {
	if !validName(name) {
		return nil, nil
	}
	if t, ok := readTrace(dir, name); ok {
		if t.lives() {
			return nil, &Error{Name: name, Code: Exists, Text: "it lives"}
		}
		left, err := killStray(ctx, t.child.pid, t.stray)
		if err != nil || len(left) > 0 {
			return left, err
		}
	}
	err := unix.Unlink(tracePath(dir, name))
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		err = nil
	}
	return nil, err
}
