package core

// The messages between a client's Replica and the daemon's Authority. Package proto gives them
// their bytes.

// ConnID names a connection within one daemon process. It is never reused.
type ConnID uint64

// Msg is a message in either direction.
type Msg interface{ msg() }

// From client to daemon.

// Hello attaches a client to the session, or with Resume takes its attachment up again.
type Hello struct {
	Kind   AttachKind
	Name   string
	Actor  string
	Seen   Epoch // the highest epoch that the client ever saw
	Resume *Credential
}

// Credential proves that a client owns an attachment.
type Credential struct {
	ID     AttachmentID
	Secret [32]byte
}

// Append hands over what a leader did: the batches, in order, of shards that it leads or makes.
// The whole message is admitted or none of it.
type Append struct {
	New     []Shard
	Del     []Shard
	Batches []*Sealed
}

// Follow subscribes to shards. From is the mark that the client has, nil for none.
type Follow struct {
	Shards []FollowShard
}

// FollowShard is one subscription.
type FollowShard struct {
	Shard Shard
	From  *Mark
}

// Unfollow ends subscriptions.
type Unfollow struct{ Shards []Shard }

// Take asks for leases: a tool for TTL after each Renew, others until they give them back.
type Take struct {
	Shards []Shard
	TTL    Millis
}

// Renew says that a client is there: the leases that it has for a time last for all of it again.
type Renew struct{}

// Release gives leases up: nothing that follows on the connection is appended under them.
type Release struct{ Shards []Shard }

// Propose asks whoever leads to make a change; Applied answers it by ID.
type Propose struct {
	ID       uint64
	Proposal Proposal
}

// Answer is a leader's answer to an Evaluate. With Follows, a batch with the intent comes next on
// the connection, and the proposer is told when that is durable.
type Answer struct {
	Call    uint64
	Result  Result
	Follows bool
}

// Bye ends the attachment: the client leaves for good.
type Bye struct{}

// Diverged says that the replica's state of a shard is another than a Check says; it takes a
// snapshot.
type Diverged struct {
	Shard Shard
	Seq   Seq
}

// From daemon to client.

// Welcome answers Hello.
type Welcome struct {
	Attachment AttachmentID
	Secret     [32]byte
	Session    SessionID
	Next       uint64 // the attachment's next id counter
	Epoch      Epoch  // at which the shards that it makes start
	Resumed    bool
	Heads      []Head // every shard's mark, ordered by shard
	// Unkept says that the disk refuses: nothing in this is promised, a daemon that dies now forgets
	// it, and the metalog that follows is as it is in memory.
	Unkept bool
}

// Head is a shard's mark.
type Head struct {
	Shard Shard
	Mark  Mark
}

// Snapshot is a shard's state for a follower. On its way it is encoded in chunks, outside the
// owner of the session.
type Snapshot struct{ State ShardState }

// Deliver forwards stored or about-to-be-stored batches of followed shards, in order.
type Deliver struct{ Batches []*Sealed }

// CaughtUp says that the follower has everything up to a mark.
type CaughtUp struct {
	Shard Shard
	Mark  Mark
}

// Ack says that a leader's batches are on disk, cumulatively by shard.
type Ack struct{ Heads []Head }

// Refused says that a message had no effect: a batch was not admitted or could not be applied.
// The client follows the shards afresh and recovers what it had not been acknowledged.
type Refused struct {
	Shards []Shard
	Err    *Error
}

// NotTaken answers a Take of which nothing came.
type NotTaken struct {
	Shards []Shard
	Err    *Error
}

// Asked says that somebody waits for leases that the client holds.
type Asked struct{ Shards []Shard }

// Evaluate asks a leader to evaluate a proposal.
type Evaluate struct {
	Call     uint64
	Proposal Proposal
}

// ProposeResult answers Propose.
type ProposeResult struct {
	ID     uint64
	Result Result
}

// Resync says that entries of these shards were dropped because the client was too slow: fresh
// snapshots follow, and CaughtUp.
type Resync struct{ Shards []Shard }

// Check lets a replica compare itself: the hash of a shard's canonical encoding at a mark.
type Check struct {
	Shard Shard
	Seq   Seq
	Hash  Hash
}

// Draining says that the daemon is stopping; the client waits and connects again.
type Draining struct{}

// Failure ends a connection with a coded error.
type Failure struct{ Err *Error }

func (*Hello) msg()         {}
func (*Append) msg()        {}
func (*Follow) msg()        {}
func (*Unfollow) msg()      {}
func (*Take) msg()          {}
func (*Renew) msg()         {}
func (*Release) msg()       {}
func (*Propose) msg()       {}
func (*Answer) msg()        {}
func (*Bye) msg()           {}
func (*Diverged) msg()      {}
func (*Welcome) msg()       {}
func (*Snapshot) msg()      {}
func (*Deliver) msg()       {}
func (*CaughtUp) msg()      {}
func (*Ack) msg()           {}
func (*Refused) msg()       {}
func (*NotTaken) msg()      {}
func (*Asked) msg()         {}
func (*Evaluate) msg()      {}
func (*ProposeResult) msg() {}
func (*Resync) msg()        {}
func (*Check) msg()         {}
func (*Draining) msg()      {}
func (*Failure) msg()       {}
