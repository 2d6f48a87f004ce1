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
// A Conn has two goroutines, which own its socket: one reads and decodes, one writes what could
// not be written at once. A Session has one more, which dials again when a connection is lost.
// None of them touches the replica. What they read waits in the session's inbox until its owner,
// the goroutine that calls Process and Commit, takes it in; Wake says that there is something.
//
//	for range session.Wake() {
//		for _, e := range session.Process() { ... }
//	}
//
// Every method of a Session belongs to its owner, except those that say that any goroutine may
// call them: Wake, Call and the requests, Propose, Look, Close. These wait for the daemon, and
// Propose waits for the owner too, so the owner itself must not call it.
//
// # Queues, and what happens when they are full
//
//	inbox     inboxMaxBytes    the reader waits, so that the daemon's queue fills and it resyncs us
//	writer    writerMaxBytes   the connection is dropped: what matters is sent again after the next
//	proposals maxProposing     Propose fails with code busy
//
// # Errors
//
// Errors that a program may want to tell apart carry a core.Code (core.CodeOf, or errors.As with a
// *core.Error). A *NoDaemonError says that no daemon is running and none was to be started; a
// daemon that doesn't answer is unavailable.
package client
