package core

import "testing"

// A shard is hashed once it has been quiet, once for what changed, and only if somebody has a
// replica; the hash goes to them if nothing came in between.
func TestCheckWhenQuiet(t *testing.T) {
	a, first, err := NewSession(Identity{Session: SessionID{1}}, "s", "/", 1000, nil,
		func(Minter) Bundle { return Bundle{} })
	if err != nil {
		t.Fatal(err)
	}
	stored := uint64(0)
	now := Millis(1000)
	step := func(in Input) Ready {
		r := a.Step(now, in)
		if r.Store != nil {
			stored++
		}
		return r
	}
	if first.Store != nil {
		stored++
	}
	now += 10 * checkQuiet
	if hashes := hashesOf(step(&Tick{})); len(hashes) != 0 {
		t.Fatalf("nobody is there, and %d shards are hashed", len(hashes))
	}
	if due, ok := a.Deadline(); ok {
		t.Fatalf("a quiet session wants to be woken at %d", due)
	}
	step(&Received{Conn: 1, Msg: &Hello{Kind: AttachTool, Actor: "agent:x"}})
	step(&Received{Conn: 1, Msg: &Follow{[]FollowShard{{Shard: MetaShard}}}})
	due, ok := a.Deadline()
	if !ok || due != now+checkQuiet {
		t.Fatalf("woken at %d (%v), want %d", due, ok, now+checkQuiet)
	}
	now = due - 1
	if hashes := hashesOf(step(&Tick{})); len(hashes) != 0 {
		t.Fatalf("hashed before it was quiet: %v", hashes)
	}
	now = due
	hashes := hashesOf(step(&Tick{}))
	if len(hashes) != 1 || hashes[0].State.Shard != MetaShard {
		t.Fatalf("hashed: %v", hashes)
	}
	st := hashes[0].State
	answer := &Hashed{Shard: st.Shard, Mark: st.Mark, Hash: st.Hash()}
	checks := 0
	for _, s := range step(answer).AfterStore.Send {
		if c, ok := s.Msg.(*Check); ok && c.Seq == st.Mark.Seq && c.Hash == answer.Hash {
			checks++
		}
	}
	if checks != 1 {
		t.Fatalf("%d checks are sent", checks)
	}
	if due, ok := a.Deadline(); ok {
		t.Fatalf("what was checked is looked at again at %d", due)
	}
	answer.Mark.Seq++ // the shard went on, or back, since it was asked for
	if r := step(answer); len(r.AfterStore.Send) > 0 {
		t.Fatalf("a hash of another state is sent: %v", r.AfterStore.Send)
	}
}

func hashesOf(r Ready) (out []*HashState) {
	for _, e := range r.AfterStore.Effects {
		if h, ok := e.(*HashState); ok {
			out = append(out, h)
		}
	}
	return out
}
