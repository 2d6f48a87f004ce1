package daemon

import (
	"strings"

	"apex/core"
	"apex/daemon/file"
	"apex/proto"
)

// A save while the session is not durable: the file's disk may be healthy, and is then the better
// place for the text. It is done at once and noted down (that the text is clean, how the command
// ended) when the session is durable again. A kill before that leaves a file that is newer than the
// session knows, which the next Put says.

// isPut reports whether a command that is recorded in a window saves its file.
func isPut(command string) bool {
	words := strings.Fields(command)
	return len(words) > 0 && (words[0] == "Put" || words[0] == "Putall")
}

// owe has something done when the session is durable again, and reports false if it is; the turn is
// held.
func (s *session) owe(f func()) bool {
	if s.a.Failed() {
		s.owed = append(s.owed, f)
	}
	return s.a.Failed()
}

// payOff does what was owed; the turn is held.
func (s *session) payOff() {
	if owed := s.owed; len(owed) > 0 {
		s.owed, s.wrote = nil, nil
		s.tasks.Go(func() {
			for _, f := range owed {
				f()
			}
		})
	}
}

// saved notes down that the disk holds the text of e's version, now or later.
func (s *session) saved(e *core.RunExec, path string, hash file.Hash) error {
	s.mu.Lock()
	later := s.owe(func() {
		if err := s.clean(e, path, core.Hash(hash)); err != nil {
			s.log.Warn("a save is not noted down", "path", path, "err", err)
		}
	})
	if later {
		if s.wrote == nil {
			s.wrote = map[string]file.Hash{}
		}
		s.wrote[path] = hash
	}
	s.mu.Unlock()
	if later {
		return nil
	}
	return s.clean(e, path, core.Hash(hash))
}

// written returns what a save that is not noted down yet has left at path.
func (s *session) written(path string) *file.Hash {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, ok := s.wrote[path]; ok {
		return &h
	}
	return nil
}

// putNow is Put for a client without an attachment while the session is not durable; nil if it is.
func (s *session) putNow(r *proto.Exec, w core.WindowID) func() (proto.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	win := s.a.Window(w)
	if !isPut(r.Command) || !s.a.Failed() || s.ended || win == nil || s.a.Buffer(win.Body) == nil {
		return nil
	}
	b := s.a.Buffer(win.Body)
	e := &core.RunExec{Window: w, Author: s.d.author(r.Author), Buffer: b,
		Exec: core.Exec{Command: r.Command, Buffer: win.Body, Version: b.Version}}
	res := core.Result{Outcome: core.Applied, Shard: w.Shard(), Window: w, Version: b.Version}
	done := make(chan error, 1)
	s.lanes.run(win.Body, func() {
		var err error
		res.Message, err = s.execute(e)
		done <- err
	})
	return func() (proto.Reply, error) {
		if err := <-done; err != nil {
			return nil, err
		}
		return &proto.Outcome{Result: res}, nil
	}
}

// notKept says of something that was done, as what says, that the disk does not hold it; the turn
// is held. It is not the code of what was refused: a script can tell.
func (s *session) notKept(what string) *core.Error {
	why := strings.TrimPrefix(s.durability, troubleStart)
	return core.Errorf(core.CodeUnavailable,
		"%s, but not on disk, which refuses (%s); kept once it takes it", what, why)
}

// outcomeNow is the answer to a command whose outcome can't be recorded yet; the turn is held. What
// a save has done is on a disk; what Get has read is not kept.
func (s *session) outcomeNow(e *core.RunExec, st core.Status) core.Result {
	switch {
	case st.Code != "":
		return core.Failed(&core.Error{Code: st.Code, Message: st.Message})
	case !isPut(e.Exec.Command):
		return core.Failed(s.notKept("done"))
	}
	return core.Result{Outcome: core.Applied, Shard: e.Window.Shard(), Window: e.Window,
		Version: e.Exec.Version, Message: st.Message}
}

// unkept is the answer to a Local before the disk holds what was done: clients are told so; what
// the daemon did for itself goes on from it.
func (s *session) unkept(e *core.Resolved) *core.Resolved {
	if !s.calls[e.Tag].client || e.Result.Err != nil {
		return e
	}
	return &core.Resolved{Tag: e.Tag, Result: core.Failed(s.notKept("applied"))}
}

// answer answers those who wait for the outcome of a command; the turn is held.
func (s *session) answer(e *core.RunExec, r core.Result) {
	for _, tag := range s.a.Awaiting(e.Window, e.At) {
		s.resolve(&core.Resolved{Tag: tag, Result: r})
	}
}
