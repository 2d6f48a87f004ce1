package proto

import "apex/core"

// LeaseList asks for the leases that tools hold or wait for; Leases answers it.
type LeaseList struct {
	Session string `cbor:"1,keyasint,omitempty"`
	// All asks for those of the daemon and of people's interfaces too.
	All bool `cbor:"2,keyasint,omitempty"`
}

// LeaseRelease asks the tool that holds the lease of a text to give it back; Done answers it when the
// tool has been asked. It is taken from one that does not within half a second. A text whose lease no
// tool holds is not_found; one whose lease has another epoch than Epoch is fenced.
type LeaseRelease struct {
	Session string     `cbor:"1,keyasint,omitempty"`
	Win     string     `cbor:"2,keyasint,omitempty"` // a window, or a buffer by its id
	Epoch   core.Epoch `cbor:"3,keyasint,omitempty"` // of the lease that is meant; 0: whichever
}

// Leases answers LeaseList, ordered by shard.
type Leases struct {
	Leases []LeaseInfo `cbor:"1,keyasint,omitempty"`
}

// LeaseInfo is one lease.
type LeaseInfo struct {
	Shard   Shard             `cbor:"1,keyasint,omitzero"`
	Text    string            `cbor:"2,keyasint,omitempty"` // the buffer's name
	Holder  core.AttachmentID `cbor:"3,keyasint,omitempty"` // 0: the daemon
	Kind    core.AttachKind   `cbor:"4,keyasint,omitempty"` // of the holder
	Actor   string            `cbor:"5,keyasint,omitempty"` // of the holder
	Name    string            `cbor:"6,keyasint,omitempty"` // what the holder calls itself
	Epoch   core.Epoch        `cbor:"7,keyasint,omitempty"`
	TTL     core.Millis       `cbor:"8,keyasint,omitempty"` // 0: until it is given back
	Left    core.Millis       `cbor:"9,keyasint,omitempty"` // of the TTL, if it is not renewed
	Waiting int               `cbor:"10,keyasint,omitempty"`
}

func (*LeaseList) request()    {}
func (*LeaseRelease) request() {}
func (*Leases) reply()         {}

func (r *LeaseRelease) check() error {
	if r.Epoch > core.MaxEpoch {
		return badf("epoch %d exceeds %d", r.Epoch, core.MaxEpoch)
	}
	return nil
}
