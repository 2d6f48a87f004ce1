package daemon

import (
	"fmt"
	"net"
	"testing"

	"apex/core"
	"apex/core/cell"
	"apex/core/edit"
	"apex/proto"
)

// shownTerms is a session whose daemon shows terminals, and the outboxes of who follows them.
type shownTerms struct {
	t    *testing.T
	s    *session
	next int
}

func newShownTerms(t *testing.T, n int) (*shownTerms, []core.TermID) {
	t.Helper()
	a, _, err := core.NewSession(core.Identity{Session: core.SessionID{1}}, "s", "/", 1,
		edit.Evaluate, edit.FirstBundle)
	if err != nil {
		t.Fatal(err)
	}
	x := &shownTerms{t: t, s: &session{a: a}}
	var ids []core.TermID
	for range n {
		id := core.TermID(a.NewID())
		if _, err := a.CommitLocal(2, core.Bundle{New: []core.Shard{id.Shard()}}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		x.show(id)
	}
	return x, ids
}

// show publishes a state with a line that no other had, and returns what a follower is sent of it.
func (x *shownTerms) show(id core.TermID) []item {
	x.t.Helper()
	x.next++
	n := &core.Term{Command: "sh", Cols: 80, Rows: 2, Base: uint64(x.next)}
	for range n.Rows {
		n.Grid = append(n.Grid, core.NewTermRow([]cell.Run{{Kind: cell.Narrow,
			Text: fmt.Sprint("line ", x.next)}}, false))
	}
	was, begun := x.s.a.State(id.Shard())
	if _, err := x.s.a.SetTerm(3, id, n); err != nil {
		x.t.Fatal(err)
	}
	if !begun {
		st, _ := x.s.a.State(id.Shard())
		return x.s.encode(&core.Snapshot{State: st})
	}
	batches, _, ok := x.s.a.Since(id.Shard(), was.Mark.Seq)
	if !ok || len(batches) != 1 {
		x.t.Fatalf("%d batches", len(batches))
	}
	return x.s.encode(&core.Deliver{Batches: batches})
}

func (x *shownTerms) put(o *outbox, items []item) {
	x.t.Helper()
	for _, it := range items {
		if o.put(it) {
			x.t.Fatal("a terminal's change overflowed")
		}
	}
}

// read takes everything that an outbox sends, as a client does: it begins with what it had, applies
// changes that follow and takes snapshots. It returns what came, in order.
func (x *shownTerms) read(client net.Conn, have map[core.Shard]core.ShardState) (got []string) {
	x.t.Helper()
	in, assemble := proto.NewReader(client), proto.NewSnapshotAssembler(1<<24)
	for {
		frame, err := in.ReadFrame()
		if err != nil {
			return got
		}
		m, err := proto.Decode(proto.FromDaemon, frame)
		if err != nil {
			x.t.Fatal(err)
		}
		switch m := m.(type) {
		case *core.Deliver:
			for _, b := range m.Batches {
				was := have[b.Shard]
				next, err := was.Apply(b)
				if err != nil {
					x.t.Fatalf("a hole: %v", err)
				}
				have[b.Shard] = next
				got = append(got, fmt.Sprintf("change %v", b.Shard))
			}
		case *proto.SnapshotChunk:
			st, whole, err := assemble.Add(m)
			if err != nil {
				x.t.Fatal(err)
			}
			if whole {
				have[st.Shard] = st
				got = append(got, fmt.Sprintf("snapshot %v", st.Shard))
			}
		case *core.Asked:
			got = append(got, "asked")
		}
	}
}

// newest checks that a client has of every terminal what the daemon has.
func (x *shownTerms) newest(have map[core.Shard]core.ShardState, ids []core.TermID) {
	x.t.Helper()
	for _, id := range ids {
		want, _ := x.s.a.State(id.Shard())
		got, ok := have[id.Shard()]
		if !ok || got.Mark != want.Mark || got.Hash() != want.Hash() {
			x.t.Errorf("the client has %v of %v, want %v", got.Mark, id, want.Mark)
		}
	}
}

// A client that takes little gets the newest state of a terminal and not the way there: where
// several changes waited stands one snapshot, at the first one's place, and the numbers have no
// hole.
func TestOutboxTerms(t *testing.T) {
	x, ids := newShownTerms(t, 2)
	have := map[core.Shard]core.ShardState{}
	for _, id := range ids {
		have[id.Shard()], _ = x.s.a.State(id.Shard())
	}
	client, daemon := net.Pipe()
	o := newOutbox(daemon)
	x.put(o, x.show(ids[0]))
	x.put(o, x.show(ids[1]))
	x.put(o, x.s.encode(&core.Asked{Shards: []core.Shard{core.LayoutShard}}))
	for range 1000 {
		x.put(o, x.show(ids[0]))
	}
	if len(o.queue) != 3 || o.bytes[screen] > 1<<10 || o.screens != 2 {
		t.Errorf("%d items wait, %d of terminals, of %d bytes", len(o.queue), o.screens, o.bytes[screen])
	}
	o.finish()
	writer := start(o, nil)
	got := x.read(client, have)
	want := fmt.Sprintf("[snapshot %v change %v asked]", ids[0].Shard(), ids[1].Shard())
	if fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	x.newest(have, ids)
	writer.Wait()
	if o.screens != 0 || o.bytes[screen] != 0 {
		t.Errorf("%d terminals of %d bytes are still counted", o.screens, o.bytes[screen])
	}
}

// A client that takes everything gets every change as it is.
func TestOutboxTermsInTime(t *testing.T) {
	x, ids := newShownTerms(t, 1)
	have := map[core.Shard]core.ShardState{}
	have[ids[0].Shard()], _ = x.s.a.State(ids[0].Shard())
	daemon, client := socketPair(t)
	o := newOutbox(daemon)
	writer := start(o, nil)
	for range 20 {
		x.put(o, x.show(ids[0]))
		o.flush()
	}
	o.finish()
	if got := x.read(client, have); len(got) != 20 || got[0] != "change "+ids[0].Shard().String() {
		t.Errorf("got %v", got)
	}
	x.newest(have, ids)
	writer.Wait()
}

// However many terminals there are, what waits of them is bounded, and drops no entries of others.
func TestOutboxTermsBound(t *testing.T) {
	x, ids := newShownTerms(t, 3000)
	have := map[core.Shard]core.ShardState{}
	client, daemon := net.Pipe()
	o := newOutbox(daemon)
	for _, id := range ids {
		have[id.Shard()], _ = x.s.a.State(id.Shard())
		x.put(o, x.show(id))
	}
	if most := screenMaxBytes + len(ids)*itemBytes; o.bytes[screen] > most {
		t.Errorf("%d bytes of terminals wait, want at most %d", o.bytes[screen], most)
	}
	o.finish()
	writer := start(o, nil)
	x.read(client, have)
	x.newest(have, ids)
	writer.Wait()
}

// When entries are dropped, terminals are too: the client is sent all that it follows afresh.
func TestOutboxTermsDropped(t *testing.T) {
	x, ids := newShownTerms(t, 1)
	client, daemon := net.Pipe()
	defer client.Close()
	o := newOutbox(daemon)
	x.put(o, x.show(ids[0]))
	for !o.put(item{frame: numbered(0, 0, 1<<20), class: entry}) {
	}
	x.put(o, x.show(ids[0])) // while it is behind
	if len(o.queue) != 0 || o.screens != 0 || o.bytes[screen] != 0 {
		t.Errorf("%d items wait, %d of terminals", len(o.queue), o.screens)
	}
	o.close()
}
