package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"apex/core"
	"apex/proto"
	"apex/term"
	"apex/term/holder"
	"apex/term/vt"
)

// Bounds of a session's programs.
const (
	// programStart is how long a program may take to be started: a machine that is out of memory
	// takes its time, and somebody waits.
	programStart = 4 * time.Second
	// programEnd is how long the end of a session waits for its programs to be gone: all the
	// grace that they are given, and a little.
	programEnd = holder.HangUpGrace + holder.TermGrace + holder.KillGrace + time.Second
	// defaultCols and defaultRows are the size of a terminal until a UI that shows it leads.
	defaultCols, defaultRows = 80, 24
)

// programs are what runs for a session: its terminals and commands, each with a holder that
// outlives the daemon. The lock is held while the map is looked at and no longer; nothing waits
// for the session's turn with it.
type programs struct {
	s *session

	mu    sync.Mutex
	terms map[core.TermID]*hosted
	jobs  map[core.ProcID]*job
	env   environment
	seen  vt.Colours // in which whoever leads sees terminals
	gate  *gate      // of starts and ends that are under way; closed, no more are started

	starting map[chan struct{}]bool // commands that are; each is closed when it runs

	watched sync.WaitGroup // jobs whose output is read
	left    chan struct{}  // closed when nothing more is done about jobs
}

func newPrograms(s *session) *programs {
	return &programs{s: s, terms: map[core.TermID]*hosted{}, jobs: map[core.ProcID]*job{},
		starting: map[chan struct{}]bool{}, left: make(chan struct{}), gate: newGate()}
}

// errClosing is why nothing is started any more.
var errClosing = core.Errorf(core.CodeDraining, "the session is closing: no program is started")

// begin makes room for the start of a program; the caller calls the result when it is through.
func (p *programs) begin() (done func(), err error) {
	done, ok := p.gate.begin()
	if !ok {
		return nil, errClosing
	}
	return done, nil
}

func (p *programs) term(id core.TermID) *hosted {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.terms[id]
}

// all returns the terminals in the order in which they were made.
func (p *programs) all() []*hosted {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*hosted
	for _, h := range p.terms {
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *hosted) int { return cmp.Compare(a.id, b.id) })
	return out
}

// add enters a terminal, unless no more are taken.
func (p *programs) add(h *hosted) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate.open.Err() != nil {
		return false
	}
	p.terms[h.id] = h
	return true
}

// term returns the terminal that a person means: by its id, or by its window.
func (s *session) term(name string) (*hosted, error) {
	id, ok := core.ParseTermID(name)
	missing := core.Errorf(core.CodeNotFound, "no terminal %v", id)
	if !ok {
		s.mu.Lock()
		w, err := resolveAmong(s.a, s.termWindows(), name, false)
		if err == nil {
			id = s.a.Window(w).Term
		}
		s.mu.Unlock()
		if err != nil {
			return nil, err
		}
		missing = core.Errorf(core.CodeNotFound, "window %v has no terminal", w)
	}
	if h := s.programs.term(id); h != nil {
		return h, nil
	}
	if s.runs(id) {
		return nil, unreached(id.String())
	}
	return nil, missing
}

// runs reports whether a terminal's program runs, as far as is recorded.
func (s *session) runs(id core.TermID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.a.Meta().Procs, func(p core.Proc) bool { return p.Term == id && !p.Done })
}

// termWindows lists the windows that show terminals; the turn is held.
func (s *session) termWindows() []core.WindowID {
	return slices.DeleteFunc(windows(s.a), func(w core.WindowID) bool { return s.a.Window(w).Term == 0 })
}

// termNew makes a terminal: a window, the record that its program is about to start, and then the
// program.
func (s *session) termNew(by core.Author, r *proto.TermNew) (*proto.TermMade, error) {
	done, err := s.programs.begin()
	if err != nil {
		return nil, err
	}
	defer done()
	if err := roomForProgram(); err != nil {
		return nil, err
	}
	size := term.Size{Cols: cmp.Or(r.Cols, defaultCols), Rows: cmp.Or(r.Rows, defaultRows)}
	if err := core.CheckTermSize(size.Cols, size.Rows); err != nil {
		return nil, err
	}
	dir, err := s.programDir(r.Dir)
	if err != nil {
		return nil, err
	}
	h := &hosted{s: s, dir: dir, started: now(), generation: uint64(s.d.started),
		there: make(chan struct{})}
	h.argv = r.Argv
	if len(h.argv) == 0 {
		h.argv = []string{s.shell()}
	}
	h.command = strings.Join(h.argv, " ")
	body, err := s.termShards(h)
	if err != nil {
		return nil, err
	}
	place, err := s.window(opener{Author: by}, &core.AskWindow{Body: body, Term: h.id, Name: h.name, Focus: r.Focus}, h.name)
	if err != nil {
		s.dropTerm(h, body)
		return nil, err
	}
	h.window = place.Window
	if err := s.startTerm(h, size); err != nil {
		s.local(core.Proposal{Author: s.signature(), Ask: &core.AskDelete{Window: h.window, Force: true}})
		s.dropTerm(h, 0)
		return nil, err
	}
	return &proto.TermMade{Window: h.window, Term: h.id}, nil
}

// programDir checks the directory of a program.
func (s *session) programDir(dir string) (string, error) {
	if dir == "" {
		s.mu.Lock()
		dir = s.a.Meta().Dir
		s.mu.Unlock()
	}
	if dir == "" {
		dir = s.d.userDir
	}
	if !filepath.IsAbs(dir) {
		return "", core.Errorf(core.CodeBadRequest, "directory %s: want an absolute path", dir)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", core.Errorf(core.CodeNotFound, "directory %s: is not there", dir)
	}
	return filepath.Clean(dir), nil
}

// termShards makes the terminal's shard and its window's body, which only names it.
func (s *session) termShards(h *hosted) (core.BufferID, error) {
	s.mu.Lock()
	h.id, h.proc = core.TermID(s.a.NewID()), core.ProcID(s.a.NewID())
	body := core.BufferID(s.a.NewID())
	h.name = s.freeName(filepath.Join(h.dir, "-"+filepath.Base(h.argv[0])))
	s.mu.Unlock()
	b := core.Bundle{Author: s.signature(), New: []core.Shard{h.id.Shard(), body.Shard()}}
	b.Add(body.Shard(), core.Of(&core.BufferNew{Kind: core.BufferScratch, Name: h.name}))
	return body, s.commitLocal(b)
}

// freeName returns a name, with a number behind it if some window has it; the turn is held.
func (s *session) freeName(name string) string {
	taken := map[string]bool{}
	for _, w := range windows(s.a) {
		if b := s.a.Buffer(s.a.Window(w).Body); b != nil {
			taken[b.Name] = true
		}
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s%d", name, n)
	}
	return free
}

// startProgram has start start a program, once it is on disk that it will be started; if it is not,
// it records why.
func (s *session) startProgram(
	p *core.ProcStart, start func(context.Context) (*holder.Holder, error),
) (*holder.Holder, error) {
	b := core.Bundle{Author: s.signature()}
	b.Add(core.MetaShard, core.Of(p))
	if err := s.commitLocal(b); err != nil {
		return nil, err
	}
	var ho *holder.Holder
	err := s.flush()
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), programStart)
		defer cancel()
		ho, err = start(ctx)
	}
	if err != nil {
		s.procExit(p.Proc, core.ProcExit{
			Reason: cutText("not started: "+err.Error(), core.MaxReasonBytes)})
		return nil, err
	}
	return ho, nil
}

// startTerm starts the program of a terminal.
func (s *session) startTerm(h *hosted, size term.Size) error {
	ho, err := s.startProgram(&core.ProcStart{Proc: h.proc, Window: h.window, Term: h.id,
		Command: cutText(h.command, core.MaxProcBytes), Dir: h.dir, Holder: h.holderName(),
		Started: h.started}, func(ctx context.Context) (*holder.Holder, error) {
		argv, env, marks := s.d.shells.Load().Marked(h.argv, s.programEnv(h.window))
		h.marks = marks
		return holder.Start(ctx, "", holder.Spec{Dir: s.d.holdersDir(), Name: h.holderName(),
			Argv: argv, Env: env, Cwd: h.dir, Kind: holder.Pty, Size: size})
	})
	if err != nil {
		return startError(err)
	}
	_ = os.MkdirAll(s.termsDir(), 0o700) // without it the record says what is wrong
	h.t = term.Start(ho, h.options(size))
	close(h.there)
	if s.programs.add(h) {
		return nil
	}
	abandon(context.Background(), ho)
	h.t.Close()
	os.Remove(h.record())
	s.procExit(h.proc, core.ProcExit{Reason: "not started: " + errClosing.Message})
	return errClosing
}

// startError gives a failure to start its code on the wire.
func startError(err error) error {
	var e *holder.Error
	if !errors.As(err, &e) {
		return err
	}
	code := core.CodeUnavailable
	switch e.Code {
	case holder.NotFound, holder.NoDir:
		code = core.CodeNotFound
	case holder.Denied:
		code = core.CodeDenied
	case holder.TooLong:
		code = core.CodeTooLarge
	case holder.BadSpec:
		code = core.CodeBadRequest
	}
	return core.Errorf(code, "%s", e.Text)
}

// dropTerm deletes what is left of a terminal that is gone.
func (s *session) dropTerm(h *hosted, body core.BufferID) {
	b := core.Bundle{Author: s.signature(), Del: []core.Shard{h.id.Shard()}}
	if err := s.commitLocal(b); err != nil {
		s.log.Warn("a terminal's shard stays", "term", h.id.String(), "err", err)
	}
	if body == 0 {
		return
	}
	if err := s.commitLocal(core.Bundle{Author: s.signature(), Del: []core.Shard{body.Shard()}}); err != nil {
		s.log.Debug("a terminal's name stays", "buffer", body.String(), "err", err)
	}
}

// procExit records how a program ended.
func (s *session) procExit(p core.ProcID, e core.ProcExit) {
	e.Proc, e.Ended = p, now()
	b := core.Bundle{Author: s.signature()}
	b.Add(core.MetaShard, core.Of(&e))
	if err := s.commitLocal(b); err != nil && !errors.Is(err, errEnded) {
		s.log.Warn("a program's end is not recorded", "proc", p.String(), "err", err)
	}
}

func cutText(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "") }

func (s *session) termsDir() string { return filepath.Join(s.dir, "terms") }

func (d *Daemon) holdersDir() string { return filepath.Join(d.opts.State, "holders") }
