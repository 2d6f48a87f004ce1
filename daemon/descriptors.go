package daemon

import (
	"errors"
	"os"
	"syscall"

	"apex/core"

	"golang.org/x/sys/unix"
)

const (
	// spareDescriptors of those that the process may have, a quarter, are left when a program is
	// started: saving a file, a client that comes and the start itself must not fail for want of one.
	spareDescriptors = 4
	// spareMin and spareMax bound them: a save takes a few, and each client connDescriptors.
	spareMin, spareMax = 24, 256
)

// descriptors is how many descriptors this process may have.
func descriptors() uint64 {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return 0
	}
	return uint64(r.Cur)
}

// roomForProgram refuses to start a program, which takes descriptors for as long as it runs, where
// too few would be left for everything else.
func roomForProgram() error {
	limit := descriptors()
	open, err := openDescriptors()
	if spare := min(max(limit/spareDescriptors, spareMin), spareMax); err == nil && open+spare < limit {
		return nil
	}
	if err != nil && !errors.Is(err, unix.EMFILE) || limit == 0 {
		return nil // it is not known: the start will tell
	}
	return core.Errorf(core.CodeBusy, "the daemon has too few file descriptors left of %d to start "+
		"another program: end some, or start the daemon with a higher limit (ulimit -n)", limit)
}

// openDescriptors is how many descriptors this process has open.
func openDescriptors() (uint64, error) {
	dir, err := os.Open("/dev/fd")
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	return uint64(len(names)), err
}
