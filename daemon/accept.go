package daemon

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"apex/core"
	"apex/daemon/paths"
	"apex/proto"
	"apex/proto/socket"
)

// acceptBackoff is how long accepting rests when the process is out of descriptors.
const acceptBackoff = 100 * time.Millisecond

// acceptLoop hands connections to serve until the listener is closed. Out of descriptors, it tells
// those that come so.
func (l *listener) acceptLoop(u *net.UnixListener) {
	failing := false
	var spare reserve
	spare.keep()
	defer spare.release()
	for {
		nc, err := u.AcceptUnix()
		var errno syscall.Errno
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			if !failing { // one line for a time of it
				l.log.Error("connections can't be accepted", "err", err)
			}
			failing = true
			if errors.As(err, &errno) && outOfDescriptors(errno) && spare.keep() {
				for spare.answer(u, l.full) && spare.keep() {
				}
				spare.keep()
			}
			time.Sleep(acceptBackoff)
		default:
			failing = false
			l.serve(nc)
		}
	}
}

// serve runs one accepted connection, if it is this user's and there is room.
func (d *Daemon) serve(nc *net.UnixConn) {
	uid, err := peerUID(nc)
	switch {
	case err != nil || uid != os.Getuid():
		d.log.Warn("connection of another user refused", "uid", uid, "err", err)
		d.turnAway(nc, core.Errorf(core.CodeDenied, "the daemon serves the user with id %d", os.Getuid()))
	case d.stopping():
		d.turnAway(nc, errDraining)
	default:
		c := newConn(d, core.ConnID(d.nextID.Add(1)), paths.PeerPID(nc), socket.Of(nc))
		if !d.conns.serve(c) {
			d.turnAway(c.nc, core.Errorf(core.CodeBusy, "the daemon serves %d clients already", d.conns.limit))
		}
	}
}

// turnAway tells a client why it is not served. It does not wait for it.
func (d *Daemon) turnAway(nc net.Conn, why *core.Error) {
	nc.SetWriteDeadline(time.Now().Add(time.Second)) // a fresh socket takes it at once
	nc.Write(d.refusal(why))
	nc.Close()
}

// refusal is what is said to a client that is not served, which is counted.
func (d *Daemon) refusal(why *core.Error) []byte {
	d.refuse.Add(1)
	b, _ := proto.Append(nil, d.hello)
	b, _ = proto.Append(b, &core.Failure{Err: why})
	return b
}

// full is said to clients for whom there is no descriptor.
func (d *Daemon) full() []byte {
	return d.refusal(core.Errorf(core.CodeBusy, "the daemon has none left of the %d file descriptors that "+
		"it may have: end some programs or clients, or start it with a higher limit (ulimit -n)", descriptors()))
}
