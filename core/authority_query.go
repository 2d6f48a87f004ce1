package core

// Attachment returns the attachment of a connection; not ok before its hello.
func (a *Authority) Attachment(c ConnID) (AttachmentID, bool) {
	p := a.peer(c)
	if p == nil {
		return 0, false
	}
	return p.att, true
}

// Connected reports whether an attachment has a connection.
func (a *Authority) Connected(at AttachmentID) bool { return a.connOf(at) != 0 }

// Since returns the kept batches of a shard after a sequence number and the mark before the first
// of them, which is later than asked for if older ones are no longer kept.
func (a *Authority) Since(s Shard, after Seq) ([]*Sealed, Mark, bool) {
	sl, ok := a.shards[s]
	if !ok {
		return nil, Mark{}, false
	}
	before := sl.base
	for i, b := range sl.tail {
		if b.Last() > after {
			return sl.tail[i:], before, true
		}
		before = b.Mark()
	}
	return nil, before, true
}

// Waiting is how many proposals have no answer yet.
func (a *Authority) Waiting() int { return len(a.calls) }
