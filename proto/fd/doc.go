// Package fd reads, writes and waits for descriptors with as few threads woken as the system allows.
// A message to another process costs a few microseconds in the kernel; each thread that is woken
// beside costs as much again, and ten times as much on another core.
//
// What the runtime's poller has (a net.Conn, an os.File) is in it for as long as it lives, and for
// both directions: whatever comes wakes a thread that waits there, whoever reads it, and that the
// other end has taken something wakes it again. A File of this package is in the poller only while
// somebody waits, and for that one's direction alone. On Linux that takes an epoll(7) of its own;
// elsewhere it is what the standard library has.
package fd
