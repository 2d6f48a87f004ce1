package core

import "apex/core/codec"

// AttachKind says what kind of client an attachment is.
type AttachKind uint8

// The kinds of attachment.
const (
	AttachInvalid  AttachKind = iota
	AttachUI                  // a person's UI: takes leases when it attaches
	AttachTool                // a script, tool or agent: follows and proposes
	AttachObserver            // a UI that watches: takes no lease
	attachKindEnd
)

var attachKindNames = [attachKindEnd]string{"invalid", "ui", "tool", "observer"}

func (k AttachKind) String() string {
	if k < attachKindEnd {
		return attachKindNames[k]
	}
	return "invalid"
}

// Bounds of what people name.
const (
	MaxLabelBytes = 64 // a session's label; fits every screen and every shell
	MaxPathBytes  = 4096
)

// SessionNew enters a session in the registry.
type SessionNew struct {
	Session SessionID
	Label   string
}

// SessionRename gives a session another label.
type SessionRename struct {
	Session SessionID
	Label   string
}

// SessionEnd takes a session out of the registry.
type SessionEnd struct{ Session SessionID }

// Identity is a session's first entry, written once. History identifies the store that this
// history began in.
type Identity struct {
	Session SessionID
	History [16]byte
	Created Millis
}

// Label sets the session's label.
type Label struct{ Label string }

// Place sets the session's directory on its host.
type Place struct{ Dir string }

// ShardNew creates a shard, led by Holder at Epoch from its first entry.
type ShardNew struct {
	Shard  Shard
	Holder AttachmentID
	Epoch  Epoch
}

// ShardDel deletes a shard.
type ShardDel struct{ Shard Shard }

// Attach admits a client. Secret is the BLAKE3 hash of the secret that resumes the attachment;
// the secret itself enters no shard.
type Attach struct {
	ID     AttachmentID
	Kind   AttachKind
	Name   string // what the client calls itself, as in "apex tui"
	Actor  string
	Secret Hash
	Since  Millis
	Epoch  Epoch // at which the shards that it creates start
}

// Detach ends an attachment.
type Detach struct {
	ID     AttachmentID
	Reason string
}

// Resume records that an attachment came back. It keeps its epochs.
type Resume struct{ ID AttachmentID }

// LeaseRequest records that an attachment asks for a lease that somebody else holds.
type LeaseRequest struct {
	Shard Shard
	By    AttachmentID
}

// LeaseRelease gives a lease up after entry At: nothing later is admitted under it.
type LeaseRelease struct {
	Shard Shard
	At    Seq
}

// LeaseGrant gives a lease to To: from then on it appends, from At + 1, under Epoch.
type LeaseGrant struct {
	Shard Shard
	To    AttachmentID
	Epoch Epoch
	At    Seq
}

// LeaseReclaim takes a lease from a holder that did not release it, and gives it to To.
type LeaseReclaim struct {
	Shard Shard
	To    AttachmentID
	Epoch Epoch
	At    Seq
}

func (*SessionNew) kind() OpKind    { return OpSessionNew }
func (*SessionRename) kind() OpKind { return OpSessionRename }
func (*SessionEnd) kind() OpKind    { return OpSessionEnd }
func (*Identity) kind() OpKind      { return OpIdentity }
func (*Label) kind() OpKind         { return OpLabel }
func (*Place) kind() OpKind         { return OpPlace }
func (*ShardNew) kind() OpKind      { return OpShardNew }
func (*ShardDel) kind() OpKind      { return OpShardDel }
func (*Attach) kind() OpKind        { return OpAttach }
func (*Detach) kind() OpKind        { return OpDetach }
func (*Resume) kind() OpKind        { return OpResume }
func (*LeaseRequest) kind() OpKind  { return OpLeaseRequest }
func (*LeaseRelease) kind() OpKind  { return OpLeaseRelease }
func (*LeaseGrant) kind() OpKind    { return OpLeaseGrant }
func (*LeaseReclaim) kind() OpKind  { return OpLeaseReclaim }

func (*SessionNew) shardKind() ShardKind    { return KindRegistry }
func (*SessionRename) shardKind() ShardKind { return KindRegistry }
func (*SessionEnd) shardKind() ShardKind    { return KindRegistry }
func (*Identity) shardKind() ShardKind      { return KindMeta }
func (*Label) shardKind() ShardKind         { return KindMeta }
func (*Place) shardKind() ShardKind         { return KindMeta }
func (*ShardNew) shardKind() ShardKind      { return KindMeta }
func (*ShardDel) shardKind() ShardKind      { return KindMeta }
func (*Attach) shardKind() ShardKind        { return KindMeta }
func (*Detach) shardKind() ShardKind        { return KindMeta }
func (*Resume) shardKind() ShardKind        { return KindMeta }
func (*LeaseRequest) shardKind() ShardKind  { return KindMeta }
func (*LeaseRelease) shardKind() ShardKind  { return KindMeta }
func (*LeaseGrant) shardKind() ShardKind    { return KindMeta }
func (*LeaseReclaim) shardKind() ShardKind  { return KindMeta }

func (o *SessionNew) fields(f *codec.Fields) {
	f.Fixed(o.Session[:])
	f.String(&o.Label)
}

func (o *SessionRename) fields(f *codec.Fields) {
	f.Fixed(o.Session[:])
	f.String(&o.Label)
}

func (o *SessionEnd) fields(f *codec.Fields) { f.Fixed(o.Session[:]) }

func (o *Identity) fields(f *codec.Fields) {
	f.Fixed(o.Session[:])
	f.Fixed(o.History[:])
	codec.Num(f, &o.Created)
}

func (o *Label) fields(f *codec.Fields) { f.String(&o.Label) }
func (o *Place) fields(f *codec.Fields) { f.String(&o.Dir) }

func (s *Shard) fields(f *codec.Fields) {
	codec.Num(f, &s.Kind)
	codec.Num(f, &s.ID)
}

func (o *ShardNew) fields(f *codec.Fields) {
	o.Shard.fields(f)
	codec.Num(f, &o.Holder)
	codec.Num(f, &o.Epoch)
}

func (o *ShardDel) fields(f *codec.Fields) { o.Shard.fields(f) }

func (o *Attach) fields(f *codec.Fields) {
	codec.Num(f, &o.ID)
	codec.Num(f, &o.Kind)
	f.String(&o.Name)
	f.String(&o.Actor)
	f.Fixed(o.Secret[:])
	codec.Num(f, &o.Since)
	codec.Num(f, &o.Epoch)
}

func (o *Detach) fields(f *codec.Fields) {
	codec.Num(f, &o.ID)
	f.String(&o.Reason)
}

func (o *Resume) fields(f *codec.Fields) { codec.Num(f, &o.ID) }

func (o *LeaseRequest) fields(f *codec.Fields) {
	o.Shard.fields(f)
	codec.Num(f, &o.By)
}

func (o *LeaseRelease) fields(f *codec.Fields) {
	o.Shard.fields(f)
	codec.Num(f, &o.At)
}

func (o *LeaseGrant) fields(f *codec.Fields) {
	o.Shard.fields(f)
	codec.Num(f, &o.To)
	codec.Num(f, &o.Epoch)
	codec.Num(f, &o.At)
}

func (o *LeaseReclaim) fields(f *codec.Fields) { (*LeaseGrant)(o).fields(f) }
