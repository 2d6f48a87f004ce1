//go:build !linux

package disk

import "os"

// syncData is fsync, on macOS with F_FULLFSYNC: only that one reaches the platter there.
func syncData(f *os.File) error { return f.Sync() }
