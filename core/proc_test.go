package core

import (
	"fmt"
	"strings"
	"testing"
)

// metaOf is a session's metalog after ops, each a batch of its own.
type metaOf struct {
	t testing.TB
	s ShardState
}

func newMetaOf(t testing.TB) *metaOf {
	m := &metaOf{t, NewShardState([16]byte{1}, SessionID{2}, MetaShard)}
	if err := m.do(&Identity{Session: SessionID{2}}); err != nil {
		t.Fatal(err)
	}
	return m
}

// do applies an op, also to what a snapshot gives, and compares.
func (m *metaOf) do(b Body) error {
	m.t.Helper()
	batch := Batch{Shard: MetaShard, First: m.s.Mark.Seq + 1, Author: serverAuthor, Ops: []Op{Of(b)}}
	sealed, err := Open(batch.Append(nil))
	if err != nil {
		m.t.Fatal(err)
	}
	again, err := ReadSnapshot([]byte(snapshotOf(m.t, &m.s)))
	if err != nil {
		m.t.Fatal(err)
	}
	next, err := m.s.Apply(sealed)
	if err != nil {
		return err
	}
	follower, err := again.Apply(sealed)
	if err != nil || snapshotOf(m.t, &follower) != snapshotOf(m.t, &next) {
		m.t.Fatalf("a snapshot's state goes another way: %v", err)
	}
	m.s = next
	return nil
}

// Processes are there from their start to their end, and a while longer.
func TestProcs(t *testing.T) {
	m := newMetaOf(t)
	start := func(n int) ProcID {
		p := ProcID(MakeID(Server, uint64(n)))
		err := m.do(&ProcStart{Proc: p, Window: 3, Command: "sort", Dir: "/src", Holder: "h"})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	one, two := start(5), start(6)
	if got := m.s.Meta().ServerNext; got != 7 {
		t.Errorf("next id %d, want 7", got)
	}
	if err := m.do(&ProcExit{Proc: one, Signal: "KILL", Reason: "gone", Ended: 9}); err != nil {
		t.Fatal(err)
	}
	want := Proc{ProcStart{Proc: one, Window: 3, Command: "sort", Dir: "/src", Holder: "h"}, true, 0,
		"KILL", "gone", 9}
	if p, ok := m.s.Meta().Proc(one); !ok || p != want {
		t.Errorf("ended: got %+v, %v, want %+v", p, ok, want)
	}
	if err := m.do(&ProcExit{Proc: ProcID(MakeID(Server, 99))}); err != nil {
		t.Errorf("one that is forgotten: %v", err)
	}
	for n := range maxEndedProcs {
		if err := m.do(&ProcExit{Proc: start(100 + n)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := m.s.Meta().Proc(one); ok || len(m.s.Meta().Procs) != maxEndedProcs+1 {
		t.Errorf("%d processes; the oldest that ended is there: %v", len(m.s.Meta().Procs), ok)
	}
	if _, ok := m.s.Meta().Proc(two); !ok {
		t.Error("one that runs is gone")
	}
	if err := m.do(&ProcDel{two}); err != nil {
		t.Fatal(err)
	}
	if _, ok := m.s.Meta().Proc(two); ok {
		t.Error("one that was deleted is there")
	}
}

func TestProcsRefuse(t *testing.T) {
	m := newMetaOf(t)
	one := ProcID(MakeID(Server, 5))
	if err := m.do(&ProcStart{Proc: one}); err != nil {
		t.Fatal(err)
	}
	if err := m.do(&ProcExit{Proc: one}); err != nil {
		t.Fatal(err)
	}
	want := snapshotOf(t, &m.s)
	two := ProcID(MakeID(Server, 6))
	for name, b := range map[string]Body{
		"no process":          &ProcStart{},
		"a client's":          &ProcStart{Proc: ProcID(MakeID(3, 1))},
		"one that exists":     &ProcStart{Proc: one},
		"a long command":      &ProcStart{Proc: two, Command: strings.Repeat("x", MaxProcBytes+1)},
		"a long directory":    &ProcStart{Proc: two, Dir: strings.Repeat("x", MaxPathBytes+1)},
		"a long holder":       &ProcStart{Proc: two, Holder: strings.Repeat("x", MaxHolderBytes+1)},
		"a second end":        &ProcExit{Proc: one},
		"a long reason":       &ProcExit{Proc: two, Reason: strings.Repeat("x", MaxReasonBytes+1)},
		"nothing to delete":   &ProcDel{two},
		"a client's terminal": &ShardNew{Shard: testTerm.Shard(), Holder: 3, Epoch: 1},
	} {
		if err := m.do(b); err == nil {
			t.Errorf("%s: was taken", name)
		}
		if snapshotOf(t, &m.s) != want {
			t.Errorf("%s: the state was changed", name)
		}
	}
	for n := range MaxProcs {
		if err := m.do(&ProcStart{Proc: ProcID(MakeID(Server, uint64(100+n)))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.do(&ProcStart{Proc: two}); CodeOf(err) != CodeBusy {
		t.Errorf("one more than may run: got %v", err)
	}
}

// What older builds wrote has no processes and no terminals, and is read and written as it was.
func TestLateFields(t *testing.T) {
	m := newMetaOf(t)
	before := snapshotOf(t, &m.s)
	if err := m.do(&ProcStart{Proc: ProcID(MakeID(Server, 1))}); err != nil {
		t.Fatal(err)
	}
	if len(snapshotOf(t, &m.s)) <= len(before) {
		t.Error("a process is not in the snapshot")
	}
	for term, want := range map[TermID]string{0: "83183c0102", 3: "84183c010203"} {
		op := Of(&WindowNew{Tag: 1, Body: 2, Term: term})
		if got := fmt.Sprintf("%x", op.append(nil)); got != want {
			t.Errorf("window on terminal %d: got %s, want %s", term, got, want)
		}
	}
}
