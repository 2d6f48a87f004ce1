package client

import (
	"context"

	"apex/proto"
)

// The requests about terminals and processes. term names a terminal: its id (t0.7), or its window
// as win does.

// NewTerm makes a terminal in a window of its own, and returns when its program runs.
func (r Requests) NewTerm(ctx context.Context, req *proto.TermNew) (*proto.TermMade, error) {
	return ask[*proto.TermMade](ctx, r, req)
}

// Terms returns a session's terminals in the order in which they were made.
func (r Requests) Terms(ctx context.Context, session string) ([]proto.TermEntry, error) {
	reply, err := ask[*proto.Terms](ctx, r, &proto.TermList{Session: session})
	if err != nil {
		return nil, err
	}
	return reply.Terms, nil
}

// TermInfo returns what is known of a terminal.
func (r Requests) TermInfo(ctx context.Context, session, term string) (*proto.TermDetail, error) {
	return ask[*proto.TermDetail](ctx, r, &proto.TermInfo{Session: session, Term: term})
}

// Input types into a terminal, and returns when the terminal has taken the bytes: as long as its
// program does not read, that waits.
func (r Requests) Input(ctx context.Context, req *proto.TermInput) error { return r.do(ctx, req) }

// ReadTerm reads logical lines of a terminal; more than a reply takes come cut, with More.
func (r Requests) ReadTerm(ctx context.Context, req *proto.TermRead) (*proto.TermText, error) {
	return ask[*proto.TermText](ctx, r, req)
}

// Screen returns a terminal's grid as it stands.
func (r Requests) Screen(ctx context.Context, session, term string) (*proto.TermGrid, error) {
	reply, err := ask[*proto.TermGrid](ctx, r, &proto.TermScreen{Session: session, Term: term})
	if err != nil {
		return nil, err
	}
	if reply.State == nil {
		return nil, badReply(&proto.TermScreen{}, reply)
	}
	return reply, nil
}

// WaitTerm waits for something to happen in a terminal. That the time is over and that it can't
// happen any more are answers, not errors.
func (r Requests) WaitTerm(ctx context.Context, req *proto.TermWait) (*proto.TermMet, error) {
	return ask[*proto.TermMet](ctx, r, req)
}

// RunTerm runs a command in a terminal's shell, and returns when it has ended. That the time is
// over is an answer.
func (r Requests) RunTerm(ctx context.Context, req *proto.TermRun) (*proto.TermOutput, error) {
	return ask[*proto.TermOutput](ctx, r, req)
}

// ResizeTerm gives a terminal another size, in cells.
func (r Requests) ResizeTerm(ctx context.Context, session, term string, cols, rows int) error {
	return r.do(ctx, &proto.TermResize{Session: session, Term: term, Cols: cols, Rows: rows})
}

// ClearTerm drops a terminal's scrollback.
func (r Requests) ClearTerm(ctx context.Context, session, term string) error {
	return r.do(ctx, &proto.TermClear{Session: session, Term: term})
}

// KillTerm sends a signal, as in HUP, to the processes of a terminal. Without one it ends them, and
// returns when they have ended.
func (r Requests) KillTerm(ctx context.Context, session, term, signal string) error {
	return r.do(ctx, &proto.TermKill{Session: session, Term: term, Signal: signal})
}

// FindTerm finds a pattern in a terminal's lines. That it is not there is an answer.
func (r Requests) FindTerm(ctx context.Context, req *proto.TermFind) (*proto.TermFound, error) {
	return ask[*proto.TermFound](ctx, r, req)
}

// Processes returns the processes that a session started, or with all those of every session.
func (r Requests) Processes(ctx context.Context, session string,
	all bool) ([]proto.ProcInfo, error) {
	reply, err := ask[*proto.Procs](ctx, r, &proto.Ps{Session: session, All: all})
	if err != nil {
		return nil, err
	}
	return reply.Procs, nil
}

// Kill sends a signal, as in HUP, to processes and all that they started. Without one it ends them,
// and returns when they have ended.
func (r Requests) Kill(ctx context.Context, session string, ids []string, signal string) error {
	return r.do(ctx, &proto.Kill{Session: session, IDs: ids, Signal: signal})
}

// Env returns the environment that a session gives its programs, by name.
func (r Requests) Env(ctx context.Context, session string) ([]proto.EnvVar, error) {
	reply, err := ask[*proto.EnvList](ctx, r, &proto.EnvGet{Session: session})
	if err != nil {
		return nil, err
	}
	return reply.Vars, nil
}

// SetEnv changes the environment that a session gives its programs. vars are by name, each once.
func (r Requests) SetEnv(ctx context.Context, session string, vars []proto.EnvVar,
	mode proto.EnvMode) error {
	return r.do(ctx, &proto.EnvSet{Session: session, Vars: vars, Mode: mode})
}

// TermColours tells in which colours whoever leads sees terminals, for programs that ask.
func (r Requests) TermColours(ctx context.Context, c *proto.TermColours) error { return r.do(ctx, c) }

// Upgrade has the daemon replaced by another program, an absolute path or empty for the one that
// it was started from. It returns before that happens: the connection ends then.
func (r Requests) Upgrade(ctx context.Context, exe string) error {
	return r.do(ctx, &proto.Upgrade{Exe: exe})
}
