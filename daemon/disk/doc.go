// Package disk is the small file interface under everything in the daemon that writes state: the
// journal, intent records and other small files.
//
// It exists so that tests can put a disk under that code which runs full, fails, tears writes and
// loses power (package disktest). It promises no more than what a POSIX file system does:
//
//   - what was written is durable only after File.Sync;
//   - that a name exists, or was renamed or removed, is durable only after FS.SyncDir of its
//     directory;
//   - a failed Sync may have dropped what it should have written, and a second one may then report
//     success. Nobody retries a Sync; whoever sees one fail writes the data again elsewhere.
//
// Directories are made with mode 0700, files with 0600: state is for its owner alone.
//
// The user's own files are not written through this package: they have owners, links and modes to
// keep.
package disk
