package holder

import (
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How long Kill waits after each signal before the next: time for a shell to write its history and
// for an editor to save, short enough for somebody who waits for `end`. What resists KILL is in the
// kernel and goes when the kernel lets it.
const (
	HangUpGrace = time.Second
	TermGrace   = time.Second
	KillGrace   = 3 * time.Second
	// killAgain is how often KILL is sent to what is there: a process may fork before it gets it.
	killAgain = 50 * time.Millisecond
	// lookAgain is how often it is looked whether processes are left where their ends are not told.
	lookAgain = 20 * time.Millisecond
)

// killing is the end of everything, under way.
type killing struct {
	signal syscall.Signal // the last one sent
	until  time.Time      // for it to have worked
	next   time.Time      // to look
	asked  []asked        // who waits for the end
}

// asked is a request to be answered later.
type asked struct {
	conn *conn
	id   uint64
}

func (k *killing) forget(c *conn) {
	k.asked = slices.DeleteFunc(k.asked, func(a asked) bool { return a.conn == c })
}

// kill begins to end everything, or waits with those that asked before. A nil conn wants no answer.
func (s *server) kill(now time.Time, c *conn, id uint64) {
	begins := s.killing == nil
	if begins {
		s.killing = &killing{}
	}
	if c != nil {
		s.killing.asked = append(s.killing.asked, asked{c, id})
	}
	if begins && !s.over() {
		s.killNext(now, syscall.SIGHUP, HangUpGrace)
	}
	s.killOn(now)
}

func (s *server) killNext(now time.Time, sig syscall.Signal, grace time.Duration) {
	k := s.killing
	k.signal, k.until = sig, now.Add(grace)
	s.signalAll(sig)
}

// killOn goes on with the end: looks whether it has come, and sends the next signal when it is due.
func (s *server) killOn(now time.Time) {
	k := s.killing
	if k == nil {
		return
	}
	if s.over() {
		s.killed(nil)
		return
	}
	if !now.Before(k.until) {
		switch k.signal {
		case syscall.SIGHUP:
			s.killNext(now, syscall.SIGTERM, TermGrace)
		case syscall.SIGTERM:
			s.killNext(now, syscall.SIGKILL, KillGrace)
		default:
			s.killed(s.list())
			return
		}
	} else if k.signal == syscall.SIGKILL {
		s.signalAll(syscall.SIGKILL)
	}
	k.next = k.until
	switch {
	case k.signal == syscall.SIGKILL:
		k.next = now.Add(killAgain)
	case !endsAreTold:
		k.next = now.Add(lookAgain)
	}
	if k.until.Before(k.next) {
		k.next = k.until
	}
}

// killed answers who asked for the end: nothing is left, or these are.
func (s *server) killed(left []processRecord) {
	asked := s.killing.asked
	s.killing = nil
	for _, a := range asked {
		s.send(a.conn, &message{ID: a.id, Processes: left})
	}
}

// members are the program's processes that live.
func (s *server) members() []process {
	all, err := processes()
	if err != nil {
		return nil
	}
	for i, p := range all {
		all[i].spared = s.spares(p)
	}
	m := members(all, unix.Getpid(), s.child)
	return slices.DeleteFunc(m, func(p process) bool { return p.zombie })
}

// spares reports whether a process is not the program's although it is below it.
func (s *server) spares(p process) bool {
	return p.spared || s.daemon != nil && s.daemon.peer == p.pid
}

// anyLeft reports whether anything but the child runs, or zombies, which can't be told from it at
// no cost. Where this process is a subreaper, the last one to end is its child.
func (s *server) anyLeft() bool {
	if endsAreTold {
		return len(s.orphans) > 0
	}
	return slices.ContainsFunc(s.members(), func(p process) bool { return p.pid != s.child })
}

// over reports whether nothing of the program runs any more.
func (s *server) over() bool { return s.exit != nil && !s.anyLeft() }

// signalAll sends a signal to everything, and has it taken: a stopped process takes none but KILL.
func (s *server) signalAll(sig syscall.Signal) {
	for _, p := range s.members() {
		p.signal(sig)
		p.signal(syscall.SIGCONT)
	}
}

// answerSignal sends a signal to whom it is for, if any of them lives: a group's number may be
// another's by now.
func (s *server) answerSignal(c *conn, r *request) {
	group := s.child
	if r.To == Foreground {
		var err error
		if group, err = unix.IoctlGetInt(s.master, unix.TIOCGPGRP); err != nil {
			s.refuse(c, r, BadSpec, "no terminal to have a foreground")
			return
		}
	}
	sent := 0
	for _, p := range s.members() {
		if (r.To == All || p.group == group) && p.signal(syscall.Signal(r.Signal)) == nil {
			sent++
		}
	}
	if sent == 0 {
		s.refuse(c, r, Gone, "no process to send the signal to")
		return
	}
	s.send(c, &message{ID: r.ID})
}

// reap takes the statuses of this process's children that have ended: the program's and orphans',
// each by its id.
func (s *server) reap() {
	var b [64]byte
	for {
		if n, err := unix.Read(s.woken, b[:]); n < len(b) || err != nil {
			break
		}
	}
	if s.child != 0 && s.exit == nil {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(s.child, &status, syscall.WNOHANG, nil)
		if err == nil && pid == s.child {
			s.exited(exitOf(status, time.Now()))
		}
	}
	s.orphans = s.orphans[:0]
	for _, pid := range children() {
		if pid == s.child && s.exit == nil {
			continue
		}
		var status syscall.WaitStatus
		if got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); err == nil && got == pid {
			continue
		}
		if p, ok := lookUp(pid); !ok || !s.spares(p) {
			s.orphans = append(s.orphans, pid)
		}
	}
	s.killOn(time.Now())
}

// exited notes how the program ended and tells the daemon.
func (s *server) exited(e Exit) {
	s.exit = &e
	s.keepUntil, s.socketNext = e.At.Add(keepExited), e.At
	unix.Close(s.slave)
	s.slave = -1
	if s.daemon != nil {
		s.send(s.daemon, &message{Exit: e.record()})
	}
}

// list is what runs of the program, the eldest first.
func (s *server) list() []processRecord {
	if s.over() {
		return nil
	}
	m := s.members()
	slices.SortFunc(m, func(a, b process) int {
		if a.start != b.start {
			return int(int64(a.start - b.start))
		}
		return a.pid - b.pid
	})
	under := map[int]bool{}
	if s.exit == nil {
		under[s.child] = true
		for _, p := range below(m, s.child) {
			under[p.pid] = true
		}
	}
	out := make([]processRecord, 0, len(m))
	for _, p := range m {
		out = append(out, processRecord{PID: p.pid, Parent: p.parent, Group: p.group,
			Session: p.session, Started: p.started().UnixNano(), Argv: p.argv(),
			Orphan: !under[p.pid]})
	}
	return out
}
