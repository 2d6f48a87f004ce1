// Package watch says of which files something may have happened on disk. It decides nothing: whoever
// is told looks at the file, and its content's hash has the last word.
//
// Watched are directories, not files: a file that is saved by renaming, or made again, is another one
// under its name. A directory that can't be watched - the system's watches have run out, it lies on a
// file system that tells nothing of what others do, it is gone - is polled instead, and tried again.
//
//	events ──► run ──► Changed(Burst)     when nothing has come for quiet, or most has passed
//	names  ──► keep                       resolves links, watches and polls: what may hang on a
//	                                      file server that does not answer
//
// Both goroutines end with Close. What waits is bounded by the files that are watched: events are
// folded into the set of files that they are of, and what else comes up is kept up to appearedMax
// names. If the system drops events, every file counts as one that something happened to.
package watch
