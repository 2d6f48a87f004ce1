package client

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"apex/daemon/paths"
)

// maxStarts is how many daemons one client starts in vain: the second covers one that lost a race
// and whose winner was killed.
const maxStarts = 2

// starter starts a daemon for a client that found none. Of many such clients one starts it and the
// others wait; of many daemons that start all the same one gets the lock, the others leave, and
// all clients end up with the one.
type starter struct {
	daemon Daemon
	paths  paths.Paths
	right  *paths.Lock  // to start; nil while another client has it
	exited <-chan error // of the daemon that was started; nil if none runs
	starts int          // daemons that were started
	why    error        // why the last one left
}

func (s *starter) close() {
	if s.right != nil {
		s.right.Release()
	}
}

// start starts a daemon unless one is starting; its error says whether to look again.
func (s *starter) start() error {
	waiting := &retryError{unavailable("the daemon for %s is starting and doesn't answer yet",
		s.paths.State)}
	if s.exited != nil {
		select {
		case s.why = <-s.exited:
			s.exited = nil
		default:
			return waiting
		}
	}
	if s.starts >= maxStarts {
		return &NoDaemonError{State: s.paths.State, Err: s.why}
	}
	if s.right == nil {
		right, err := paths.AcquireStart(s.paths.State)
		if err != nil {
			return &NoDaemonError{State: s.paths.State, Err: err}
		}
		// Who had the right may have made a daemon since it was found that there is none: look
		// again before making another.
		s.right = right
		return waiting
	}
	exited, err := s.daemon.spawn(s.paths)
	if err != nil {
		return &NoDaemonError{State: s.paths.State, Err: err}
	}
	s.exited, s.starts = exited, s.starts+1
	return waiting
}

// spawn starts a daemon that belongs to nobody: in a session and process group of its own, with no
// file of its parent's open and no directory held. The channel gets how it ended.
func (d Daemon) spawn(p paths.Paths) (<-chan error, error) {
	command := d.Command
	if command == nil {
		exe, err := Executable(p.State)
		if err != nil {
			return nil, err
		}
		command = []string{exe, "server"}
	}
	args := append(command[1:len(command):len(command)], "--state", p.State)
	if p.Given {
		args = append(args, "--socket", p.Socket)
	}
	cmd := exec.Command(command[0], args...)
	cmd.Dir = "/"
	cmd.Env = environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	said, err := sayings()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		said.Close()
		return nil, err
	}
	// The goroutine lives as long as the daemon or this process, whichever ends first: a child
	// that nobody waits for stays a zombie.
	exited := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		if err == nil {
			err = fmt.Errorf("it ended at once")
		}
		if why := lastSaid(said); why != "" {
			err = fmt.Errorf("%s (%w)", why, err)
		} else {
			err = fmt.Errorf("%w: `%s` says why", err, strings.Join(cmd.Args, " "))
		}
		said.Close()
		exited <- err
	}()
	return exited, nil
}

// sayings is a file without a name that takes a daemon's standard error. A pipe would break when
// this process ends, and the daemon lives on.
func sayings() (*os.File, error) {
	f, err := os.CreateTemp("", "apex-start-")
	if err != nil {
		return os.OpenFile(os.DevNull, os.O_RDWR, 0)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// saidMaxBytes bounds what is looked at of what a daemon said: an error and its advice, or the
// beginning of a trace.
const saidMaxBytes = 8 << 10

// lastSaid is the last line of what a daemon said before it left; what it advises is for those
// that run it by hand.
func lastSaid(f *os.File) string {
	b, _ := io.ReadAll(io.NewSectionReader(f, 0, saidMaxBytes))
	lines := strings.Split(string(b), "\n")
	for _, l := range slices.Backward(lines) {
		l = strings.TrimPrefix(strings.TrimSpace(l), "apex: ")
		if l != "" && !strings.HasPrefix(l, "next: ") {
			return l
		}
	}
	return ""
}

// environment is what a daemon inherits: everything but what would name another daemon's places,
// which its arguments do.
func environment() []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name != paths.EnvState && name != paths.EnvSocket {
			env = append(env, e)
		}
	}
	return env
}
