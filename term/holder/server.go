package holder

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// server is a holder's process. One goroutine, on the main thread, has all of it.
type server struct {
	dir, name string
	kind      Kind
	listener  int // -1 before the start, and after the end
	woken     int // readable when a child may have ended
	conns     []*conn
	daemon    *conn // the one that has the descriptors; nil: this process reads

	master  int // -1 before the start
	slave   int // open until the child's exit, so that the output doesn't end before it; then -1
	errors  int // the file for the program's errors, kept open for what is in it; 0: none
	memory  int
	ring    *ring
	ended   bool // of the output: no one can write any more
	started time.Time

	child      int    // 0 before the start
	childStart uint64 // with child it identifies the program
	exit       *Exit  // nil while the child runs
	orphans    []int  // other children of this process, as of the last time one ended
	killing    *killing
	released   bool

	keepUntil   time.Time // an exited program's holder leaves then, unless a daemon is there
	acceptAfter time.Time // accept failed for want of something

	socket      file      // the listener's
	socketNext  time.Time // to look whether it is there
	unreachable time.Time // since when it isn't and can't be made
	trace       file      // as writeTrace wrote it last
	forks       uint64    // of the system, before the program's
}

// connsMax bounds the connections beside the daemon's: each may be waited for until it speaks.
const connsMax = 8

// acceptPause is how long no connection is taken after one could not be for want of descriptors.
const acceptPause = time.Second

// loop serves until there is nothing more to hold.
func (s *server) loop() {
	for !s.done(time.Now()) {
		fds, conns := s.interests()
		if _, err := unix.Poll(fds, s.patience(time.Now())); err != nil {
			if !errors.Is(err, unix.EINTR) {
				time.Sleep(acceptPause) // no memory, perhaps: a holder never leaves its program
			}
			continue
		}
		if fds[0].Revents != 0 {
			s.reap()
		}
		for i, c := range conns {
			if ready := fds[i+fixedFDs].Revents; ready != 0 && !c.closed {
				s.serve(c, ready)
			}
		}
		if fds[1].Revents != 0 && s.daemon == nil {
			s.drain()
		}
		if fds[2].Revents != 0 {
			s.accept()
		}
		s.late(time.Now())
	}
}

// fixedFDs come before those of the connections in what is polled: woken, master, listener.
const fixedFDs = 3

// interests is what to wait for. A negative descriptor is not waited for.
func (s *server) interests() ([]unix.PollFd, []*conn) {
	fds := make([]unix.PollFd, fixedFDs, fixedFDs+len(s.conns))
	fds[0] = unix.PollFd{Fd: int32(s.woken), Events: unix.POLLIN}
	fds[1] = unix.PollFd{Fd: -1}
	if s.daemon == nil && !s.ended {
		fds[1] = unix.PollFd{Fd: int32(s.master), Events: unix.POLLIN}
	}
	fds[2] = unix.PollFd{Fd: -1}
	if len(s.conns) < connsMax && s.acceptAfter.IsZero() {
		fds[2] = unix.PollFd{Fd: int32(s.listener), Events: unix.POLLIN}
	}
	conns := append([]*conn(nil), s.conns...)
	for _, c := range conns {
		events := int16(unix.POLLIN)
		if len(c.out) > 0 {
			events |= unix.POLLOUT
		}
		fds = append(fds, unix.PollFd{Fd: int32(c.fd), Events: events})
	}
	return fds, conns
}

// patience is how many milliseconds to wait until something is due; -1: nothing is.
func (s *server) patience(now time.Time) int {
	var next time.Time
	due := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, c := range s.conns {
		due(c.deadline)
	}
	due(s.acceptAfter)
	due(s.socketNext)
	if s.killing != nil {
		due(s.killing.next)
	}
	if s.daemon == nil {
		due(s.keepUntil)
	}
	if next.IsZero() {
		return -1
	}
	const longest = time.Hour // poll counts in 32 bits
	wait := min(max(next.Sub(now), 0), longest)
	return int((wait + time.Millisecond - 1) / time.Millisecond)
}

// late does what is due.
func (s *server) late(now time.Time) {
	passed := func(t time.Time) bool { return !t.IsZero() && !now.Before(t) }
	for _, c := range append([]*conn(nil), s.conns...) {
		if passed(c.deadline) {
			s.drop(c)
		}
	}
	if passed(s.acceptAfter) {
		s.acceptAfter = time.Time{}
	}
	if s.killing != nil && passed(s.killing.next) {
		s.killOn(now)
	}
	if passed(s.socketNext) {
		s.watchSocket(now)
	}
}

// done reports whether there is nothing more to hold.
func (s *server) done(now time.Time) bool {
	if s.child == 0 {
		return len(s.conns) == 0 // nothing was started, and nobody can start anything
	}
	if s.killing != nil || !s.over() {
		return false
	}
	if s.released {
		return true
	}
	return s.daemon == nil && len(s.conns) == 0 && (!now.Before(s.keepUntil) || s.lost(now))
}

// leave takes the socket and the trace away and says good-bye.
func (s *server) leave() {
	if s.child != 0 {
		s.removeTrace()
	}
	if s.child != 0 && s.reachable() {
		unix.Unlink(socketPath(s.dir, s.name))
	}
	if s.daemon != nil {
		s.send(s.daemon, &message{Leaving: true})
	}
}

// drain reads what there is of the output, one window at a time.
func (s *server) drain() {
	n, err := unix.Read(s.master, s.ring.room())
	switch {
	case n > 0:
		s.ring.put(n)
	case err == nil, errors.Is(err, unix.EIO):
		s.ended = true
	}
}
