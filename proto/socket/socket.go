package socket

import "net"

// Conn is a connection that can be written to without waiting.
type Conn interface {
	net.Conn
	// WriteNow writes what the connection takes at once, and returns how many bytes that is: less than
	// all of them is no error.
	WriteNow(b []byte) (int, error)
}

// New returns a connected socket as a Conn. u itself must not be used any more, unless there is an
// error: then it is as good as it was.
func New(u *net.UnixConn) (Conn, error) { return newConn(u) }
