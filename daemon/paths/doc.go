// Package paths says where a user's daemon keeps its state and where it listens, the same to the
// daemon and to its clients.
//
// There is one daemon for a state directory. It holds an exclusive flock on the directory's lock
// file for its whole life, and writes into that file who it is and where it listens. That record
// is what counts: a client whose environment would put the socket elsewhere (ssh, cron, sudo)
// follows it, so that two environments never make two daemons. Neither the presence of a socket
// nor the absence of an answer says anything about who owns the directory; the lock alone does.
//
// A disk that is full or read-only keeps no daemon from starting: the lock is held on a file that
// can't be written, or else on one beside the socket, which whoever takes the lock looks at too.
//
// The socket's path is short and fixed: it names no session. Its directory and the state
// directory belong to the user, with mode 0700, or they are refused.
package paths
