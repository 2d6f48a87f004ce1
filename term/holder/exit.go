package holder

import (
	"fmt"
	"syscall"
	"time"
)

// Exit is how a program ended. Exactly one of its three forms applies: a code, a signal, or lost.
type Exit struct {
	Code   int            // 0 to 255, if it exited by itself
	Signal syscall.Signal // that killed it; 0 if it exited
	Core   bool           // a core was dumped
	At     time.Time      // when the holder saw it
	Lost   bool           // the holder died: how the program ended is not known
}

func (e Exit) String() string {
	switch {
	case e.Lost:
		return "holder died"
	case e.Signal != 0 && e.Core:
		return fmt.Sprintf("killed by %v, core dumped", e.Signal)
	case e.Signal != 0:
		return fmt.Sprintf("killed by %v", e.Signal)
	}
	return fmt.Sprintf("exited with %d", e.Code)
}

// exitOf is an Exit from a wait status.
func exitOf(status syscall.WaitStatus, at time.Time) Exit {
	if status.Signaled() {
		return Exit{Signal: status.Signal(), Core: status.CoreDump(), At: at}
	}
	return Exit{Code: status.ExitStatus(), At: at}
}
