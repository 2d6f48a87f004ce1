package holder

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Command is the word by which a program is a holder: with it as the first argument, its main must
// call Dispatch.
const Command = "holder"

// parentFD is the descriptor of the connection to the daemon that started a holder.
const parentFD = 3

// Dispatch makes this process a holder and never returns if it was started as one; else it does
// nothing. Main calls it before anything else, and so does TestMain where tests start holders.
func Dispatch() {
	if len(os.Args) == 3 && os.Args[1] == Command {
		// Not os.Exit: nothing is to be done, and the race detector would wait a second.
		syscall.Exit(run(os.Args[2]))
	}
}

// MarkDaemon makes this process one that no holder takes for a part of its program, with all that
// is below it. A daemon calls it when it starts: one that somebody starts inside a terminal, where
// the former daemon was killed, is below that terminal's holder for good, and so are its holders.
// On other systems than Linux it does nothing, and "server" as the first argument is the mark.
func MarkDaemon() error { return nameProcess(daemonName) }

// run is the life of a holder; it returns the process's exit status.
func run(name string) int {
	nameProcess(holderName)
	s := &server{name: name, listener: -1, master: -1, slave: -1, memory: -1}
	if !dropInherited() || s.prepare() != nil {
		os.Stderr.WriteString("apex: a holder is started by the daemon only\n")
		return 2
	}
	s.loop()
	s.leave()
	return 0
}

// dropInherited closes what the daemon was itself given by whoever started it and did not know of:
// a holder that lives for days would keep the end of somebody's pipe open. What this process opened
// is closed on exec, what it inherited is not. It reports whether there is a connection.
func dropInherited() bool {
	names, err := os.ReadDir(descriptorDir)
	if err != nil {
		return false
	}
	for _, n := range names {
		fd, err := strconv.Atoi(n.Name())
		if err != nil || fd <= parentFD {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
	unix.CloseOnExec(parentFD)
	return unix.SetNonblock(parentFD, true) == nil
}

// prepare sets up what a holder has before it has a program.
func (s *server) prepare() error {
	var wake [2]int
	if err := unix.Pipe(wake[:]); err != nil {
		return err
	}
	for _, fd := range wake {
		unix.CloseOnExec(fd)
		if err := unix.SetNonblock(fd, true); err != nil {
			return err
		}
	}
	s.woken = wake[0]
	watchSignals(wake[1])
	daemon, err := samePeer(parentFD)
	if err != nil {
		return err
	}
	s.conns = []*conn{{fd: parentFD, peer: daemon, starter: true}}
	return subreaper()
}

// watchSignals takes all signals: none ends a holder but KILL, and what the daemon's starter had
// ignored is handled here, so that the program gets the default for each of them. A child's end
// wakes the loop.
func watchSignals(wake int) {
	// Of the others one is enough to be taken; more are dropped.
	signal.Notify(make(chan os.Signal, 1))
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	go func() {
		for range ended {
			unix.Write(wake, []byte{0}) // full: it will wake anyway
		}
	}()
}

// keepExited is how long a holder whose program has ended waits for a daemon that wants to know:
// longer than a holiday, and not for ever. It counts while the machine is awake.
const keepExited = 30 * 24 * time.Hour
