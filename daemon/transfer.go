package daemon

import (
	"context"
	"io"
	"sync"

	"apex/core"
	"apex/proto"
)

// maxTransfers is how many sessions may be on their way, in or out, at a time: each holds a state
// that would else be free, or a directory.
const maxTransfers = 4

// transfers are the sessions that are on their way. One belongs to a connection, and ends with it.
type transfers struct {
	mu   sync.Mutex
	last uint64
	open map[uint64]*transfer
}

// transfer is a session on its way: a goroutine at one end of a pipe, requests at the other.
type transfer struct {
	ctx  context.Context // of its connection
	out  *io.PipeReader  // of an export
	in   *io.PipeWriter  // of an import
	done chan imported   // of an import; buffered
	stop func(error)
	free []func() bool // takes back what would cut it
}

// imported is how an import went.
type imported struct {
	s     *session
	label string
	err   error
}

var errCutOff = core.Errorf(core.CodeUnavailable, "the transfer was cut off")

// beginTransfer enters a transfer, which ends with the connection or the daemon at the latest.
func (d *Daemon) beginTransfer(ctx context.Context, t *transfer) (uint64, error) {
	x := &d.transfers
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.open) >= maxTransfers {
		return 0, core.Errorf(core.CodeBusy, "%d sessions are being moved already", maxTransfers)
	}
	if x.open == nil {
		x.open = map[uint64]*transfer{}
	}
	x.last++
	id := x.last
	t.ctx = ctx
	cut := func() {
		t.stop(errCutOff)
		d.endTransfer(id)
	}
	t.free = []func() bool{context.AfterFunc(ctx, cut), context.AfterFunc(d.stopped, cut)}
	x.open[id] = t
	return id, nil
}

func (d *Daemon) endTransfer(id uint64) {
	d.transfers.mu.Lock()
	defer d.transfers.mu.Unlock()
	t := d.transfers.open[id]
	if t == nil {
		return
	}
	for _, free := range t.free {
		free()
	}
	delete(d.transfers.open, id)
}

// transfer finds a transfer of a connection.
func (d *Daemon) transfer(ctx context.Context, id uint64) (*transfer, error) {
	d.transfers.mu.Lock()
	defer d.transfers.mu.Unlock()
	if t := d.transfers.open[id]; t != nil && t.ctx == ctx {
		return t, nil
	}
	return nil, core.Errorf(core.CodeNotFound, "no transfer %d of this connection", id)
}

// export answers with the next piece of a session.
func (d *Daemon) export(ctx context.Context, r *proto.Export) (proto.Reply, error) {
	id := r.Transfer
	if id == 0 {
		s, err := d.reg.session(r.Session)
		if err != nil {
			return nil, err
		}
		out, in := io.Pipe()
		id, err = d.beginTransfer(ctx, &transfer{out: out, stop: func(err error) { out.CloseWithError(err) }})
		if err != nil {
			return nil, err
		}
		d.tasks.Go(func() { in.CloseWithError(s.export(in)) })
	}
	t, err := d.transfer(ctx, id)
	if err == nil && t.out == nil {
		err = core.Errorf(core.CodeBadRequest, "transfer %d is an import", id)
	}
	if err != nil {
		return nil, err
	}
	piece := &proto.Piece{Transfer: id, Bytes: make([]byte, proto.PieceMaxBytes)}
	n, err := io.ReadFull(t.out, piece.Bytes)
	piece.Bytes = piece.Bytes[:n]
	if err == nil {
		return piece, nil
	}
	d.endTransfer(id)
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, core.Errorf(cmpCode(core.CodeOf(err), core.CodeUnavailable), "not exported: %v", err)
	}
	piece.Last = true
	return piece, nil
}

// cmpCode is an error's code, or another one if it has none of its own.
func cmpCode(c, other core.Code) core.Code {
	if c == "" || c == core.CodeInternal {
		return other
	}
	return c
}

// imports takes the next piece of a session.
func (d *Daemon) imports(ctx context.Context, r *proto.Import) (proto.Reply, error) {
	id := r.Transfer
	if id == 0 {
		if r.Label != "" {
			if err := core.CheckLabel(r.Label); err != nil {
				return nil, err
			}
			if _, err := d.reg.find(r.Label); err == nil {
				return nil, errTakenLabel(r.Label)
			}
		}
		out, in := io.Pipe()
		t := &transfer{in: in, done: make(chan imported, 1), stop: func(err error) { in.CloseWithError(err) }}
		var err error
		if id, err = d.beginTransfer(ctx, t); err != nil {
			return nil, err
		}
		d.tasks.Go(func() {
			got := d.takeIn(out, r.Label)
			out.CloseWithError(errCutOff) // whoever still writes need not wait
			t.done <- got
		})
	}
	t, err := d.transfer(ctx, id)
	if err == nil && t.in == nil {
		err = core.Errorf(core.CodeBadRequest, "transfer %d is an export", id)
	}
	if err != nil {
		return nil, err
	}
	_, err = t.in.Write(r.Bytes)
	if err == nil && !r.Last {
		return &proto.Piece{Transfer: id}, nil
	}
	t.in.Close()
	got := <-t.done // one that refused says why
	d.endTransfer(id)
	if got.err != nil {
		return nil, got.err
	}
	if got.s == nil {
		return nil, errCutOff
	}
	return &proto.Sessions{Sessions: []proto.SessionInfo{got.s.summary(got.label)}}, nil
}

func errTakenLabel(label string) error {
	return core.Errorf(core.CodeExists, "session %q exists: --name NAME gives this one another label", label)
}
