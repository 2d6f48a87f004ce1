package core

import (
	"slices"
	"testing"
)

// What waits for the disk of the metalog is not told to who has got it since: it would take them back
// to what was before. Everything else waits, and who attaches is told at once that nothing is kept.
func TestUnkept(t *testing.T) {
	meta := ShardState{Shard: MetaShard}
	x := After{Send: []Send{
		{To: []ConnID{1}, Msg: &Welcome{Attachment: 7}},
		{To: []ConnID{1, 2}, Msg: &Snapshot{meta}},
		{To: []ConnID{1}, Msg: &CaughtUp{Shard: MetaShard}},
		{To: []ConnID{2, 1}, Msg: &Deliver{[]*Sealed{{Batch: Batch{Shard: MetaShard}}}}},
		{To: []ConnID{1, 2}, Msg: &Snapshot{ShardState{Shard: LayoutShard}}},
		{To: []ConnID{1}, Msg: &Ack{}},
	}}
	now, rest := x.Unkept(func(c ConnID) bool { return c == 1 })
	if len(now) != 1 || !now[0].Msg.(*Welcome).Unkept || x.Send[0].Msg.(*Welcome).Unkept {
		t.Errorf("told at once: %+v", now)
	}
	var got [][]ConnID
	for _, s := range rest.Send {
		got = append(got, s.To)
	}
	want := [][]ConnID{{2}, {2}, {1, 2}, {1}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the rest is for %v, want %v", got, want)
	}
	if to := x.Send[1].To; !slices.Equal(to, []ConnID{1, 2}) {
		t.Errorf("a send that others share was changed: %v", to)
	}
}
