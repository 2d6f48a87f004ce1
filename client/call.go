package client

import (
	"context"
	"time"

	"apex/core"
	"apex/proto"
)

// Requests are the daemon's requests, one method each. session is a session's label, empty for
// the default one; win names a window: its id (w1.3), a path, a label, or a part of one that no
// other window has (not_found, conflict). Any goroutine may call them.
type Requests struct {
	call func(context.Context, proto.Request) (proto.Reply, error)
}

// ask makes a request that is answered by an R.
func ask[R proto.Reply](ctx context.Context, r Requests, req proto.Request) (R, error) {
	var none R
	reply, err := r.whenNotBusy(ctx, req)
	if err != nil {
		return none, err
	}
	if got, ok := reply.(R); ok {
		return got, nil
	}
	return none, badReply(req, reply)
}

// whenNotBusy makes a request, again while the daemon says that it is busy and until when. Without a
// deadline it is tried for as long as a daemon has to answer.
func (r Requests) whenNotBusy(ctx context.Context, req proto.Request) (proto.Reply, error) {
	late, ok := ctx.Deadline()
	if !ok {
		late = time.Now().Add(AnswerTimeout)
	}
	return patiently(ctx, late, func() (proto.Reply, error) { return r.call(ctx, req) })
}

// do makes a request that has nothing to tell.
func (r Requests) do(ctx context.Context, req proto.Request) error {
	_, err := ask[*proto.Done](ctx, r, req)
	return err
}

// Ping returns when the daemon has answered.
func (r Requests) Ping(ctx context.Context) error { return r.do(ctx, &proto.Ping{}) }

// Sessions returns all sessions, ordered by label.
func (r Requests) Sessions(ctx context.Context) ([]proto.SessionInfo, error) {
	reply, err := ask[*proto.Sessions](ctx, r, &proto.SessionList{})
	if err != nil {
		return nil, err
	}
	return reply.Sessions, nil
}

// NewSession makes a session whose programs begin in dir, an absolute path or empty. A label that
// is taken is exists.
func (r Requests) NewSession(ctx context.Context, label, dir string) (proto.SessionInfo, error) {
	return r.session(ctx, &proto.SessionNew{Label: label, Dir: dir})
}

// session makes a request that is answered by one session.
func (r Requests) session(ctx context.Context, req proto.Request) (proto.SessionInfo, error) {
	reply, err := ask[*proto.Sessions](ctx, r, req)
	if err != nil {
		return proto.SessionInfo{}, err
	}
	if len(reply.Sessions) != 1 {
		return proto.SessionInfo{}, badReply(req, reply)
	}
	return reply.Sessions[0], nil
}

// RenameSession gives a session another label.
func (r Requests) RenameSession(ctx context.Context, from, to string) error {
	return r.do(ctx, &proto.SessionRename{Old: from, New: to})
}

// EndSession ends a session. With unsaved work it is refused as unsaved, unless it is forced.
func (r Requests) EndSession(ctx context.Context, session string, force bool) error {
	return r.do(ctx, &proto.SessionEnd{Session: session, Force: force})
}

// Open puts files, or a text, into windows. There is a place for each, in order, which says where
// it is or why not.
func (r Requests) Open(ctx context.Context, req *proto.Open) ([]proto.Place, error) {
	reply, err := ask[*proto.Opened](ctx, r, req)
	if err != nil {
		return nil, err
	}
	if len(reply.Places) != max(1, len(req.Files)) {
		return nil, badReply(req, reply)
	}
	return reply.Places, nil
}

// Windows returns a session's windows in the layout's order.
func (r Requests) Windows(ctx context.Context, session string) ([]proto.WindowInfo, error) {
	reply, err := ask[*proto.WindowList](ctx, r, &proto.Windows{Session: session})
	if err != nil {
		return nil, err
	}
	return reply.Windows, nil
}

// Resolve finds one window.
func (r Requests) Resolve(ctx context.Context, session, win string) (*proto.WindowInfo, error) {
	return ask[*proto.WindowInfo](ctx, r, &proto.Resolve{Session: session, Win: win})
}

// Read reads a part of a window's text; one that is longer than a reply comes cut, with More.
func (r Requests) Read(ctx context.Context, req *proto.Read) (*proto.Text, error) {
	return ask[*proto.Text](ctx, r, req)
}

// Info returns what is known of a window's text.
func (r Requests) Info(ctx context.Context, session, win string) (*proto.TextInfo, error) {
	return ask[*proto.TextInfo](ctx, r, &proto.Info{Session: session, Win: win})
}

// ProposeIn makes a proposal without an attachment. If win is not empty it names the window that
// the proposal's Ask is about.
func (r Requests) ProposeIn(ctx context.Context, session, win string,
	p core.Proposal) (core.Result, error) {
	return r.outcome(ctx, &proto.ProposeIn{Session: session, Win: win, Proposal: p})
}

// Exec runs a command as if it had been executed in the window, and returns when it has ended.
func (r Requests) Exec(ctx context.Context, req *proto.Exec) (core.Result, error) {
	return r.outcome(ctx, req)
}

// outcome makes a request that ends as a proposal does; a result that is an error is one here.
func (r Requests) outcome(ctx context.Context, req proto.Request) (core.Result, error) {
	reply, err := ask[*proto.Outcome](ctx, r, req)
	if err != nil {
		return core.Result{}, err
	}
	return checked(reply.Result)
}

// checked makes a result that is an error one.
func checked(r core.Result) (core.Result, error) {
	if r.Err != nil {
		return r, r.Err
	}
	return r, nil
}

// Peek returns the lines that views show, at most lines before and from their origins, less those
// views that there are not.
func (r Requests) Peek(ctx context.Context, session string, views []core.View,
	lines int) ([]proto.Lines, error) {
	req := &proto.Peek{Session: session, Lines: lines}
	for _, v := range views {
		req.Views = append(req.Views, proto.View(v))
	}
	reply, err := ask[*proto.Peeked](ctx, r, req)
	if err != nil {
		return nil, err
	}
	return reply.Views, nil
}

// Who returns who is in a session.
func (r Requests) Who(ctx context.Context, session string) ([]proto.Peer, error) {
	reply, err := ask[*proto.Roster](ctx, r, &proto.Who{Session: session})
	if err != nil {
		return nil, err
	}
	return reply.Peers, nil
}

// Leases returns the leases that tools have or wait for, or with all those of the daemon and of
// people's interfaces too.
func (r Requests) Leases(ctx context.Context, session string, all bool) ([]proto.LeaseInfo, error) {
	reply, err := ask[*proto.Leases](ctx, r, &proto.LeaseList{Session: session, All: all})
	if err != nil {
		return nil, err
	}
	return reply.Leases, nil
}

// ReleaseLease asks the tool that has the lease of a text to give it back, and returns when it was
// asked. epoch is that of the lease that is meant, 0 for whichever.
func (r Requests) ReleaseLease(ctx context.Context, session, win string, epoch core.Epoch) error {
	return r.do(ctx, &proto.LeaseRelease{Session: session, Win: win, Epoch: epoch})
}

// Status returns how the daemon is.
func (r Requests) Status(ctx context.Context) (*proto.DaemonStatus, error) {
	return ask[*proto.DaemonStatus](ctx, r, &proto.Status{})
}

// Stop drains the daemon and ends it. It returns when everything is on disk. While a disk refuses
// what a session holds it is refused as unsaved, unless force is set.
func (r Requests) Stop(ctx context.Context, force bool) error {
	return r.do(ctx, &proto.Stop{Force: force})
}

// Log returns a shard's entries from a number on and when they were stored: at most limit batches,
// 0 for as many as a reply takes.
func (r Requests) Log(ctx context.Context, session string, shard core.Shard, from core.Seq,
	limit int) (*proto.Logged, error) {
	return ask[*proto.Logged](ctx, r, &proto.Log{Session: session, Shard: proto.Shard(shard),
		From: from, Max: limit})
}

// Exists reports whether there is something at a path of the daemon's machine.
func (r Requests) Exists(ctx context.Context, path string) (bool, error) {
	err := r.do(ctx, &proto.Exists{Path: path})
	if core.CodeOf(err) == core.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}
