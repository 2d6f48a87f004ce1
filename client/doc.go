// Package client is the way to a daemon: for the terminal UI, for the command line, for tools.
//
// Dial finds the user's daemon, starts it if it is to, and returns a Conn for requests: one
// question, one answer, within AnswerTimeout even of a daemon that is wedged. Attach returns a
// Session: a replica of one session that is kept up to date, that leads what it holds leases of
// without waiting for anybody, and that outlives its connections.
//
//	conn, err := client.Dial(ctx, client.Daemon{})
//	if err != nil { ... }
//	defer conn.Close()
//	windows, err := conn.Windows(ctx, "")
//
// # Who owns what
//
// A Conn has one goroutine, which writes what could not be written at once. Who waits for the daemon
// reads: one goroutine at a time, for all the others too. A Session has one more goroutine, which
// dials again when a connection is lost. None of them touches the replica. What was read waits in the
// session's inbox until its owner, the goroutine that calls Process and Commit, takes it in; Wait
// returns when there is something.
//
//	for session.Wait(ctx) == nil {
//		for _, e := range session.Process() { ... }
//	}
//
// Every method of a Session belongs to its owner, except those that say that any goroutine may
// call them: Wait, Call and the requests, Propose, Look, Close. These wait for the daemon, and
// Propose waits for the owner too, so the owner itself must not call it.
//
// # Queues, and what happens when they are full
//
//	inbox     inboxMaxBytes    the socket is not read, so that the daemon's queue fills and it resyncs us
//	writer    writerMaxBytes   the connection is dropped: what matters is sent again after the next
//	proposals maxProposing     Propose fails with code busy
//
// # Errors
//
// Errors that a program may want to tell apart carry a core.Code (core.CodeOf, or errors.As with a
// *core.Error). A *NoDaemonError says that no daemon is running and none was to be started; a
// daemon that doesn't answer is unavailable.
package client
