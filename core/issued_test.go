package core

import (
	"strings"
	"testing"
)

// oldMeta is the metalog of a session in which everything was given out once, at least.
func oldMeta(t *testing.T) *metaOf {
	m := newMetaOf(t)
	win := WindowID(MakeID(1, 7)).Shard()
	for _, b := range []Body{
		&Attach{ID: 1, Kind: AttachUI, Actor: "human:ann", Epoch: 90},
		&ShardNew{win, 1, 91},
		&ShardNew{BufferID(MakeID(Server, 5)).Shard(), Server, 92},
		&LeaseReclaim{win, Server, 93, 0},
		&ProcStart{Proc: ProcID(MakeID(Server, 12)), Command: "make"},
	} {
		if err := m.do(b); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// A metalog that was written with lower counters than it shows, as by a build that had not all of
// them, is read with counters that give nothing out twice.
func TestCountersAreRebuilt(t *testing.T) {
	m := oldMeta(t)
	right := *m.s.Meta()
	for name, lower := range map[string]func(*Meta){
		"attachments":       func(m *Meta) { m.NextAttach = 1 },
		"epochs":            func(m *Meta) { m.MaxEpoch = 0 },
		"the daemon's ids":  func(m *Meta) { m.ServerNext = 0 },
		"ids of programs":   func(m *Meta) { m.ServerNext = 6 },
		"an attachment's":   func(m *Meta) { m.Attachments[0].Next = 1 },
		"nothing, it is ok": func(*Meta) {},
	} {
		old := right
		old.Attachments = append([]Attachment(nil), right.Attachments...)
		lower(&old)
		st := ShardState{Shard: MetaShard, Mark: m.s.Mark, state: &old}
		got, err := ReadSnapshot([]byte(snapshotOf(t, &st)))
		if err != nil {
			t.Fatal(err)
		}
		now := got.Meta()
		if now.NextAttach != right.NextAttach || now.MaxEpoch != right.MaxEpoch ||
			now.ServerNext != right.ServerNext || now.Attachments[0].Next != right.Attachments[0].Next {
			t.Errorf("%s: read as %d, %d, %d, %d", name, now.NextAttach, now.MaxEpoch, now.ServerNext,
				now.Attachments[0].Next)
		}
	}
}

// What a log gave out is held against a state, also what is gone from it.
func TestIssued(t *testing.T) {
	var given Issued
	m := *oldMeta(t).s.Meta()
	given.State(&m)
	if low := given.Check(&m); len(low) > 0 {
		t.Errorf("of its own state: %v", low)
	}
	gone := Batch{Shard: MetaShard, First: 1, Ops: []Op{
		Of(&Attach{ID: 9, Kind: AttachTool}), Of(&ShardNew{WindowID(MakeID(Server, 40)).Shard(), Server, 200}),
		Of(&ShardNew{WindowID(MakeID(1, 30)).Shard(), 1, 201}),
	}}
	given.Note(&gone)
	low := strings.Join(given.Check(&m), "\n")
	for _, want := range []string{"attachment would be 2, and 9", "said to be 93, and 201",
		"of the daemon would be 13, and 40", "of attachment 1 would be 8, and 30"} {
		if !strings.Contains(low, want) {
			t.Errorf("%q is not in %q", want, low)
		}
	}
}

// A session that was brought from elsewhere is another one, with nobody in it, whose counters go on.
func TestNaturalize(t *testing.T) {
	m := oldMeta(t)
	win := WindowID(MakeID(1, 7)).Shard()
	if err := m.do(&LeaseGrant{win, 1, 95, 3}); err != nil {
		t.Fatal(err)
	}
	if err := m.do(&ProcStart{Proc: ProcID(MakeID(Server, 13)), Term: TermID(MakeID(Server, 14)), Holder: "h",
		Command: "sh"}); err != nil {
		t.Fatal(err)
	}
	was := m.s
	to := &Imported{Session: SessionID{9}, History: [16]byte{8}, At: 1000}
	batches, err := Naturalize(was, to, "copy", func(Shard) Seq { return 4 })
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if m.s, err = m.s.Apply(b); err != nil {
			t.Fatal(err)
		}
	}
	got := m.s.Meta()
	if got.Identity.Session != to.Session || got.Identity.History != to.History || got.Label != "copy" {
		t.Errorf("it is %+v, %q", got.Identity, got.Label)
	}
	if l, _ := got.Lease(win); l.Holder != Server || l.Epoch < 1000 || l.Begin != 4 {
		t.Errorf("the lease is %+v", l)
	}
	if len(got.Attachments) > 0 || got.NextAttach != was.Meta().NextAttach ||
		got.ServerNext != was.Meta().ServerNext {
		t.Errorf("attached %v, counters %d, %d", got.Attachments, got.NextAttach, got.ServerNext)
	}
	if len(got.Procs) != 1 || !got.Procs[0].Done || got.Procs[0].Holder != "" {
		t.Errorf("its programs: %+v", got.Procs)
	}
	if err := m.do(&Imported{Session: SessionID{9}}); CodeOf(err) != CodeBadRequest {
		t.Errorf("imported as itself: %v", err)
	}
	if err := m.do(&Attach{ID: got.NextAttach, Kind: AttachUI}); err != nil {
		t.Fatal(err)
	}
	if err := m.do(&Imported{Session: SessionID{7}}); CodeOf(err) != CodeBadRequest {
		t.Errorf("imported with somebody attached: %v", err)
	}
}

// A text's history says how much of it is kept, and whether its budget made it forget the beginning.
func TestKept(t *testing.T) {
	b := &Buffer{}
	if n, bytes, dropped := b.Kept(); n != 0 || bytes != 0 || dropped {
		t.Errorf("a new buffer: %d, %d, %v", n, bytes, dropped)
	}
	deleted := strings.Repeat("x", maxHistoryBytes/8)
	for v := range 12 {
		b.push(&Change{Version: Version(v), ND: len(deleted), Deleted: deleted, Kind: ChangeEdit,
			Group: Group(v + 1)})
		b.Version++
		n, bytes, dropped := b.Kept()
		if v < 8 && (n != v+1 || bytes != n*len(deleted) || dropped) {
			t.Errorf("after %d changes: %d, %d, %v", v+1, n, bytes, dropped)
		}
		if v == 11 && (n > 9 || bytes > maxHistoryBytes+len(deleted) || !dropped) {
			t.Errorf("past the budget: %d, %d, %v", n, bytes, dropped)
		}
	}
}
