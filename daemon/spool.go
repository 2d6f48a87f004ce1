package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"apex/core"
	"apex/term/holder"

	"golang.org/x/sys/unix"
)

// spool is what a command writes that replaces a selection. Its output goes to a file, which a
// daemon that finds the command running goes on with: the ring's Covered is the file's length. Its
// errors go through a named pipe to +Errors, which the holder keeps open: what is in it when this
// daemon dies the next one reads, and the command waits when it is full.
type spool struct {
	out    *os.File
	errs   *os.File
	failed error // why the file has not everything; the reader's

	reading sync.WaitGroup
	settled chan struct{} // what the pipe had is taken in; holds one
}

func (s *session) jobsDir() string { return filepath.Join(s.dir, "jobs") }

func (j *job) file(suffix string) string {
	return filepath.Join(j.s.jobsDir(), j.start.Proc.String()+suffix)
}

func (j *job) removeFiles() {
	if j.start.Replace {
		os.Remove(j.file(".out"))
		os.Remove(j.file(".err"))
	}
}

// open readies what takes the command's output in: of one that runs already, with its holder, or of
// one to be started, whose spec is changed to what writes there. The other one is nil.
func (j *job) open(ho *holder.Holder, spec *holder.Spec) error {
	if ho != nil && ho.Info().Kind == holder.Pty { // a terminal's, which no window shows
		j.take = func(uint64, []byte) {}
		return nil
	}
	if !j.start.Replace {
		j.out.ring = true
		j.take = func(_ uint64, b []byte) { j.out.write(b) }
		return nil
	}
	if err := os.MkdirAll(j.s.jobsDir(), 0o700); err != nil {
		return err
	}
	errs := j.file(".err")
	if err := unix.Mkfifo(errs, 0o600); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("%s: %w", errs, err)
	}
	out, err := os.OpenFile(j.file(".out"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	pipe, err := os.OpenFile(errs, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return errors.Join(err, out.Close())
	}
	j.spool = &spool{out: out, errs: pipe, settled: make(chan struct{}, 1)}
	j.take = j.keep
	j.spool.reading.Go(j.readErrors)
	if spec == nil {
		return nil
	}
	spec.Errors, err = blocking(errs)
	return err
}

// blocking opens a named pipe for both ends, as a program expects its files: reads and writes wait.
func blocking(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// close ends what open began. What the command writes from then on waits for the next daemon.
func (j *job) close() {
	if sp := j.spool; sp != nil {
		sp.errs.Close()
		sp.reading.Wait()
		sp.out.Close()
	}
	j.out.close()
}

// keep puts output into the file. What is written after the end has nothing to replace any more.
func (j *job) keep(from uint64, b []byte) {
	sp := j.spool
	switch {
	case j.done:
		j.out.write(b)
		return
	case from+uint64(len(b)) > outputMaxBytes || sp.failed != nil:
		return
	}
	if _, err := sp.out.WriteAt(b, int64(from)); err != nil {
		sp.failed = fmt.Errorf("its output can't be kept: %w", err)
		return
	}
	j.ho.SetCovered(from + uint64(len(b)))
}

// readErrors shows what the command writes to standard error.
func (j *job) readErrors() {
	sp := j.spool
	b := make([]byte, 32<<10)
	for {
		n, err := sp.errs.Read(b)
		if n > 0 {
			j.out.write(b[:n])
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			sp.errs.SetReadDeadline(time.Time{})
			for n := sp.now(b); n > 0; n = sp.now(b) {
				j.out.write(b[:n])
			}
			signal(sp.settled)
		case err != nil:
			return
		}
	}
}

// now reads what the pipe has, without waiting.
func (sp *spool) now(b []byte) (n int) {
	raw, err := sp.errs.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { n, _ = unix.Read(int(fd), b) })
	}
	if err != nil {
		return 0
	}
	return n
}

// settleErrors waits until what the program wrote to standard error before it ended is taken in.
func (j *job) settleErrors() {
	if sp := j.spool; sp != nil {
		sp.errs.SetReadDeadline(time.Unix(1, 0))
		select {
		case <-sp.settled:
		case <-j.s.programs.left:
		}
	}
}

// replace puts what the command wrote in the place of its selection. A command that failed and
// wrote nothing, or that was ended, leaves the selection as it is, and so does one whose output is
// not all there. The error says why; what was written is in +Errors then.
func (j *job) replace(x core.Exit) error {
	text, err := j.output()
	switch {
	case err != nil:
	case x.Reason != "" || x.Signal != "":
		err = core.Errorf(core.CodeFailed, "%s; the selection is left as it was", ending(x))
	case x.Code != 0 && text == "":
		return core.Errorf(core.CodeFailed, "exit status %d, and it wrote nothing: the selection is "+
			"left as it was", x.Code)
	default:
		err = j.substitute(text)
	}
	if err == nil {
		if x.Code != 0 {
			return core.Errorf(core.CodeFailed, "%s", ending(x))
		}
		return nil
	}
	if text != "" {
		said := fmt.Sprintf("%s: %v; it wrote:\n", j.name(), err)
		j.say(said+strings.TrimSuffix(printable([]byte(text)), "\n")+"\n", "kept")
	} else {
		j.say(fmt.Sprintf("%s: %v\n", j.name(), err), "kept")
	}
	return err
}

// output is all that the command wrote, exactly.
func (j *job) output() (string, error) {
	n := j.ho.Written()
	switch sp := j.spool; {
	case sp.failed != nil:
		return "", core.Errorf(core.CodeUnavailable, "%v; the selection is left as it was", sp.failed)
	case n > outputMaxBytes:
		return "", core.Errorf(core.CodeTooLarge,
			"wrote %d bytes, at most %d can take a selection's place", n, outputMaxBytes)
	}
	b, err := io.ReadAll(io.NewSectionReader(j.spool.out, 0, int64(n)))
	if err != nil || uint64(len(b)) != n {
		return "", core.Errorf(core.CodeUnavailable, "%d of %d bytes that it wrote are there: %v", len(b),
			n, err)
	}
	return string(b), nil
}

// substitute makes the edit, moved past what was changed meanwhile, as one step of whoever executed
// the command.
func (j *job) substitute(text string) error {
	st := &j.start
	ask := &core.AskEdit{Buffer: st.Buffer, Base: st.Version, OnConflict: core.ConflictRebase,
		Edits: []core.Span{{Q0: st.Q0, Q1: st.Q1, Text: text}}, Select: st.Window.Body()}
	p := core.Proposal{Author: st.Author, Intent: j.intent("replace", 0), Ask: ask}
	r := j.insist(p)
	if r.Err != nil && r.Err.Code == core.CodeNotFound { // the window may be gone, and not the text
		ask.Select = core.View{}
		r = j.insist(p)
	}
	switch {
	case r.Err != nil:
		return r.Err
	case r.Outcome == core.NeedsMerge:
		return core.Errorf(core.CodeConflict, "the selection was changed while it ran")
	}
	return nil
}

// lose records that a command of a daemon before is gone, with what is left of its output.
func (j *job) lose() {
	defer j.s.programs.forget(j)
	defer close(j.over)
	x := core.Exit{Done: true, Reason: holderLost}
	said := j.name() + ": " + ending(x)
	if b, err := os.ReadFile(j.file(".out")); j.start.Replace && err == nil && len(b) > 0 {
		said += "; it had written:\n" + strings.TrimSuffix(printable(b), "\n")
	}
	j.say(said+"\n", "kept")
	if j.record(core.Status{Of: j.start.At, Code: core.CodeUnavailable, Message: j.name() + ": " +
		ending(x)}, x) {
		j.removeFiles()
	}
}
