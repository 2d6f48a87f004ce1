package proto

import (
	"apex/core"
	"apex/core/codec"
)

// Message is what has a frame of its own: *Server, *Client, *Call, *Return, *SnapshotChunk, *Here,
// *Presence, *Pointer, and core's messages but three: *core.Hello travels in an Attach,
// *core.Welcome in an Attached, and *core.Snapshot in chunks.
type Message any

// Call is a request on its way. IDs are the caller's; it doesn't reuse one that is unanswered.
type Call struct {
	ID      uint64
	Request Request
}

// Return answers the Call with its ID, exactly once: with Reply, or with Err.
type Return struct {
	ID    uint64
	Reply Reply  // nil if Err is set
	Err   *Error // nil if Reply is set
}

// SnapshotChunk is a piece of a shard's snapshot. The pieces of one snapshot come in order; index
// 0 begins it anew, whatever came before.
type SnapshotChunk struct {
	Shard core.Shard
	Index int
	Last  bool
	Bytes []byte // aliases the frame
}

// Here renews the sender's presence and says what it looks at.
type Here struct {
	View   core.View // zero for nothing
	Q0, Q1 int       // the dot there, runes
}

// Presence is the session's whole roster: one is enough to be right.
type Presence struct{ Peers []Peer }

// Peer is somebody who is in a session.
type Peer struct {
	// ID stays the same while the peer is there: a7 for attachment 7; for somebody who only
	// proposes, a name that is made of the session and the actor.
	ID         string            `cbor:"1,keyasint,omitempty"`
	Attachment core.AttachmentID `cbor:"2,keyasint,omitempty"` // 0 for one who only proposes
	Kind       core.AttachKind   `cbor:"3,keyasint,omitempty"`
	Name       string            `cbor:"4,keyasint,omitempty"` // what the client calls itself
	Actor      string            `cbor:"5,keyasint,omitempty"`
	Since      core.Millis       `cbor:"6,keyasint,omitempty"`
	TTL        core.Millis       `cbor:"7,keyasint,omitempty"` // what is left of it
	View       View              `cbor:"8,keyasint,omitzero"`  // what it looks at
	Q0         int               `cbor:"9,keyasint,omitempty"` // the dot there, runes
	Q1         int               `cbor:"10,keyasint,omitempty"`
	Leads      bool              `cbor:"11,keyasint,omitempty"` // the layout
}

// Pointer is where a peer points. A client sends its own with From 0; the daemon fills it in.
type Pointer struct {
	From   core.AttachmentID
	View   core.View
	Q0, Q1 int // runes
}

// maxPeers bounds a roster: every attachment, and as many agents that only propose.
const maxPeers = 2 * core.MaxAttachments

func (m *SnapshotChunk) append(b []byte) []byte {
	return append(m.appendHead(b), m.Bytes...)
}

// appendHead appends everything but the bytes.
func (m *SnapshotChunk) appendHead(b []byte) []byte {
	b = codec.AppendUint(codec.AppendArray(b, 6), uint64(nSnapshot))
	b = appendShard(b, m.Shard)
	b = codec.AppendUint(b, uint64(m.Index))
	b = codec.AppendBool(b, m.Last)
	return codec.AppendBytesHead(b, len(m.Bytes))
}

func (m *Here) fields(f *codec.Fields) {
	viewFields(f, &m.View)
	codec.Num(f, &m.Q0)
	codec.Num(f, &m.Q1)
}

func (m *Pointer) fields(f *codec.Fields) {
	attachment(f, &m.From)
	viewFields(f, &m.View)
	codec.Num(f, &m.Q0)
	codec.Num(f, &m.Q1)
}

func (m *Presence) fields(f *codec.Fields) { bounded(f, maxPeers, &m.Peers, peerFields) }

func peerFields(f *codec.Fields, p *Peer) {
	f.String(&p.ID)
	attachment(f, &p.Attachment)
	codec.Num(f, &p.Kind)
	f.String(&p.Name)
	f.String(&p.Actor)
	codec.Num(f, &p.Since)
	codec.Num(f, &p.TTL)
	viewFields(f, (*core.View)(&p.View))
	codec.Num(f, &p.Q0)
	codec.Num(f, &p.Q1)
	f.Bool(&p.Leads)
}
