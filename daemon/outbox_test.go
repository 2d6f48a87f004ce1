package daemon

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"apex/core"
	"apex/core/edit"
	"apex/proto"
	"apex/proto/socket"
)

// socketPair returns both ends of a Unix stream connection.
func socketPair(t *testing.T) (daemon, client net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("unix", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	daemon = socket.Of(accepted)
	t.Cleanup(func() { daemon.Close(); client.Close() })
	return daemon, client
}

// numbered is a frame that says who made it, and as which of theirs.
func numbered(who, n, size int) []byte {
	b := make([]byte, 4+max(size, 8))
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	binary.BigEndian.PutUint32(b[4:], uint32(who))
	binary.BigEndian.PutUint32(b[8:], uint32(n))
	return b
}

// start runs the outbox's writer and returns what waits for its end.
func start(o *outbox, drained func()) *sync.WaitGroup {
	var wg sync.WaitGroup
	wg.Go(func() { o.run(drained) })
	return &wg
}

// Whoever puts and flushes, and whoever writes what the socket did not take: frames arrive whole,
// those of one producer in order, and all that were put before finish.
func TestOutboxOrder(t *testing.T) {
	const producers, each = 8, 2000
	daemon, client := socketPair(t)
	o := newOutbox(daemon)
	writer := start(o, func() { t.Error("drained, but nothing was dropped") })
	done := make(chan error, 1)
	go func() { done <- readNumbered(client, producers, each) }()
	var wg sync.WaitGroup
	for who := range producers {
		wg.Go(func() {
			for n := range each {
				o.reserve(3000)
				o.put(item{frame: numbered(who, n, n%3000), class: reply})
				o.release(3000)
				o.flush()
				o.told() // a wake-up that means nothing does no harm
			}
		})
	}
	wg.Wait()
	o.finish()
	if err := <-done; err != nil {
		t.Error(err)
	}
	writer.Wait()
}

// readNumbered reads to the end and checks that every frame of every producer came, in order.
func readNumbered(r io.Reader, producers, each int) error {
	next := make([]uint32, producers)
	in := proto.NewReader(r)
	for {
		b, err := in.ReadFrame()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		who, n := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
		if n != next[who] {
			return fmt.Errorf("producer %d: got frame %d, want %d", who, n, next[who])
		}
		next[who]++
	}
	for who, n := range next {
		if int(n) != each {
			return fmt.Errorf("producer %d: got %d frames, want %d", who, n, each)
		}
	}
	return nil
}

// While somebody flushes, the writer stays out of the way, whatever wakes it: what the socket did
// not take of the first frame goes out before the second.
func TestOutboxOneOwner(t *testing.T) {
	for name, wake := range map[string]func(*outbox){"told": (*outbox).told, "finish": (*outbox).finish,
		"flush": (*outbox).flush} {
		synctest.Test(t, func(t *testing.T) {
			client, daemon := net.Pipe()
			o := newOutbox(daemon)
			let := make(chan struct{}) // takes nothing, and says so when it is let
			o.now = func([]byte) (int, error) {
				<-let
				return 0, nil
			}
			writer := start(o, nil)
			o.put(item{frame: numbered(0, 0, 100), class: control})
			go o.flush()
			synctest.Wait()
			o.put(item{frame: numbered(0, 1, 100), class: control})
			wake(o)
			synctest.Wait()
			if o.mu.Lock(); len(o.queue) != 1 {
				t.Errorf("%s: the writer took what comes after the frame that is being written", name)
			}
			o.mu.Unlock()
			close(let)
			go func() {
				synctest.Wait()
				o.finish()
			}()
			if err := readNumbered(client, 1, 2); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			writer.Wait()
		})
	}
}

// A client that is behind loses entries and nothing else, and is said to be drained once, when it
// has taken the rest and the session knows.
func TestOutboxOverflow(t *testing.T) {
	daemon, client := socketPair(t)
	o := newOutbox(daemon)
	drained := make(chan struct{}, 2)
	writer := start(o, func() { drained <- struct{}{} })
	entries := 0
	for !o.put(item{frame: numbered(0, entries, 1<<20), class: entry}) {
		entries++
		o.flush()
	}
	if entries < entryMaxBytes>>20-1 {
		t.Fatalf("entries were dropped after %d MiB", entries)
	}
	if o.put(item{frame: numbered(0, 0, 0), class: entry}) {
		t.Fatal("a second overflow before the client was drained")
	}
	o.put(item{frame: numbered(1, 0, 0), class: control})
	o.flush()
	go func() {
		in := proto.NewReader(client)
		for {
			b, err := in.ReadFrame()
			if err == nil && binary.BigEndian.Uint32(b) == 1 {
				o.told()
				continue
			}
			if err != nil {
				return
			}
		}
	}()
	<-drained
	if o.put(item{frame: numbered(0, 0, 0), class: entry}) {
		t.Error("an overflow after the client was drained")
	}
	o.finish()
	writer.Wait()
	if len(drained) > 0 {
		t.Error("drained twice")
	}
}

// What must not be dropped is bounded: the client is closed, with a reason.
func TestOutboxControlBound(t *testing.T) {
	for _, k := range []class{control, bulk} {
		client, daemon := net.Pipe()
		defer client.Close()
		o := newOutbox(daemon)
		writer := start(o, nil)
		for n := 0; o.reason() == nil; n++ {
			if n > classMaxBytes[k]/1024+1 {
				t.Fatalf("class %d: %d KiB wait", k, n)
			}
			o.put(item{frame: numbered(0, n, 1024), class: k})
		}
		if core.CodeOf(o.reason()) != core.CodeBusy {
			t.Errorf("class %d: reason %v", k, o.reason())
		}
		writer.Wait()
	}
}

// One frame is taken however large it is, and a reply never counts as control.
func TestOutboxLargeFrames(t *testing.T) {
	daemon, client := socketPair(t)
	o := newOutbox(daemon)
	writer := start(o, nil)
	for n, k := range []class{reply, control, entry, bulk, reply} {
		if o.put(item{frame: numbered(0, n, 12<<20), class: k}) {
			t.Errorf("class %d overflowed", k)
		}
	}
	o.flush()
	o.finish()
	if err := readNumbered(client, 1, 5); err != nil {
		t.Error(err)
	}
	writer.Wait()
	if o.reason() != nil {
		t.Errorf("closed: %v", o.reason())
	}
}

// Replies that a client does not take hold back its next request, and nothing is closed.
func TestOutboxReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, daemon := net.Pipe()
		o := newOutbox(daemon)
		writer := start(o, nil)
		passed := false
		var reader sync.WaitGroup
		reader.Go(func() {
			for range 6 {
				o.reserve(1 << 20)
				o.put(item{frame: numbered(0, 0, 1<<20), class: reply})
				o.flush()
				o.release(1 << 20)
			}
			passed = true
		})
		synctest.Wait()
		if passed {
			t.Error("6 MiB of replies wait")
		}
		go io.Copy(io.Discard, client)
		reader.Wait()
		o.close()
		writer.Wait()
		client.Close()
	})
}

// Only the newest roster waits for a client.
func TestOutboxRoster(t *testing.T) {
	client, daemon := net.Pipe()
	o := newOutbox(daemon)
	for n := range 1000 {
		o.put(item{frame: numbered(0, n, 0), class: newest})
	}
	o.finish()
	writer := start(o, nil)
	in := proto.NewReader(client)
	if b, err := in.ReadFrame(); err != nil || binary.BigEndian.Uint32(b[4:]) != 999 {
		t.Errorf("got %v, %v", b, err)
	}
	if _, err := in.ReadFrame(); err == nil {
		t.Error("a second roster")
	}
	writer.Wait()
}

// A client that does not take its last frames is closed all the same.
func TestOutboxLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, daemon := net.Pipe()
		defer client.Close()
		o := newOutbox(daemon)
		writer := start(o, nil)
		o.put(item{frame: numbered(0, 0, 0), class: control})
		o.finish()
		began := time.Now()
		writer.Wait()
		if took := time.Since(began); took != lingerTimeout {
			t.Errorf("closed after %v, want %v", took, lingerTimeout)
		}
	})
}

// bufferState makes the state of a buffer with a text of some pieces.
func bufferState(t *testing.T, pieces int) core.ShardState {
	t.Helper()
	a, _, err := core.NewSession(core.Identity{Session: core.SessionID{1}}, "s", "/", 1,
		edit.Evaluate, edit.FirstBundle)
	if err != nil {
		t.Fatal(err)
	}
	id := core.BufferID(a.NewID())
	b := core.Bundle{New: []core.Shard{id.Shard()}}
	b.Add(id.Shard(), core.Of(&core.BufferNew{Kind: core.BufferScratch, Loading: true}))
	for range pieces {
		b.Add(id.Shard(), core.Of(&core.Load{Text: strings.Repeat("0123456789abcdef", 1<<16)}))
	}
	if _, err := a.CommitLocal(2, b); err != nil {
		t.Fatal(err)
	}
	st, ok := a.State(id.Shard())
	if !ok {
		t.Fatal("no buffer")
	}
	return st
}

// While a large snapshot goes out, answers and other shards' entries pass it; what is news of its
// shard, or of one whose snapshot waits, stays behind it; and so does a barrier.
func TestSnapshotPassing(t *testing.T) {
	first := bufferState(t, 4)
	second := first
	second.Shard.ID++
	other := core.BufferID(99).Shard()
	client, daemon := net.Pipe()
	o := newOutbox(daemon)
	put := func(n int, it item) {
		it.frame = numbered(1<<20, n, 0)
		o.put(it)
	}
	o.put(item{snapshot: &first, class: entry, shard: first.Shard})
	put(1, item{class: entry, shard: first.Shard})
	put(2, item{class: control})
	o.put(item{snapshot: &second, class: entry, shard: second.Shard})
	put(3, item{class: entry, shard: second.Shard})
	put(4, item{class: control, barrier: true})
	put(5, item{class: entry, shard: other})
	o.finish()
	writer := start(o, nil)
	var got []string
	in := proto.NewReader(client)
	for {
		b, err := in.ReadFrame()
		if err != nil {
			break
		}
		if binary.BigEndian.Uint32(b) == 1<<20 {
			got = append(got, fmt.Sprint(binary.BigEndian.Uint32(b[4:])))
			continue
		}
		m, err := proto.Decode(proto.FromDaemon, b)
		if err != nil {
			t.Fatal(err)
		}
		c := m.(*proto.SnapshotChunk)
		switch {
		case c.Last && c.Shard == first.Shard:
			got = append(got, "first")
		case c.Last:
			got = append(got, "second")
		}
	}
	if order := strings.Join(got, " "); order != "2 5 first 1 second 3 4" {
		t.Errorf("got %s", order)
	}
	writer.Wait()
}

// A client that is behind gets all of a session afresh, however many shards that has; what is new of
// them is bounded in number.
func TestOutboxNews(t *testing.T) {
	_, client := socketPair(t)
	o := newOutbox(client) // nobody writes
	st := bufferState(t, 1)
	for range 2 * newsMax {
		if o.put(item{snapshot: &st, class: entry}) || o.put(item{frame: []byte{0}, class: entry}) {
			t.Fatal("snapshots were dropped")
		}
	}
	for i := range newsMax {
		if o.put(item{frame: []byte{0}, class: entry, news: true}) {
			t.Fatalf("news was dropped at the %dth", i)
		}
	}
	o.take()
	if !o.put(item{frame: []byte{0}, class: entry, news: true}) {
		t.Error("more news than may wait was kept")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.news != 0 || o.bytes[entry] != 0 {
		t.Errorf("%d news of %d bytes are left", o.news, o.bytes[entry])
	}
}
