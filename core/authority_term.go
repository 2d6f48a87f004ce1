package core

import "apex/core/codec"

// A terminal's shard is made as others are, by a Bundle of the daemon that names it in New, and
// deleted by one that names it in Del. In between the daemon publishes states of it by SetTerm.
// Nothing of it goes to the disk: after a restart the metalog has the shard, and who follows it
// waits until the daemon has given it a state, or has deleted it.

// SetTerm publishes a terminal's newest state: one batch with what differs from the one before, or
// nothing if nothing does. It goes to followers at once. A state of another generation begins the
// shard's log anew, and a change that no batch holds goes on in it without one; followers then get
// the state whole. Of more than TermMarksMax marks the newest are taken. An error (not_found: the
// session has no such terminal) changes nothing. t is not to be changed from then on.
func (a *Authority) SetTerm(now Millis, id TermID, t *Term) (Ready, error) {
	a.begin(now)
	err := a.setTerm(id.Shard(), t)
	if err != nil {
		a.discard()
	}
	return a.finish(), err
}

func (a *Authority) setTerm(s Shard, t *Term) error {
	if !a.Meta().Has(s) {
		return Errorf(CodeNotFound, "no terminal %v", TermID(s.ID))
	}
	if t.Cols == 0 {
		return badf("a terminal of no columns")
	}
	if err := t.checkGrid(); err != nil {
		return err
	}
	if n := len(t.Marks) - TermMarksMax; n > 0 {
		kept := *t
		kept.Marks = t.Marks[n:]
		t = &kept
	}
	sl, ok := a.shards[s]
	if !ok || sl.Term().Generation != t.Generation {
		return a.beginTerm(s, t)
	}
	was := sl.Term()
	if was.Window != t.Window || was.Command != t.Command || was.Dir != t.Dir {
		return a.jumpTerm(sl, t)
	}
	ops := TermDiff(was, t)
	if len(ops) == 0 {
		return nil
	}
	err := a.stageOps(s, serverAuthor, IntentID{}, ops...)
	if CodeOf(err) == CodeTooLarge {
		a.discard()
		return a.jumpTerm(sl, t)
	}
	return err
}

// beginTerm begins the log of a terminal's shard. Its chain begins with the generation, so that no
// mark of an earlier log fits.
func (a *Authority) beginTerm(s Shard, t *Term) error {
	if err := t.checkRead(); err != nil {
		return err
	}
	st := NewShardState(a.history, a.session, s)
	st.Mark.Chain = extend(st.Mark.Chain, codec.AppendUint(nil, t.Generation))
	a.replaceTerm(st, t)
	return nil
}

// jumpTerm goes on with a state that is too far from the one before for a batch.
func (a *Authority) jumpTerm(sl *shardLog, t *Term) error {
	if err := t.checkRead(); err != nil {
		return err
	}
	a.replaceTerm(sl.ShardState, t)
	return nil
}

// replaceTerm goes on from a mark with a state that no batch leads to. Its number is the next one,
// its chain value follows from its hash, and nothing from before it is kept.
func (a *Authority) replaceTerm(st ShardState, t *Term) {
	st.state = t
	sum := st.Hash()
	st.Mark = Mark{Seq: st.Mark.Seq + 1, Chain: extend(st.Mark.Chain, sum[:])}
	a.shards[st.Shard] = newShardLog(st)
	a.sendTerm(st.Shard)
}

// sendTerm sends a terminal's whole state to everybody who follows it.
func (a *Authority) sendTerm(s Shard) {
	f := a.fans[s]
	if f == nil || len(f.eager) == 0 {
		return
	}
	st := a.shards[s].ShardState
	a.ready.SendNow = append(a.ready.SendNow, Send{To: f.eager, Msg: &Snapshot{st}},
		Send{To: f.eager, Msg: &CaughtUp{s, st.Mark}})
}
