package holder

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// helloMax is how long a connection may say nothing before it is the daemon's. It is shorter
	// than busyMax, so that connections that say nothing keep no daemon out.
	helloMax = time.Second
	// outMaxBytes bounds what waits for a daemon that doesn't read: longer than any list of
	// processes. Past it the connection is closed, and the daemon comes back.
	outMaxBytes = 4 << 20
)

// conn is a connection to the holder.
type conn struct {
	fd       int
	peer     int  // the process id of whoever connected
	starter  bool // it came with the process: it may start the program
	in, out  []byte
	passed   []int // descriptors that came and belong to no request yet
	deadline time.Time
	closed   bool
}

// accept takes a connection.
func (s *server) accept() {
	fd, _, err := unix.Accept(s.listener)
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR), errors.Is(err, unix.ECONNABORTED):
		return
	case err != nil:
		s.acceptAfter = time.Now().Add(acceptPause)
		return
	}
	unix.CloseOnExec(fd)
	peer, err := samePeer(fd)
	if err != nil || unix.SetNonblock(fd, true) != nil {
		unix.Close(fd)
		return
	}
	s.conns = append(s.conns, &conn{fd: fd, peer: peer, deadline: time.Now().Add(helloMax)})
}

// drop ends a connection. If it was the daemon's, this process is the reader again.
func (s *server) drop(c *conn) {
	for i, other := range s.conns {
		if other != c {
			continue
		}
		s.conns = append(s.conns[:i], s.conns[i+1:]...)
		unix.Close(c.fd)
		c.closed = true
		for _, fd := range c.passed {
			unix.Close(fd)
		}
		if s.killing != nil {
			s.killing.forget(c)
		}
		if s.daemon == c {
			s.daemon, s.socketNext = nil, time.Now()
			s.ring.recover()
		}
		return
	}
}

// serve reads and answers what a connection asks, and writes what waits for it.
func (s *server) serve(c *conn, ready int16) {
	if ready&unix.POLLOUT != 0 {
		s.flush(c)
	}
	if ready&(unix.POLLIN|unix.POLLHUP|unix.POLLERR) == 0 {
		return
	}
	if !c.receive() {
		s.drop(c)
		return
	}
	for !c.closed {
		var r request
		rest, ok, err := cutFrame(c.in, &r)
		if err != nil {
			s.drop(c)
			return
		}
		if !ok {
			return
		}
		c.in = rest
		s.answer(c, &r)
	}
}

// passedMax is how many descriptors come with a request: a program's input, and where its errors
// go.
const passedMax = 2

// receive reads what there is; it reports whether the connection lives.
func (c *conn) receive() bool {
	var b [16 << 10]byte
	oob := make([]byte, unix.CmsgSpace(4*passedMax))
	n, oobn, _, _, err := unix.Recvmsg(c.fd, b[:], oob, receiveFlags)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return true
	}
	if err != nil || n == 0 {
		return false
	}
	c.in = append(c.in, b[:n]...)
	fds, err := rightsOf(oob[:oobn])
	c.passed = append(c.passed, fds...)
	return err == nil && len(c.in) <= frameMaxBytes+frameHead && len(c.passed) <= passedMax
}

// hungUp reports whether the other end is closed, whatever it sent before.
func (c *conn) hungUp() bool {
	fds := []unix.PollFd{{Fd: int32(c.fd)}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 1 && fds[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
}

// rightsOf are the descriptors of a control message.
func rightsOf(oob []byte) ([]int, error) {
	if len(oob) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var all []int
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
		}
		all = append(all, fds...)
	}
	return all, nil
}

// answer does what a request asks.
func (s *server) answer(c *conn, r *request) {
	switch {
	case r.Op == opStart:
		s.answerStart(c, r)
	case r.Op == opAdopt:
		s.answerAdopt(c, r)
	case c != s.daemon:
		s.refuse(c, r, BadSpec, "not the daemon that has this holder")
	case r.Op == opKill:
		s.kill(time.Now(), c, r.ID)
	case r.Op == opSignal:
		s.answerSignal(c, r)
	case r.Op == opProcesses:
		s.send(c, &message{ID: r.ID, Processes: s.list()})
	case r.Op == opRelease:
		s.released = true
		s.send(c, &message{ID: r.ID, Processes: s.list()})
	case r.Op == opAbort:
		s.released = true
		s.kill(time.Now(), nil, 0)
	default:
		s.refuse(c, r, Unsupported, "an operation of another build")
	}
}

func (s *server) answerAdopt(c *conn, r *request) {
	for s.daemon != nil && s.daemon != c && s.daemon.hungUp() {
		s.serve(s.daemon, unix.POLLIN) // what it still asked, and then its end
	}
	switch {
	case s.child == 0:
		s.refuse(c, r, Gone, "nothing was started")
	case s.daemon != nil:
		s.refuse(c, r, Busy, "")
	default:
		s.give(c, r)
	}
}

// give makes a connection the daemon's: from now on it reads.
func (s *server) give(c *conn, r *request) {
	t := &taken{Protocol: protocol, Holder: unix.Getpid(), Child: s.child, Kind: s.kind,
		Started: s.started.UnixNano(), Released: s.released}
	if s.exit != nil {
		t.Exit = s.exit.record()
	}
	frame, err := appendFrame(nil, &message{ID: r.ID, Taken: t})
	if err != nil {
		s.drop(c)
		return
	}
	s.daemon, c.deadline = c, time.Time{}
	// The answer is the first thing that goes over the connection, so that there is room. A daemon
	// that is gone is dropped when its end is read, after what it still asked for (opAbort).
	n, err := unix.SendmsgN(c.fd, frame, unix.UnixRights(s.master, s.memory), nil, sendFlags)
	if err == nil {
		c.out = frame[n:]
	}
}

func (s *server) refuse(c *conn, r *request, code Code, text string) {
	s.send(c, &message{ID: r.ID, Code: code, Text: []byte(text)})
}

// send sends a message without waiting.
func (s *server) send(c *conn, m *message) {
	out, err := appendFrame(c.out, m)
	if err != nil || len(out) > outMaxBytes {
		s.drop(c)
		return
	}
	c.out = out
	s.flush(c)
}

func (s *server) flush(c *conn) {
	for len(c.out) > 0 {
		n, err := unix.SendmsgN(c.fd, c.out, nil, nil, sendFlags)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return
		case err != nil:
			// What it sent before it closed is still read; then the connection ends.
			c.out = nil
			return
		}
		c.out = c.out[n:]
	}
	c.out = nil
}
