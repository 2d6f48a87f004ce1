// Package tui is the terminal user interface: a program of Bubble Tea that shows a session and
// turns keys and the mouse into changes of it.
//
// # Who owns what
//
// One goroutine at a time has the Model and with it the Session, which is not safe for concurrent
// use: Bubble Tea's loop, or who reads the terminal or the daemon, since a key that is handed from
// one goroutine to the next costs more than all that is done with it (program.go). Update decides
// what an input means, commits the change to the session, draws what it changed into a grid of
// cells, and hands the grid to the screen's differ. Update does no other I/O and never waits: what
// asks the network runs in a tea.Cmd on the parts of a Session that any goroutine may use, and
// comes back as a message. One goroutine watches Session.Wait and brings one message for however
// much has arrived.
//
// # Layout
//
// The session says what the person arranged: columns with weights, windows with shares. Each client
// computes cells for its own screen (screen.go), so that two of different sizes never fight. What
// is only this client's is in Model: the size, the theme, overlays, and while it watches another
// leader its own scrolling and selections.
//
// # Drawing
//
// A text is laid out from the first row in view by flow, whose work depends on the size of the
// screen and not on the text. A pane that shows what it showed before is not drawn again.
//
// # Input
//
// Every command is in one table (commands.go), from which keys, palette and help are made. Typing
// into a buffer whose lease is on its way is kept, in order, until it is there (held.go); so is
// typing after a take-over, until that is granted (take.go).
//
// # Windows on terminals
//
// A window on a hosted terminal has a termPane in the place of its body's pane. It draws the newest
// grid of the terminal's shard, or while it is scrolled lines of its history, which are asked for
// in pages (termlines.go). Keys go to the program but for those of a table (termkey.go); they are
// sent from Update in order, which does not wait (termsend.go). What commands mean there is in
// termcmd.go.
//
// # The terminal
//
// Bubble Tea runs the loop and the commands, and does not know that there is a terminal: its renderer
// and its reader cost wake-ups while nothing happens and detours through other threads for each
// key. Package input reads, package paint writes, and host takes the terminal and gives it back:
// before the first frame and at the end, around a stop by the shell's job control, whoever asked
// for that, before a panic is told, after a signal, and by a guard, a process of its own, when this
// one is killed (guard.go).
package tui
