// Package socket is how both ends of a connection read and write it: a net.Conn as package fd reads
// and writes.
package socket
