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
//
// Commands answer or fail within callTimeout even if the daemon hangs, except those that wait on
// purpose: the UI, attach --stdio, follow and server.
package cli
