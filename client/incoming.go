package client

import (
	"errors"
	"net"
	"os"
	"time"

	"apex/core"
	"apex/proto"
)

// incoming is the half of a connection that is read. No goroutine is there to read it: who waits
// for the daemon reads, and takes in for the others what is theirs. An answer then reaches who
// waits for it on the thread that the kernel woke; from a reader's goroutine it takes another
// thread, on the other core as a rule, which costs more than all the rest of a request.
//
// One goroutine at a time reads: who has taken the value out of turn, and puts it back. Who waits
// for something else than the socket too says so by interrupt:
//
//  1. who waits asks whether it has what it waits for, and reads if not;
//  2. who brings something else brings it first, and then interrupts;
//  3. an interrupted reader clears the interrupt first, and then asks again.
//
// So nothing that was brought is missed. An interrupt that meets nobody makes the next reader ask
// once more, in vain.
type incoming struct {
	turn chan struct{} // capacity 1
	nc   net.Conn
	to   sink // nil for a connection that only asks

	// Of who has the turn:
	r         *proto.Reader
	snapshots *proto.SnapshotAssembler
	bytes     int // of the frames of the message that is being put together
}

// sink takes in what is neither a reply nor a failure.
type sink interface {
	// put takes a message, which came in frames of so many bytes, and never waits.
	put(m any, bytes int)
	// room waits until there is room for a message, or enough says that none is wanted.
	room(enough func() bool)
	// ask makes room ask enough again.
	ask()
}

// past is a deadline that has passed.
var past = time.Unix(1, 0)

func newIncoming(nc net.Conn, r *proto.Reader, to sink) *incoming {
	in := &incoming{turn: make(chan struct{}, 1), nc: nc, to: to, r: r,
		snapshots: proto.NewSnapshotAssembler(proto.MaxSnapshotBytes)}
	in.turn <- struct{}{}
	return in
}

// interrupt makes whoever reads ask whether it has enough. Any goroutine may call it.
func (in *incoming) interrupt() {
	in.nc.SetReadDeadline(past)
	if in.to != nil {
		in.to.ask()
	}
}

// next reads a message and returns it if it is not for the sink; nil after an interrupt too.
func (in *incoming) next(enough func() bool) (proto.Message, error) {
	if in.to != nil {
		in.to.room(enough)
	}
	frame, err := in.r.ReadFrame()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, in.nc.SetReadDeadline(time.Time{})
	}
	if err != nil {
		return nil, err
	}
	m, err := proto.Decode(proto.FromDaemon, frame)
	if err != nil {
		return nil, err
	}
	in.bytes += len(frame)
	switch m := m.(type) {
	case *proto.Return, *core.Failure:
		in.bytes = 0
		return m, nil
	case *proto.SnapshotChunk:
		state, whole, err := in.snapshots.Add(m)
		if err != nil || !whole {
			return nil, err
		}
		in.deliver(&core.Snapshot{State: state})
	default:
		in.deliver(m)
	}
	return nil, nil
}

func (in *incoming) deliver(m any) {
	if in.to != nil {
		in.to.put(m, in.bytes)
	}
	in.bytes = 0
}
