// Package disktest is a disk in memory for tests of code that writes state: it runs full, fails,
// tears writes, and loses power, at the operation that the test names.
//
// A Disk is the hardware. Mount gives a disk.FS for one life of a process; Kill and PowerCut end
// all lives so far, and the next Mount sees what survived:
//
//   - Kill (kill -9): everything written, as the system's cache survives.
//   - PowerCut: what was synced, and any part of the rest. Each sector that was written since the
//     last Sync of its file is there or not, each name that was made, moved or removed since the
//     last SyncDir too, in no order. What happens is drawn from the seed.
//
// A Sync that fails behaves as Linux does: what it should have written stays readable but is marked
// clean, so that a later Sync that succeeds doesn't write it either.
package disktest
