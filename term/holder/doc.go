// Package holder keeps a hosted program's terminal open across the death of the daemon.
//
// Each program is the child of a holder: a small process, the daemon's own binary started with the
// word Command, in a session of its own and with no descriptor of the daemon's. It opens the pty
// (or the pipe), starts the program, waits for it, and answers one daemon at a time on a Unix
// socket in a directory that the daemon names. The daemon's side is Start, Adopt, List and the
// type Holder; the process is Dispatch. The package knows nothing of screens, sessions or shards.
//
// # Bytes
//
// Output has no hop. The daemon gets the master by descriptor passing and reads it itself,
// straight into a memory file that it shares with the holder: a header and a ring of the newest
// RingBytes. Offsets count the bytes that the program ever wrote. When the daemon's connection
// ends, the holder reads on into the same ring. So a daemon that starts again finds the bytes
// after its last snapshot (Bytes), whoever read them, unless they are more than RingBytes ago
// (ErrGap says from where on there are some).
//
// A daemon may be killed between its read(2) into the ring and its store of the number of bytes
// written. So the window, the next windowBytes of the ring, is zero whenever nobody is in between:
//
//  1. read(2) puts n bytes at written, at most a window;
//  2. the n bytes behind the window are cleared: the window will begin n later;
//  3. written is raised by n.
//
// The holder that sees the daemon's connection end takes what is not zero at the beginning of the
// window as read. Killed before step 2 or 3, the daemon has lost nothing but NUL bytes at the end
// of that one read, which a terminal ignores; a program on a pipe whose last bytes before the kill
// were NUL loses those.
//
// # One reader
//
// At most one process reads. The holder reads if and only if no daemon is connected:
//
//  1. a daemon connects and asks; the holder refuses (Busy) unless the former one's connection has
//     ended, which the kernel does only when all its threads have left their system calls;
//  2. the holder, which has one thread of control, stops reading and answers with the descriptors;
//  3. the daemon reads from when it has the answer until its connection ends, or until Detach,
//     which waits for a read that is under way before it closes the connection.
//
// # Ends
//
// Exit is the child's exit, told as soon as it is known, even if an orphan holds the pty open. The
// holder keeps its own slave (or writing end) open until then, so the end of the output never comes
// before it. Read says ErrExited once when all that the program itself wrote is in, and io.EOF when
// nobody holds the terminal any more.
//
// On Linux the holder is a subreaper: whatever the program starts stays below it in the tree of
// processes, however often it forks and whatever session it makes, and Kill ends all of it: HUP,
// TERM and KILL, each after a stated time, by the holder, so that it goes on when the daemon dies.
// It reaps by process id only. Processes that a service manager starts on the program's behalf are
// not below it; a daemon that somebody starts inside a terminal is below its holder, but neither it
// nor its holders are the terminal's (MarkDaemon). On other systems there is no subreaper: Kill and
// Processes find the program's descendants and its session's processes, with theirs, but not an
// orphan that left both.
//
// Release tells the holder that the exit was recorded: it leaves when nothing of the program runs
// any more. One whose program has ended and whom no daemon asks leaves after keepExited. While the
// program runs it stays in any case.
//
// A holder looks every few seconds whether its socket is still where a daemon would look. If it was
// removed, or another file is in its place, it binds it again, in a directory that it makes again
// if that is all that is missing. If it can't, and the program has ended, it leaves: at once if the
// directory above is gone too, as when somebody has deleted the state, else after unreachableMax.
//
// Input that the terminal has not taken (Taken) is the daemon's, and ends with it.
//
// If the holder dies, Exited says so (Exit.Lost). The daemon then has the only master; closing it
// hangs the terminal up, and Kill ends what it finds of the program's session and descendants.
//
// If both are killed, the next daemon finds that the holder is Gone, and its trace: a file beside
// the socket, with the program's process id and start, which the holder writes when the program runs
// and removes when it leaves. EndLost ends what that tells of. It trusts no number alone: an id counts
// with its start, in the same run of the system, and a session whose leader is gone as long as the
// system can't have begun to give its ids again. The trace names the holder too: one that lives is not
// Gone for want of its socket.
package holder
