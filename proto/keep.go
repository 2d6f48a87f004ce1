package proto

import "apex/core"

// Requests about how sessions are kept: verifying, the trash, moving.

// Fsck verifies what is on disk of sessions; Checked answers it.
type Fsck struct {
	Session string `cbor:"1,keyasint,omitempty"` // a label, or the first digits of an id; empty: all
	Ended   bool   `cbor:"2,keyasint,omitempty"` // those that have ended too
	// Shard, if it is set, is followed through all generations that are kept.
	Shard Shard `cbor:"3,keyasint,omitzero"`
}

// EndedList asks for the sessions that have ended and are kept; EndedSessions answers it.
type EndedList struct{}

// SessionRestore brings a session that has ended back; Sessions answers it, with that one. Programs
// of it are not started again.
type SessionRestore struct {
	Session string `cbor:"1,keyasint,omitempty"` // a label, the newest of it; or the first digits of an id
	As      string `cbor:"2,keyasint,omitempty"` // its label from now on; empty: the one that it had
}

// Export asks for a session as one portable file, piece by piece: the first request names the
// session, those after it the transfer that the first Piece names. A transfer is of one connection,
// and ends with it.
type Export struct {
	Session  string `cbor:"1,keyasint,omitempty"`
	Transfer uint64 `cbor:"2,keyasint,omitempty"` // 0: begin one
}

// Import makes a session of what Export gave, piece by piece: the first request has no transfer, and
// is answered by a Piece that names one. The last one is answered by Sessions, with the new session.
type Import struct {
	Transfer uint64 `cbor:"1,keyasint,omitempty"` // 0: begin one
	Label    string `cbor:"2,keyasint,omitempty"` // in the first; empty: the one that it had
	Bytes    []byte `cbor:"3,keyasint,omitempty"` // at most PieceMaxBytes
	Last     bool   `cbor:"4,keyasint,omitempty"`
}

// PieceMaxBytes bounds one piece of a transfer.
const PieceMaxBytes = 1 << 20

// Piece answers Export, and Import but for the last one.
type Piece struct {
	Transfer uint64 `cbor:"1,keyasint,omitempty"`
	Bytes    []byte `cbor:"2,keyasint,omitempty"`
	Last     bool   `cbor:"3,keyasint,omitempty"`
}

// Checked answers Fsck.
type Checked struct {
	Sessions []SessionCheck `cbor:"1,keyasint,omitempty"`
}

// SessionCheck is what was verified of one session, and what was found.
type SessionCheck struct {
	Label       string    `cbor:"1,keyasint,omitempty"` // empty if it could not be read
	ID          string    `cbor:"2,keyasint,omitempty"` // the name of its directory
	Ended       bool      `cbor:"3,keyasint,omitempty"`
	Generations int       `cbor:"4,keyasint,omitempty"`
	Bytes       int64     `cbor:"5,keyasint,omitempty"`
	Records     int       `cbor:"6,keyasint,omitempty"`
	Snapshots   int       `cbor:"7,keyasint,omitempty"` // of shards, decoded
	Compared    int       `cbor:"8,keyasint,omitempty"` // of shards, with what the records before lead to
	Live        bool      `cbor:"9,keyasint,omitempty"` // compared with the daemon's memory too
	Findings    []Finding `cbor:"10,keyasint,omitempty"`
	Notes       []string  `cbor:"11,keyasint,omitempty"` // what is worth knowing and not wrong
	Log         *ShardLog `cbor:"12,keyasint,omitempty"` // of Fsck.Shard
}

// Finding is something that is wrong.
type Finding struct {
	File   string `cbor:"1,keyasint,omitempty"` // in the session's directory; empty: in memory
	Offset int64  `cbor:"2,keyasint,omitempty"`
	Length int64  `cbor:"3,keyasint,omitempty"` // bytes; 0: something is missing there
	Shard  string `cbor:"4,keyasint,omitempty"` // if it is known to be one's
	What   string `cbor:"5,keyasint,omitempty"`
}

// ShardLog is how far a shard's log was followed.
type ShardLog struct {
	From    core.Seq  `cbor:"1,keyasint,omitempty"` // the first entry that is kept; 0: none is
	To      core.Seq  `cbor:"2,keyasint,omitempty"`
	Batches int       `cbor:"3,keyasint,omitempty"`
	Proofs  int       `cbor:"4,keyasint,omitempty"` // places at which the chain's value is on record
	Chain   core.Hash `cbor:"5,keyasint,omitzero"`  // after To
}

// EndedSessions answers EndedList, the newest first.
type EndedSessions struct {
	Sessions []EndedSession `cbor:"1,keyasint,omitempty"`
}

// EndedSession is a session that has ended. It is kept until then, or until newer ones need its room.
type EndedSession struct {
	Label string      `cbor:"1,keyasint,omitempty"`
	ID    string      `cbor:"2,keyasint,omitempty"`
	At    core.Millis `cbor:"3,keyasint,omitempty"`
	Until core.Millis `cbor:"4,keyasint,omitempty"`
	Bytes int64       `cbor:"5,keyasint,omitempty"`
}

func (*Fsck) request()           {}
func (*EndedList) request()      {}
func (*SessionRestore) request() {}
func (*Export) request()         {}
func (*Import) request()         {}

func (*Piece) reply()         {}
func (*Checked) reply()       {}
func (*EndedSessions) reply() {}

func (r *Import) check() error {
	if len(r.Bytes) > PieceMaxBytes {
		return badf("piece of %d bytes, at most %d", len(r.Bytes), PieceMaxBytes)
	}
	return nil
}
