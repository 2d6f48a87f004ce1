package core

// Input is something that happens to an Authority.
type Input interface{ input() }

// Received is a message from a connection. Secret is fresh randomness for a Hello.
type Received struct {
	Conn   ConnID
	Msg    Msg
	Secret [32]byte
}

// Closed says that a connection is gone.
type Closed struct{ Conn ConnID }

// Overflowed says that a connection's queue passed its bound and what was queued of its shards'
// entries was dropped.
type Overflowed struct{ Conn ConnID }

// Drained says that a connection that overflowed has taken everything that was left.
type Drained struct{ Conn ConnID }

// Stored says that more of what was handed out in Ready.Store is on disk than before.
type Stored struct {
	All bool // nothing waits for the disk
}

// StoreFailed says that the disk refused: nothing after what was Stored is known to be on disk.
type StoreFailed struct {
	Why string // for people; may be empty
}

// StoreRevived says that a fresh generation holds everything; Stored follows.
type StoreRevived struct{}

// Tick lets deadlines pass.
type Tick struct{}

// Local asks for a change on the daemon's own behalf, or for a client without an attachment. The
// Result comes back as an Effect with the tag.
type Local struct {
	Tag      uint64
	Proposal Proposal
	// Unkept says that it is asked for by a person's interface, which knows that nothing is kept: it
	// is taken while the disk refuses, as what is typed is.
	Unkept bool
}

// Recall asks the tool that holds a lease to give it back; it is taken from one that does not in
// time. Of a lease that no tool holds nothing comes.
type Recall struct{ Shard Shard }

// Drain refuses new work; what is stored is told.
type Drain struct{}

// Hashed answers HashState.
type Hashed struct {
	Shard Shard
	Mark  Mark
	Hash  Hash
}

func (*Received) input()     {}
func (*Closed) input()       {}
func (*Overflowed) input()   {}
func (*Drained) input()      {}
func (*Stored) input()       {}
func (*StoreFailed) input()  {}
func (*StoreRevived) input() {}
func (*Tick) input()         {}
func (*Local) input()        {}
func (*Recall) input()       {}
func (*Drain) input()        {}
func (*Hashed) input()       {}

// Ready is everything that leaves the core after a step.
type Ready struct {
	// Store is one record: its batches go to the journal in this order, all or nothing. Records
	// are numbered from 1 in the order in which they were handed out; nil takes no number.
	Store []*Sealed
	// SendNow goes out without waiting for the disk.
	SendNow []Send
	// AfterStore is due when this record and all before it are on disk: in the order of the
	// steps, at once if nothing is waiting for the disk.
	AfterStore After
}

// After is what has to wait until what it speaks of is durable.
type After struct {
	Send    []Send
	Effects []Effect
}

// Send is one message to several connections.
type Send struct {
	To     []ConnID // not to be changed
	Except ConnID   // left out of To; 0 for none
	Msg    Msg
}

// Effect is something for the daemon to do in the world.
type Effect interface{ effect() }

// RunExec asks for the effect of a command, once. The daemon answers with AskStatus.
type RunExec struct {
	Window WindowID // 0: it was executed in a tag outside windows
	At     Seq      // of the Exec entry
	Author Author
	Exec   Exec
	Buffer *Buffer // what it acts on, as it was when the entry was stored; nil if it is gone
}

// Resolved answers a Local.
type Resolved struct {
	Tag    uint64
	Result Result
}

// CloseConn ends a connection after what was sent to it.
type CloseConn struct{ Conn ConnID }

// HashState asks for the hash of a state, worked out beside the session; Hashed brings it.
type HashState struct{ State ShardState }

// Differs says that a client's replica of a shard was found to be another than the daemon's.
type Differs struct {
	Conn       ConnID
	Attachment AttachmentID
	Shard      Shard
	Seq        Seq
}

func (*RunExec) effect()   {}
func (*Resolved) effect()  {}
func (*CloseConn) effect() {}
func (*HashState) effect() {}
func (*Differs) effect()   {}
