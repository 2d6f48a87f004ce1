package daemon

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"apex/core"
	"apex/core/edit"
	"apex/term/holder"
)

// maxJobs is how many commands of a session run at once: each has a holder and shares a megabyte
// with it, and a script that starts them in a loop by mistake must not take the machine.
const maxJobs = 64

// job is a command that runs: a program on a pipe with a holder that outlives the daemon. What it
// writes goes to its directory's +Errors, or takes the place of a selection.
type job struct {
	s     *session
	start core.ProcStart // as it is recorded
	ho    *holder.Holder // nil while it is being started; programs' lock guards it
	out   *printer
	take  func(from uint64, b []byte) // its output, as it comes
	spool *spool                      // of one that replaces a selection
	done  bool                        // its end is recorded
	over  chan struct{}               // closed when done is set, or nothing more will be recorded

	// Of one that a daemon before started: what to say before its output goes on, and what has come
	// of that already.
	before string
	had    func()
}

// goRun runs a program, once its Exec is durable. The turn is held; it does not wait.
func (s *session) goRun(e *core.RunExec, p edit.Program) {
	done, err := s.programs.begin()
	if err != nil {
		return // the next start finds that its outcome is unknown
	}
	started := s.programs.starts()
	go func() {
		defer done()
		err := s.startJob(e, p)
		started()
		if err != nil {
			s.outcomeOf(e, "", err)
		}
	}()
}

// starts notes that a command is being started, until the result is called.
func (p *programs) starts() (started func()) {
	c := make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starting[c] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.starting, c)
		close(c)
	}
}

// haveStarted waits for the commands that are being started now: who saw one in the top row, or has
// asked for it, means it too.
func (p *programs) haveStarted() {
	p.mu.Lock()
	now := slices.Collect(maps.Keys(p.starting))
	p.mu.Unlock()
	late := time.NewTimer(programStart)
	defer late.Stop()
	for _, c := range now {
		select {
		case <-c:
		case <-late.C:
			return
		}
	}
}

// startJob starts a program, once it is on disk that it will be started.
func (s *session) startJob(e *core.RunExec, p edit.Program) error {
	if err := roomForProgram(); err != nil {
		return err
	}
	dir, err := s.programDir(s.dirOf(e))
	if err != nil {
		return err
	}
	spec := holder.Spec{Dir: s.d.holdersDir(), Cwd: dir, Kind: holder.Pipe}
	if p.Input {
		if spec.Input, err = selection(e); err != nil {
			return err
		}
		defer spec.Input.Close()
	}
	j := s.newJob(core.ProcStart{Window: e.Window, Command: cutText(e.Exec.Command, core.MaxProcBytes),
		Dir: dir, Started: now(), At: e.At, Author: e.Author})
	if p.Replace {
		x := &e.Exec
		j.start.Replace, j.start.Buffer, j.start.Version = true, x.Buffer, x.Version
		j.start.Q0, j.start.Q1 = x.Q0, x.Q1
	}
	if err := s.programs.reserve(j); err != nil {
		return err
	}
	spec.Name = j.start.Holder
	spec.Env = s.jobEnv(e)
	spec.Argv = []string{s.jobShell(), "-c", p.Line}
	if err := j.begin(spec); err != nil {
		s.programs.forget(j)
		return err
	}
	s.programs.watched.Go(j.watch)
	return nil
}

// newJob makes a job, with ids of its own.
func (s *session) newJob(start core.ProcStart) *job {
	if start.Proc == 0 {
		s.mu.Lock()
		start.Proc = core.ProcID(s.a.NewID())
		s.mu.Unlock()
		start.Holder = holderName(s, start.Proc)
	}
	j := &job{s: s, start: start, over: make(chan struct{})}
	j.out = newPrinter(j)
	return j
}

// holderName names a program's holder among those of all sessions.
func holderName(s *session, p core.ProcID) string { return holderPrefix(s.id) + p.String() }

func holderPrefix(id core.SessionID) string { return fmt.Sprintf("%x-", id[:8]) }

// begin starts the program.
func (j *job) begin(spec holder.Spec) error {
	s := j.s
	ho, err := s.startProgram(&j.start, func(ctx context.Context) (*holder.Holder, error) {
		if err := j.open(nil, &spec); err != nil {
			return nil, err
		}
		if spec.Errors != nil {
			defer spec.Errors.Close()
		}
		ho, err := holder.Start(ctx, "", spec)
		if err != nil {
			return nil, startError(err)
		}
		return ho, nil
	})
	if err != nil {
		j.close()
		j.removeFiles()
		return err
	}
	s.programs.mu.Lock()
	j.ho = ho
	s.programs.mu.Unlock()
	return nil
}

// name is what people call the command.
func (j *job) name() string { return edit.ProgramName(j.start.Command) }

// jobShell is the program that reads command lines: as in acme, $acmeshell of the session's
// environment, which must take -c, and else sh.
func (s *session) jobShell() string {
	return cmp.Or(s.programs.getenv("acmeshell"), "/bin/sh")
}

// jobEnv is the environment of a command. Its output is text and no terminal's.
func (s *session) jobEnv(e *core.RunExec) []string {
	env := slices.DeleteFunc(s.programEnv(e.Window), func(v string) bool {
		return v == termVariable || v == colorVariable
	})
	env = append(env, "TERM=dumb")
	if e.Buffer != nil && e.Buffer.Name != "" {
		env = append(env, "samfile="+e.Buffer.Name, "%="+e.Buffer.Name)
	}
	return env
}

// selection is the text that a command was given: the dot, in the version that it was executed at.
func selection(e *core.RunExec) (*os.File, error) {
	x := &e.Exec
	if e.Buffer == nil {
		return nil, core.Errorf(core.CodeNotFound, "the text that the command acts on is gone")
	}
	t, ok := e.Buffer.At(x.Version)
	if !ok || x.Q1 > t.Runes() {
		return nil, core.Errorf(core.CodeConflict,
			"the selection of version %d is not known any more, the text is at %d: try again",
			x.Version, e.Buffer.Version)
	}
	f, err := holder.InputBytes(t.AppendRange(nil, x.Q0, x.Q1))
	if err != nil {
		return nil, core.Errorf(core.CodeUnavailable, "the selection can't be handed on: %v", err)
	}
	return f, nil
}

// reserve enters a job before it is started, unless too many run.
func (p *programs) reserve(j *job) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.jobs) >= maxJobs {
		return core.Errorf(core.CodeBusy, "%d commands run, at most %d", len(p.jobs), maxJobs)
	}
	p.jobs[j.start.Proc] = j
	return nil
}

// enter enters a job that runs already.
func (p *programs) enter(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs[j.start.Proc] = j
}

func (p *programs) forget(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.jobs, j.start.Proc)
}

// allJobs returns the commands that have started, oldest first.
func (p *programs) allJobs() []*job {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*job
	for _, j := range p.jobs {
		if j.ho != nil {
			out = append(out, j)
		}
	}
	slices.SortFunc(out, func(a, b *job) int { return cmp.Compare(a.start.Proc, b.start.Proc) })
	return out
}

// sweepJobs removes what commands left on disk that no daemon goes on with.
func (s *session) sweepJobs() {
	entries, err := os.ReadDir(s.jobsDir())
	if err != nil {
		return // there are none
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		if id, ok := core.ParseProcID(name); ok && s.programs.job(id) == nil {
			os.Remove(filepath.Join(s.jobsDir(), e.Name()))
		}
	}
}

func (p *programs) job(id core.ProcID) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.jobs[id]
}

// leaveJobs lets the commands go, for the next daemon to find.
func (p *programs) leaveJobs() {
	p.mu.Lock()
	select {
	case <-p.left:
	default:
		close(p.left)
	}
	p.mu.Unlock()
	for _, j := range p.allJobs() {
		j.ho.Detach()
	}
	within(programStart, p.watched.Wait)
}
