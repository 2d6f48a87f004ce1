package daemon_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// healthy is a client that works while others misbehave.
type healthy struct {
	c    *daemontest.Client
	win  string
	want strings.Builder
}

func newHealthy(t *testing.T, d *daemontest.Daemon) *healthy {
	t.Helper()
	h := &healthy{c: d.Dial()}
	h.win = open(t, h.c, writeFile(t, "healthy.txt", "")).Window.String()
	return h
}

// work edits and reads back.
func (h *healthy) work(t *testing.T) {
	t.Helper()
	n := h.want.Len()
	h.want.WriteString("x")
	daemontest.Must[*proto.Outcome](h.c, &proto.ProposeIn{Win: h.win, Proposal: core.Proposal{
		Ask: &core.AskEdit{Base: core.Version(n), Edits: []core.Span{{Q0: n, Q1: n, Text: "x"}}}}})
	if got := read(t, h.c, h.win); got != h.want.String() {
		t.Fatalf("a healthy client reads %q, want %q", got, h.want.String())
	}
}

// ending reads to the end of a connection and returns the code that it ended with, if any.
func ending(t *testing.T, c *daemontest.Client) core.Code {
	t.Helper()
	code := core.Code("")
	for m := c.Recv(); m != nil; m = c.Recv() {
		if f, ok := m.(*core.Failure); ok {
			code = f.Err.Code
		}
	}
	return code
}

// frame puts a length in front of an item.
func frame(item ...byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(item))), item...)
}

func encoded(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Append(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Whatever bytes a client sends, before or after its greeting, its connection ends with a code and
// one line in the log, and others notice nothing.
func TestBadBytes(t *testing.T) {
	d := daemontest.Start(t)
	h := newHealthy(t, d)
	random := make([]byte, 64<<10)
	rand.NewChaCha8([32]byte{7}).Read(random)
	ping := encoded(t, &proto.Call{ID: 1, Request: &proto.Ping{}})
	bye := encoded(t, &core.Bye{})
	append1 := encoded(t, &core.Append{Batches: []*core.Sealed{sealed(core.Batch{
		Shard: core.LayoutShard, Attachment: 1, Epoch: 1, First: 1,
		Ops: []core.Op{core.Of(&core.Snarf{})}})}})
	for _, tt := range []struct {
		name  string
		bytes []byte
		code  core.Code // before or after the greeting
	}{
		{"random", random, core.CodeTooLarge},
		{"frame of 4 GiB", []byte{0xff, 0xff, 0xff, 0xff, 0}, core.CodeTooLarge},
		{"frame of nothing", frame(), core.CodeBadRequest},
		{"deep nesting", frame(append(bytes.Repeat([]byte{0x81}, 100_000), 0)...), core.CodeBadRequest},
		{"an array of 2^60 elements", frame(0x9b, 0x10, 0, 0, 0, 0, 0, 0, 0), core.CodeBadRequest},
		{"a map", frame(0xa0), core.CodeBadRequest},
		{"a string", frame(0x63, 'a', 'b', 'c'), core.CodeBadRequest},
		{"an unknown message", frame(0x82, 0x19, 0x03, 0xe7, 0x00), core.CodeBadRequest},
		{"an append of the wrong shape", frame(0x82, 0x01, 0x63, 'a', 'b', 'c'), core.CodeBadRequest},
		{"trailing bytes", frame(append(ping[4:], 0)...), core.CodeBadRequest},
		{"the daemon's message", encoded(t, &core.Draining{}), core.CodeBadRequest},
		{"a message of a session", bye, core.CodeNotAttached},
		{"an append", append1, core.CodeNotAttached},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, greet := range []bool{false, true} {
				before := len(d.Lines("connection"))
				c := d.Connect()
				c.Fragile = true // the daemon may close before all is written
				if c.Greeted(); greet {
					c.Send(&proto.Client{Protocol: proto.Version, Build: "test"})
				}
				c.Write(tt.bytes)
				code := ending(t, c)
				if code != tt.code && !(code == core.CodeBadRequest && !greet) {
					t.Errorf("greeting %v: ended with %q, want %q", greet, code, tt.code)
				}
				if got := d.Lines("connection")[before:]; len(got) != 1 {
					t.Errorf("greeting %v: logged %q, want one line", greet, got)
				}
				h.work(t)
			}
		})
	}
}

// A frame that ends too soon is a lost connection, with one line in the log.
func TestTruncatedFrame(t *testing.T) {
	d := daemontest.Start(t)
	h := newHealthy(t, d)
	whole := encoded(t, &proto.Call{ID: 1, Request: &proto.Read{Win: h.win}})
	for n := 1; n < len(whole); n++ {
		c := d.Dial()
		c.Write(whole[:n])
		c.Net.(interface{ CloseWrite() error }).CloseWrite()
		ending(t, c)
	}
	if got := d.Lines("connection lost"); len(got) != len(whole)-1 {
		t.Errorf("%d lines for %d lost connections", len(got), len(whole)-1)
	}
	h.work(t)
}

// A client of another version is told both.
func TestWrongVersion(t *testing.T) {
	d := daemontest.Start(t)
	for _, v := range []uint64{0, proto.Version + 1, 1 << 40} {
		c := d.Connect()
		c.Greeted()
		c.Send(&proto.Client{Protocol: v, Build: "other"})
		if code := ending(t, c); code != core.CodeVersion {
			t.Errorf("protocol %d: ended with %q", v, code)
		}
	}
	if got := d.Lines("unsupported_version"); len(got) != 3 {
		t.Errorf("logged %q", got)
	}
}

// A thousand clients that connect and say nothing, or greet and say nothing more, are no burden,
// and the first are gone after the handshake's time.
func TestSilentClients(t *testing.T) {
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.Handshake = time.Second })
	h := newHealthy(t, d)
	before := heap()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	silent := make([]*daemontest.Client, min(1000, limit.Cur/4)) // both ends are in this process
	for i := range silent {
		silent[i] = d.Connect()
		silent[i].Greeted()
	}
	h.work(t)
	for _, c := range silent {
		ending(t, c)
	}
	if got := d.Lines("connection lost"); len(got) != len(silent) {
		t.Errorf("%d lines for %d clients", len(got), len(silent))
	}
	for i := range silent {
		silent[i] = d.Dial()
	}
	h.work(t)
	for _, c := range silent {
		c.Net.Close()
	}
	silent = nil
	for daemontest.Must[*proto.DaemonStatus](h.c, &proto.Status{}).Clients > 1 {
		runtime.Gosched()
	}
	h.work(t)
	if grown := heap() - before; grown > 8<<20 {
		t.Errorf("%d MiB stay after a thousand clients have gone", grown>>20)
	}
}

// heap is what lives, in bytes.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A client that asks for more than it takes is not read from, and holds no more than its bound.
func TestNeverReads(t *testing.T) {
	d := daemontest.Start(t)
	h := newHealthy(t, d)
	big := writeFile(t, "big.txt", strings.Repeat("0123456789abcde\n", 1<<16))
	win := open(t, h.c, big).Window.String()
	before := heap()
	c := d.Dial()
	c.Fragile = true
	ask := encoded(t, &proto.Call{ID: 1, Request: &proto.Read{Win: win}})
	var writer sync.WaitGroup
	writer.Go(func() { c.Write(bytes.Repeat(ask, 100_000)) }) // blocks when the daemon stops reading
	for range 50 {
		h.work(t)
		if grown := heap() - before; grown > 32<<20 {
			t.Fatalf("%d MiB wait for a client that does not read", grown>>20)
		}
	}
	c.Net.Close()
	writer.Wait()
	h.work(t)
}

// Requests that a client pipelines get their replies, however large they are together.
func TestPipelinedReads(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	text := strings.Repeat("0123456789abcde\n", 1<<16)
	win := open(t, c, writeFile(t, "big.txt", text)).Window.String()
	const calls = 40
	go func() {
		for i := range calls {
			c.Send(&proto.Call{ID: uint64(1000 + i), Request: &proto.Read{Win: win}})
		}
	}()
	answered := map[uint64]bool{} // each looks at the file first: in any order
	for i := range calls {
		m, ok := c.Recv().(*proto.Return)
		if !ok || m.Err != nil || m.ID < 1000 || m.ID >= 1000+calls || answered[m.ID] ||
			len(m.Reply.(*proto.Text).Bytes) != len(text) {
			t.Fatalf("reply %d: %v", i, m)
		}
		answered[m.ID] = true
	}
}

// sealed encodes a batch.
func sealed(b core.Batch) *core.Sealed { return &core.Sealed{Batch: b, Bytes: b.Append(nil)} }

// refusal takes messages in until one is refused or the connection ends, and returns the code.
func refusal(t *testing.T, c *daemontest.Client) core.Code {
	t.Helper()
	for m := c.Recv(); m != nil; m = c.Recv() {
		switch m := m.(type) {
		case *core.Refused:
			if len(m.Shards) > 0 {
				return m.Err.Code
			}
		case *core.Failure:
			return m.Err.Code
		}
	}
	t.Fatal("the connection ended without a code")
	return ""
}

// Batches that do not fit the log are refused by code, and change nothing.
func TestBadBatches(t *testing.T) {
	d := daemontest.Start(t)
	h := newHealthy(t, d)
	place := open(t, h.c, writeFile(t, "a.txt", "abc\n"))
	buf := place.Buffer.Shard()
	for _, tt := range []struct {
		name  string
		code  core.Code
		spoil func(*core.Batch)
	}{
		{"an epoch too low", core.CodeFenced, func(b *core.Batch) { b.Epoch-- }},
		{"an epoch too high", core.CodeFenced, func(b *core.Batch) { b.Epoch++ }},
		{"a gap", core.CodeBadRequest, func(b *core.Batch) { b.First++ }},
		{"another content at a number", core.CodeBadRequest, func(b *core.Batch) { b.First-- }},
		{"somebody else's attachment", core.CodeDenied, func(b *core.Batch) { b.Attachment++ }},
		{"somebody else's name", core.CodeDenied, func(b *core.Batch) { b.Author.Actor = "human:bob" }},
		{"the daemon's shard", core.CodeDenied, func(b *core.Batch) {
			b.Shard, b.Epoch, b.Ops = core.MetaShard, 1, []core.Op{core.Of(&core.Label{Label: "x"})}
		}},
		{"a shard that is not there", core.CodeNotFound, func(b *core.Batch) { b.Shard.ID += 1000 }},
		{"a version to come", core.CodeConflict, func(b *core.Batch) {
			b.Ops = []core.Op{core.Edit(99, 0, 0, "x", 0)}
		}},
		{"offsets out of range", core.CodeBadRequest, func(b *core.Batch) {
			b.Ops = []core.Op{core.Edit(0, 99, 99, "x", 0)}
		}},
		{"a good op and a bad one", core.CodeBadRequest, func(b *core.Batch) {
			b.Ops = []core.Op{core.Edit(0, 0, 0, "x", 0), core.Edit(1, 0, 99, "x", 0)}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ui := d.Attach(core.AttachUI, "", "human:ann")
			ui.Lead(buf)
			st, _ := ui.R.State(buf)
			lease, _ := ui.R.Meta().Lease(buf)
			b := core.Batch{Shard: buf, Attachment: ui.R.Attachment(), Epoch: lease.Epoch,
				First: st.Mark.Seq + 1, Author: ui.R.Author(), Ops: []core.Op{core.Edit(0, 0, 0, "x", 0)}}
			tt.spoil(&b)
			ui.Send(&core.Append{Batches: []*core.Sealed{sealed(b)}})
			if code := refusal(t, ui.Client); code != tt.code {
				t.Errorf("got %q, want %q", code, tt.code)
			}
			ui.Send(&core.Bye{})
			ending(t, ui.Client)
			if got := read(t, h.c, place.Window.String()); got != "abc\n" {
				t.Fatalf("the text is %q", got)
			}
			h.work(t)
		})
	}
}

// An op on a shard of another kind is no batch at all.
func TestOpOnWrongShard(t *testing.T) {
	d := daemontest.Start(t)
	h := newHealthy(t, d)
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Send(&core.Append{Batches: []*core.Sealed{sealed(core.Batch{Shard: core.LayoutShard,
		Attachment: ui.R.Attachment(), Epoch: 1, First: 1, Author: ui.R.Author(),
		Ops: []core.Op{core.Edit(0, 0, 0, "x", 0)}})}})
	if code := ending(t, ui.Client); code != core.CodeBadRequest {
		t.Errorf("ended with %q", code)
	}
	h.work(t)
}
