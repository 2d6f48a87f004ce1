package holder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// answerStart starts the program and gives the starter what a daemon reads it by. If that fails
// the process leaves.
func (s *server) answerStart(c *conn, r *request) {
	if !c.starter || s.child != 0 || r.Start == nil {
		s.refuse(c, r, BadSpec, "a holder starts one program, for whoever started it")
		return
	}
	err := s.start(c, r.Start)
	var e *Error
	switch {
	case err == nil:
		s.give(c, r)
		// What the start left: from now on a holder makes next to no garbage. It takes a
		// millisecond, which nobody waits for here.
		debug.FreeOSMemory()
	case errors.As(err, &e):
		s.refuse(c, r, e.Code, e.Text)
		s.drop(c)
	default:
		s.refuse(c, r, Internal, err.Error())
		s.drop(c)
	}
}

// start opens everything and starts the program last, so that nothing can fail after it.
func (s *server) start(c *conn, r *startRequest) (err error) {
	s.dir, s.kind = string(r.Dir), r.Kind
	if string(r.Name) != s.name {
		return fmt.Errorf("name %q, want %q", r.Name, s.name)
	}
	env := textAll(r.Env)
	path, err := s.lookPath(string(r.Argv[0]), string(r.Cwd), env)
	if err != nil {
		return err
	}
	if s.listener, s.socket, err = listen(s.dir, s.name); err != nil {
		return err
	}
	s.socketNext = time.Now().Add(socketEvery)
	defer func() {
		if err != nil {
			unix.Unlink(socketPath(s.dir, s.name))
		}
	}()
	s.memory, err = memoryFile("apex-"+s.name, headerBytes+RingBytes+windowBytes)
	if err != nil {
		return failed(s.name, Resources, "memory file", err)
	}
	if s.ring, err = mapRing(s.memory, true); err != nil {
		return failed(s.name, Resources, "memory file", err)
	}
	input := -1
	if s.kind == Pty {
		err = s.openPty(r)
	} else if input, err = s.openPipe(c, r); err == nil && r.Errors {
		s.errors, err = s.takePassed(c, "the file for errors")
	}
	if err != nil {
		return err
	}
	err = s.fork(path, textAll(r.Argv), env, string(r.Cwd), input)
	if input >= 0 {
		unix.Close(input)
	}
	return err
}

// fork starts the program in a session and group of its own; a terminal is its controlling one.
func (s *server) fork(path string, argv, env []string, cwd string, input int) error {
	files := []uintptr{uintptr(s.slave), uintptr(s.slave), uintptr(s.slave)}
	if s.kind == Pipe {
		files[0] = uintptr(input)
	}
	if s.errors > 0 {
		files[2] = uintptr(s.errors)
	}
	s.forks = forks()
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Dir: cwd, Env: env, Files: files,
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: s.kind == Pty},
	})
	if err != nil {
		code := codeOf(err, Internal)
		switch {
		case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOEXEC):
			code = Denied
		case errors.Is(err, unix.ENOENT):
			code = NotFound // its interpreter, since the file itself was there
		}
		return &Error{Name: s.name, Code: code, Text: fmt.Sprintf("%s: %v", path, err)}
	}
	s.child, s.started = pid, time.Now()
	if p, ok := lookUp(pid); ok {
		s.childStart = p.start
	}
	s.writeTrace()
	return nil
}

// openPty opens a terminal of a size. Both ends are not inherited; the master does not block.
func (s *server) openPty(r *startRequest) error {
	master, slave, err := pty.Open()
	if err != nil {
		return failed(s.name, NoPty, "pty", err)
	}
	defer master.Close()
	defer slave.Close()
	size := &pty.Winsize{Cols: uint16(r.Cols), Rows: uint16(r.Rows),
		X: uint16(r.Width), Y: uint16(r.Height)}
	if err := pty.Setsize(master, size); err != nil {
		return failed(s.name, NoPty, "size of the pty", err)
	}
	setUTF8(int(slave.Fd()))
	// Descriptors that the runtime doesn't wait on: this process polls by itself.
	if s.master, err = duplicate(master); err != nil {
		return failed(s.name, Descriptors, "pty", err)
	}
	if s.slave, err = duplicate(slave); err != nil {
		return failed(s.name, Descriptors, "pty", err)
	}
	return unix.SetNonblock(s.master, true)
}

func duplicate(f *os.File) (int, error) {
	return unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, parentFD)
}

// openPipe opens the pipe for output and the input file.
func (s *server) openPipe(c *conn, r *startRequest) (input int, err error) {
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil {
		return -1, failed(s.name, Resources, "pipe", err)
	}
	unix.CloseOnExec(p[0])
	unix.CloseOnExec(p[1])
	s.master, s.slave = p[0], p[1]
	if err := unix.SetNonblock(s.master, true); err != nil {
		return -1, failed(s.name, Resources, "pipe", err)
	}
	if !r.Input {
		input, err = unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return -1, failed(s.name, Resources, os.DevNull, err)
		}
		return input, nil
	}
	return s.takePassed(c, "the input file")
}

// takePassed takes the next descriptor that came with a request.
func (s *server) takePassed(c *conn, what string) (fd int, err error) {
	if len(c.passed) == 0 {
		// The kernel drops what the receiver has no descriptor for.
		return -1, &Error{Name: s.name, Code: Descriptors, Text: what + " did not arrive"}
	}
	fd, c.passed = c.passed[0], c.passed[1:]
	return fd, nil
}

// setUTF8 lets the terminal's own line editing erase whole characters. A system that refuses has
// a terminal all the same.
func setUTF8(fd int) {
	t, err := unix.IoctlGetTermios(fd, getTermios)
	if err == nil {
		t.Iflag |= unix.IUTF8
		unix.IoctlSetTermios(fd, setTermios, t)
	}
}

// lookPath finds a command the way a shell in that directory and environment does.
func (s *server) lookPath(command, cwd string, env []string) (string, error) {
	if err := enterable(cwd); err != nil {
		return "", failed(s.name, NoDir, "working directory", err)
	}
	if strings.Contains(command, "/") {
		if !filepath.IsAbs(command) {
			command = filepath.Join(cwd, command)
		}
		return command, s.executable(command)
	}
	var denied error
	for _, dir := range filepath.SplitList(pathOf(env)) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(cwd, dir) // an empty one is the working directory too
		}
		path := filepath.Join(dir, command)
		switch err := s.executable(path); {
		case err == nil:
			return path, nil
		case errors.Is(err, Denied) && denied == nil:
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", &Error{Name: s.name, Code: NotFound, Text: command}
}

// defaultPath is where commands are where the environment doesn't say.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

func pathOf(env []string) string {
	path := defaultPath
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			path = v // the last one counts, as in a shell
		}
	}
	return path
}

func (s *server) executable(path string) error {
	var st unix.Stat_t
	switch err := unix.Stat(path, &st); {
	case errors.Is(err, unix.EACCES):
		return &Error{Name: s.name, Code: Denied, Text: path}
	case err != nil:
		return failed(s.name, NotFound, path, err)
	case st.Mode&unix.S_IFMT == unix.S_IFDIR || unix.Access(path, unix.X_OK) != nil:
		return &Error{Name: s.name, Code: Denied, Text: path + " is not executable"}
	}
	return nil
}

func enterable(dir string) error {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return fmt.Errorf("%s: %w", dir, unix.ENOTDIR)
	}
	if err := unix.Access(dir, unix.X_OK); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}
