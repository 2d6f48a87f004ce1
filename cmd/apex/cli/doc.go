// Package cli is the command line: one file for each command.
//
// Standard output carries the answer and nothing else; everything said to the person goes to
// standard error, and a failure ends with what to do next. Every command that reads takes --json,
// whose field names are snake_case and only ever added to; ids are strings such as w1.3, since as
// numbers they pass 2^53. Names are printed with control characters made visible.
//
// The exit status says how it went:
//
//	0  ok
//	1  failed: anything that has no status of its own, bad input on standard input too
//	2  usage: a command line that can't be understood; nothing was done
//	3  not found: the session, window, shard or file
//	4  conflict: the text or the file has moved on, a label is taken, a name fits several windows
//	5  no daemon answers
//	6  refused, because of unsaved work
//	7  what was waited for has not come in the time that was given
//
// term run exits with the status of the command that it ran; a status of apex's own has a line on
// standard error.
//
// Commands answer or fail within 5 s even if the daemon hangs (dialTimeout, client.AnswerTimeout),
// except those that wait on purpose: the UI, attach --stdio, follow, edit-wait and server. A command
// that has to wait for a disk or a program (put, open, end, stop, kill, upgrade, term new, run, send
// and wait) takes as long as that takes, while the daemon answers something else meanwhile.
//
// Commands start a daemon if there is none, except stop, upgrade and status, which are about the one
// that runs.
package cli
