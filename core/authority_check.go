package core

// Replicas are held against the daemon's state when a shard has been quiet: each entry's chain value
// says that they applied the same bytes, and a Check that the same bytes led to the same state.

const (
	// checkQuiet is how long a shard has had no new entry, in Millis, before it is checked: longer
	// than people pause while they type, so that no key waits for a hash.
	checkQuiet = 5_000
	// checkMaxBytes is the longest text that is checked: hashing takes a client 20 ms, in which
	// its screen stands still.
	checkMaxBytes = 64 << 20
)

// quietShard is a shard that changed, and when it is looked at next.
type quietShard struct {
	shard Shard
	at    Millis
}

// changed notes that a shard has a new entry, or a replica that was not checked.
func (a *Authority) changed(s Shard) {
	if _, queued := a.changes[s]; !queued {
		a.quiet = append(a.quiet, quietShard{s, a.now + checkQuiet})
	}
	a.changes[s] = a.now
}

// checkDue asks for the hashes of shards that have been quiet since they changed, if anybody has a
// replica to compare.
func (a *Authority) checkDue() {
	for len(a.quiet) > 0 && a.quiet[0].at <= a.now {
		s := a.quiet[0].shard
		a.quiet = a.quiet[1:]
		if at := a.changes[s] + checkQuiet; at > a.now {
			a.quiet = append(a.quiet, quietShard{s, at})
			continue
		}
		delete(a.changes, s)
		sl, ok := a.shards[s]
		if !ok || len(a.replicas(s)) == 0 {
			continue
		}
		if b := sl.Buffer(); b != nil && b.Text.Bytes() > checkMaxBytes {
			continue
		}
		a.effect(&HashState{sl.ShardState})
	}
	if len(a.quiet) == 0 {
		a.quiet = nil
	}
}

// replicas are the connections that have a replica of a shard: who follows it, and who leads it.
func (a *Authority) replicas(s Shard) []ConnID {
	var out []ConnID
	if f := a.fans[s]; f != nil {
		out = append(append(out, f.eager...), f.durable...)
	}
	l, _ := a.Meta().Lease(s)
	leader := a.connOf(l.Holder)
	for _, c := range out {
		if c == leader {
			return out
		}
	}
	if leader != 0 && !a.peer(leader).behind {
		out = append(out, leader)
	}
	return out
}

// hashed tells replicas the hash that was asked for, if the shard is still quiet. It goes after
// everything that was sent of the shard before.
func (a *Authority) hashed(in *Hashed) {
	sl, ok := a.shards[in.Shard]
	if !ok || sl.Mark != in.Mark {
		return // it is checked when it is quiet again
	}
	if to := a.replicas(in.Shard); len(to) > 0 {
		a.later(Send{To: to, Msg: &Check{in.Shard, in.Mark.Seq, in.Hash}})
	}
}

// diverged tells the daemon that a replica differs.
func (a *Authority) diverged(p *peer, m *Diverged) {
	a.effect(&Differs{Conn: p.conn, Attachment: p.att, Shard: m.Shard, Seq: m.Seq})
}
