package daemon

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"apex/core"

	"golang.org/x/sys/unix"
)

// A UI that runs in a terminal of the session that it shows would show itself showing itself. So
// would one of another session that is shown there, and so on: the way from an interface to the
// terminal that it is in, to the session that has that terminal, to the interfaces that show that
// session, must not come back.

// tty is a terminal device, by its number; 0 is none.
type tty int

// ttyOf returns the controlling terminal of a process (proc(5), stat's tty_nr); 0 if it has none,
// and where that can't be known.
func ttyOf(pid int) tty {
	if pid <= 0 {
		return 0
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:]) // the name may hold anything
	const number = 4                                          // of the fields behind the name
	if len(fields) <= number {
		return 0
	}
	n, _ := strconv.Atoi(string(fields[number]))
	return tty(n)
}

// drawsOn returns the terminal that a process has as its standard output, or else its controlling
// terminal: one that left its session (setsid) draws on a terminal that it doesn't have.
func drawsOn(pid int) tty {
	var st unix.Stat_t
	err := unix.Stat(fmt.Sprintf("/proc/%d/fd/1", pid), &st)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFCHR || pid <= 0 {
		return ttyOf(pid)
	}
	major, minor := unix.Major(uint64(st.Rdev)), unix.Minor(uint64(st.Rdev))
	return tty(minor&0xff | major<<8 | minor&^0xff<<12) // as tty_nr has it
}

// inside refuses an interface that would show the terminal that it runs in, and names the window.
func (d *Daemon) inside(s *session, at tty) error {
	if at == 0 {
		return nil
	}
	seen := map[*session]bool{}
	first := ""
	for next := []tty{at}; len(next) > 0; {
		h := d.terminalOn(next[0])
		next = next[1:]
		if h == nil {
			continue
		}
		if first == "" {
			first = h.window.String()
		}
		if h.s == s {
			return core.Errorf(core.CodeDenied, "this terminal is window %s, which shows the session "+
				"itself: apex open FILE opens a file there, apex edit-wait FILE waits until it is closed", first)
		}
		if !seen[h.s] {
			seen[h.s] = true
			next = append(next, h.s.shownOn()...)
		}
	}
	return nil
}

// terminalOn returns the terminal that has a device.
func (d *Daemon) terminalOn(at tty) *hosted {
	for _, s := range d.reg.sessions() {
		for _, h := range s.programs.all() {
			if pid, running := h.t.Running(); running && ttyOf(pid) == at {
				return h
			}
		}
	}
	return nil
}

// shownOn returns the devices that the session's interfaces are on.
func (s *session) shownOn() []tty {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []tty
	for _, c := range s.conns {
		if c.tty != 0 {
			out = append(out, c.tty)
		}
	}
	return out
}
