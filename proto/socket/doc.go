// Package socket is how both ends of a connection read and write it with as few threads woken as the
// system allows. A round trip on one machine costs a few microseconds in the kernel; each thread
// that is woken beside costs as much again, and ten times as much on another core.
//
// A net.Conn is in the runtime's poller for as long as it lives, and for both directions: every
// message wakes a thread that waits there, whoever reads it, and that the peer has read one wakes it
// again. A Conn of this package is in the poller only while a reader or a writer waits, and for its
// direction alone.
package socket
