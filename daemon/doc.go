// Package daemon is everything with an effect: it owns the sessions of one user, keeps them on
// disk, serves clients on a Unix socket, and reads and writes files on their behalf. What a
// message means is decided in package core; this package brings it there and does what comes back.
//
// # A message's way
//
//	 client                                                     client
//	   │                                                          ▲
//	   ▼ frames                                                   │ frames
//	conn: reader ──► session's turn ──► outbox of each follower ──┤ flush: what the socket takes
//	   one a conn     │  (a mutex)                                │        at once
//	                  │                                           └ writer: the rest, one a conn
//	                  ▼ records
//	               journal: committer, one a session ──► stored: what had to wait for the disk
//	                                                       │ acks, answers, entries for tools
//	                                                       ▼ effects
//	                                                    lanes: one goroutine for each buffer that
//	                                                       is being saved or read
//
// # The turn
//
// Whoever has something for a session takes its turn: connections' readers, the committer, the
// timer, effects. In a turn core.Authority takes one step and says what is to be stored, sent now,
// and done once it is stored. A turn never waits: not for a disk, a socket, a program, another
// session. Sockets are written after it, by whoever had it; a socket that is full is left to the
// connection's writer. Values that a turn reads (texts, states) are immutable, so what is done with
// them - hashing, encoding snapshots, saving - happens outside.
//
// # Goroutines and who waits for them
//
//	Run            accept loops and the watch of the socket's file (listener), keepMemory,
//	               watchHome: of the state directory and of the journals in it, which may go away
//	               (home.go), and of what is kept of ended sessions (ended.go)
//	connection     reader (conn.serve) and writer (outbox.run); at most maxInflight calls, each
//	               answers one request that may wait. The reader waits for all of them.
//	session        the journal's committer; tasks (rotations, what makes a failed journal good, and
//	               the hashes of quiet shards, check.go); lanes. session.close waits for all of them.
//	transfer       one for each session that is exported or imported (transfer.go), cut off by the end
//	               of its connection or of the daemon, which waits for it
//	command        one that reads what it writes (job.watch), one that shows it (printer), and one for
//	               its errors where they go elsewhere. programs.leave has them leave the command to
//	               the next daemon, programs.end ends it.
//	holder         one for each that does not answer (reach.go). programs' gate waits for it, or the
//	               daemon's own if its session has ended.
//
// The drain (drain.go) waits for everything, and for nothing without a limit.
//
// # Queues, their bounds, and what happens when they are full
//
//	outbox, entries     entryMaxBytes    dropped; the client is told (Resync) and takes snapshots
//	                                     when it has taken the rest
//	outbox, control     controlMaxBytes  the client is closed, and resumes
//	outbox, proposals   bulkMaxBytes     the same
//	outbox, replies     replyMaxBytes    its requests are not read
//	outbox, roster      one              the newest replaces it
//	requests of a conn  maxInflight      busy
//	connections         maxConns         busy
//	journal             backlogMaxBytes  who brings more waits before its turn; while the disk
//	                                     refuses, the authority says read_only past its own bound
//	waiting             waitingMax       the same
//	printer             waitingMaxBytes  the program waits
//	commands            maxJobs          busy
//	lanes               -                hold commands that were stored: bounded by the two above
//
// A snapshot waits in an outbox as a value and is encoded as the socket takes it, a chunk at a
// time.
//
// # Durability
//
// What a step returns as AfterStore waits in session.waiting until its record and all before it are
// on disk: acknowledgements, answers, grants, effects, everything for tools. A journal that fails
// turns the session not durable: it goes on in memory, tells nobody that anything is stored, and
// tries to write a new generation that holds everything (generation.go), after which all that
// waited is told. A save goes on meanwhile (unrecorded.go).
//
// # Damage
//
// A session that can't be read, of which nothing is left, or that is a copy of another one is
// listed with the reason and keeps its directory. A shard that
// damage cut is read-only up to there (frozen), across restarts; if it is the metalog, the whole
// session is. fsck (fsck.go) verifies everything that is on disk.
package daemon
