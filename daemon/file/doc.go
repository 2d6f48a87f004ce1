// Package file opens and saves users' files: exact bytes, whole or not at all.
//
// It holds plain functions: no goroutine, no state between calls, nothing global. The caller
// serialises saves of one path; saves of different paths may run side by side.
//
// # Opening
//
// [Open] never blocks and never changes anything: a FIFO, a device and a socket are refused, a
// directory becomes a listing, a missing file in an existing directory is a new one.
//
// # Saving
//
// [Save] replaces the final target of a chain of symbolic links. Whatever fails, and whenever the
// process or the machine dies, the path holds the complete old or the complete new text, and there
// is no moment at which it holds no file. There are three ways:
//
//	Renamed  a temporary file beside the target gets the text, the owner, the extended
//	         attributes (access control lists are among them on Linux) and the mode, is synced,
//	         and is renamed over the target; then the directory is synced
//	Created  the same for a file that does not exist: mode 0666 less the umask, and the rename
//	         refuses to replace a file that appeared meanwhile
//	InPlace  where a rename would cut hard links, lose the owner or an attribute, or is not
//	         allowed (a directory that may not be written, a mount point, a sticky directory)
//
// Writing in place is made safe by what lies in the state directory before the first byte changes:
//
//	ID.old      the text that the file holds, synced
//	ID.new      the text that it is to hold, synced
//	ID.intent   the record that names the file and both hashes, synced, and the directory too
//
// Then room is reserved, the file is written, cut and synced, and the record is removed before the
// copies. If writing fails the old text is put back from the copy. If that fails too the record
// stays, the error is [CodeUnfinished], and the next Save of that file or [Repair] ends it.
//
// Every save leaves a record while it runs, so Repair also finds temporary files left by kill -9.
// For a rename that record is a convenience: when the state directory is full or read-only the
// save goes on without it.
//
// # Limits
//
// On Darwin access control lists are no extended attributes and are not kept by a rename. On Linux
// attributes of the trusted namespace are invisible to an unprivileged process. Creation time and
// inode flags (chattr) are those of the new inode after a rename.
package file
