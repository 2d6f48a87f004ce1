package daemon_test

import (
	"fmt"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// logOf reads a shard's log page by page, checking that the pages fit together.
func logOf(t *testing.T, c *daemontest.Client, shard core.Shard, from core.Seq,
	limit int) []string {
	t.Helper()
	var out []string
	next := from
	for more := true; more; {
		l := daemontest.Must[*proto.Logged](c,
			&proto.Log{Shard: proto.Shard(shard), From: next, Max: limit})
		if len(l.Batches) > limit || l.Gap {
			t.Fatalf("page of %d batches, gap %v", len(l.Batches), l.Gap)
		}
		for _, b := range l.Batches {
			if b.At == 0 || b.Batch.Last() < next || b.Batch.First > next {
				t.Fatalf("batch %v stored at %d, want one with entry %d", b.Batch, b.At, next)
			}
			for i := range b.Batch.Ops {
				if seq := b.Batch.First + core.Seq(i); seq >= next {
					out = append(out, fmt.Sprint(seq, " ", b.Batch.Ops[i]))
				}
			}
			next = b.Batch.Last() + 1
		}
		if l.Last < next-1 {
			t.Fatalf("last %d, but there is %d", l.Last, next-1)
		}
		more = l.More
	}
	return out
}

// A log is the same in pages of any size, read by several at a time, and goes on while it is read.
func TestLogPages(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	p := open(t, c, writeFile(t, "a.txt", "abc\n"))
	edit := func(v core.Version) {
		r := daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Win: "a.txt", Proposal: core.Proposal{
			Ask: &core.AskEdit{Base: v, Edits: []core.Span{{Text: fmt.Sprint(v)}}}}}).Result
		if r.Outcome != core.Applied {
			t.Fatalf("got %+v", r)
		}
	}
	for v := range core.Version(20) {
		edit(v)
	}
	all := logOf(t, c, p.Buffer.Shard(), 1, 1000)
	if len(all) < 22 {
		t.Fatalf("%d entries: %v", len(all), all)
	}
	for limit := 1; limit < 9; limit++ {
		for from := 1; from <= len(all); from += 7 {
			got := logOf(t, c, p.Buffer.Shard(), core.Seq(from), limit)
			if fmt.Sprint(got) != fmt.Sprint(all[from-1:]) {
				t.Fatalf("from %d in pages of %d: got %v\nwant %v", from, limit, got, all[from-1:])
			}
		}
	}
	edit(20)
	if got := logOf(t, c, p.Buffer.Shard(), 1, 3); len(got) != len(all)+1 {
		t.Errorf("%d entries after one more, want %d", len(got), len(all)+1)
	}
}

// The log of what was deleted is there still: who wrote what doesn't go with the window.
func TestLogOfDeleted(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	p := open(t, c, writeFile(t, "a.txt", "abc\n"))
	before := logOf(t, c, p.Buffer.Shard(), 1, 100)
	daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Win: "a.txt",
		Proposal: core.Proposal{Ask: &core.AskDelete{}}})
	if _, err := c.Call(&proto.Info{Win: "a.txt"}); core.CodeOf(err) != core.CodeNotFound {
		t.Fatalf("the window is still there: %v", err)
	}
	after := logOf(t, c, p.Buffer.Shard(), 1, 100)
	if len(before) == 0 || len(after) < len(before) || after[0] != before[0] {
		t.Errorf("got %v after, %v before", after, before)
	}
	never := core.BufferID(core.MakeID(9, 9)).Shard()
	if _, err := c.Call(&proto.Log{Shard: proto.Shard(never)}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a shard that never was: %v, want not_found", err)
	}
}

// An address that isn't there is refused in a file that is open already as in one that isn't.
func TestOpenAtNoPlace(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	path := writeFile(t, "a.txt", "abc\n")
	at := func(addr string) core.Code {
		o := daemontest.Must[*proto.Opened](c, &proto.Open{Files: []proto.File{{Path: path, Addr: addr}}})
		return o.Places[0].Code
	}
	for _, open := range []bool{false, true} {
		if got := at("/nowhere/"); got != core.CodeBadRequest {
			t.Errorf("open already %v: code %q, want bad_request", open, got)
		}
		if got := at("/b/"); got != "" {
			t.Errorf("open already %v: code %q, want none", open, got)
		}
	}
	i := daemontest.Must[*proto.TextInfo](c, &proto.Info{Win: "a.txt"})
	if i.Q0 != 1 || i.Q1 != 2 {
		t.Errorf("dot is %d,%d, want 1,2", i.Q0, i.Q1)
	}
}
