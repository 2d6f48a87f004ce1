package holder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"apex/proto/fd"

	"golang.org/x/sys/unix"
)

// startMax bounds how long a holder may take to start a program: the working directory may be on a
// file system that doesn't answer.
const startMax = 20 * time.Second

// selfExe is this program on Linux, even if its file was replaced or removed.
const selfExe = "/proc/self/exe"

// Start starts a holder and, by it, a program. exe is the binary to be the holder, which must call
// Dispatch; empty means this process's own. The error is an *Error: its Code says what kind.
// Either all of it runs or nothing does.
func Start(ctx context.Context, exe string, spec Spec) (*Holder, error) {
	if err := spec.check(); err != nil {
		return nil, &Error{Name: spec.Name, Code: BadSpec, Text: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, startMax)
	defer cancel()
	l, pid, err := spawn(exe, spec.Name)
	if err != nil {
		return nil, failed(spec.Name, Internal, "start the holder", err)
	}
	var files []int
	for _, f := range []*os.File{spec.Input, spec.Errors} {
		if f != nil {
			files = append(files, int(f.Fd()))
			defer runtime.KeepAlive(f)
		}
	}
	begin := &request{ID: 1, Op: opStart, Start: spec.request(), Protocol: protocol}
	if err = l.send(begin, files...); err == nil {
		var h *Holder
		if h, err = take(ctx, l, spec.Dir, spec.Name); err == nil {
			return h, nil
		}
	}
	// Whatever it has started by now ends with it.
	l.send(&request{Op: opAbort})
	l.close()
	select {
	case <-ending(pid):
	case <-ctx.Done():
	}
	return nil, failed(spec.Name, Internal, "start", err)
}

// abortMax is how long a holder that is told to abort may take: longer than a kill. One that takes
// longer is stuck in a system call, before it has started anything.
const abortMax = HangUpGrace + TermGrace + KillGrace + startMax

// ending waits for the end of a holder that was told to abort; the channel is closed then.
func ending(pid int) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		late := time.AfterFunc(abortMax, func() { unix.Kill(pid, unix.SIGKILL) })
		defer late.Stop()
		unix.Wait4(pid, nil, 0, nil)
	}()
	return ended
}

func (s *Spec) request() *startRequest {
	return &startRequest{Dir: []byte(s.Dir), Name: []byte(s.Name), Argv: rawAll(s.Argv),
		Env: rawAll(s.Env), Cwd: []byte(s.Cwd), Kind: s.Kind,
		Input: s.Input != nil, Errors: s.Errors != nil,
		Cols: s.Size.Cols, Rows: s.Size.Rows, Width: s.Size.Width, Height: s.Size.Height}
}

// InputBytes makes an input file of bytes, for Spec.Input.
func InputBytes(b []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "apex-input-*")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(b)
	if err = errors.Join(os.Remove(f.Name()), err); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// spawn starts a holder's process: in a session of its own, with nothing of this one's but a
// connection. The process id is that of a child of this process, to be waited for.
func spawn(exe, name string) (*link, int, error) {
	if exe == "" {
		var err error
		if exe, err = os.Executable(); err != nil {
			return nil, 0, err
		}
		if runtime.GOOS == "linux" {
			exe = selfExe
		}
	}
	ours, theirs, err := fd.SocketPair()
	if err != nil {
		return nil, 0, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, 0, errors.Join(err, unix.Close(ours), unix.Close(theirs))
	}
	argv0 := "apex"
	if len(os.Args) > 0 {
		argv0 = os.Args[0]
	}
	nullFD := null.Fd()
	pid, err := syscall.ForkExec(exe, []string{argv0, Command, name}, &syscall.ProcAttr{
		Dir: "/", // so that no file system stays in use by it
		// It has one thread of control; the runtime's memory grows with the processors it uses.
		Env:   []string{"GOMAXPROCS=1", "GOTRACEBACK=none"},
		Files: []uintptr{nullFD, nullFD, nullFD, uintptr(theirs)},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	null.Close()
	unix.Close(theirs)
	if err != nil {
		unix.Close(ours)
		return nil, 0, fmt.Errorf("%s: %w", exe, err)
	}
	l, err := newLink(ours)
	if err != nil {
		unix.Kill(pid, unix.SIGKILL)
		unix.Wait4(pid, nil, 0, nil)
		return nil, 0, err
	}
	return l, pid, nil
}
