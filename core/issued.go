package core

import "fmt"

// Issued is the highest of everything that a session gave out and must never give out again. It is
// collected from a log's batches; Check holds a state against it.
type Issued struct {
	attachment AttachmentID
	epoch      Epoch
	counters   map[AttachmentID]uint64 // of ids, by creator
}

// Note takes a batch's into account.
func (i *Issued) Note(b *Batch) {
	i.epoch = max(i.epoch, b.Epoch)
	i.attachment = max(i.attachment, b.Attachment)
	for k := range b.Ops {
		switch o := b.Ops[k].Body.(type) {
		case *ShardNew:
			i.epoch = max(i.epoch, o.Epoch)
			i.id(o.Shard.ID)
		case *Attach:
			i.attachment = max(i.attachment, o.ID)
			i.epoch = max(i.epoch, o.Epoch)
		case *LeaseGrant:
			i.epoch = max(i.epoch, o.Epoch)
		case *LeaseReclaim:
			i.epoch = max(i.epoch, o.Epoch)
		case *ProcStart:
			i.id(ID(o.Proc))
		}
	}
}

func (i *Issued) id(id ID) {
	if i.counters == nil {
		i.counters = map[AttachmentID]uint64{}
	}
	i.counters[id.Creator()] = max(i.counters[id.Creator()], id.Counter())
}

// State takes in what a state itself shows to have been given out.
func (i *Issued) State(m *Meta) {
	for k := range m.Leases {
		i.epoch = max(i.epoch, m.Leases[k].Epoch)
	}
	for k := range m.Attachments {
		i.attachment = max(i.attachment, m.Attachments[k].ID)
		i.epoch = max(i.epoch, m.Attachments[k].Epoch)
	}
	for _, s := range m.Shards {
		i.id(s.ID)
	}
	for k := range m.Procs {
		i.id(ID(m.Procs[k].Proc))
	}
}

// Check says which of a state's counters are below what was given out.
func (i *Issued) Check(m *Meta) []string {
	var low []string
	if m.NextAttach <= i.attachment {
		low = append(low, fmt.Sprintf("the next attachment would be %d, and %d was given out",
			m.NextAttach, i.attachment))
	}
	if m.MaxEpoch < i.epoch {
		low = append(low, fmt.Sprintf("the highest epoch is said to be %d, and %d was given out",
			m.MaxEpoch, i.epoch))
	}
	below := func(who string, next, given uint64) {
		if given > 0 && next <= given {
			low = append(low, fmt.Sprintf("the next id of %s would be %d, and %d was given out",
				who, next, given))
		}
	}
	below("the daemon", m.ServerNext, i.counters[Server])
	for k := range m.Attachments {
		a := &m.Attachments[k]
		below(fmt.Sprintf("attachment %d", a.ID), a.Next, i.counters[a.ID])
	}
	return low
}

// raise brings a state's counters to what was given out at least.
func (i *Issued) raise(m *Meta) {
	if i.attachment > 0 || m.NextAttach > 0 { // the state of a log without an entry has none
		m.NextAttach = max(m.NextAttach, i.attachment+1)
	}
	m.MaxEpoch = max(m.MaxEpoch, i.epoch)
	if n := i.counters[Server]; n > 0 {
		m.ServerNext = max(m.ServerNext, n+1)
	}
	for k := range m.Attachments {
		a := &m.Attachments[k]
		if n := i.counters[a.ID]; n > 0 {
			a.Next = max(a.Next, n+1)
		}
	}
}
