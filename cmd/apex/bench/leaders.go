package bench

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"apex/client"
	"apex/core"
	"apex/proto"
)

// pumped takes in what arrives at a session until stop is called.
func (r *rig) pumped(s *client.Session) (stop func()) {
	ctx, cancel := context.WithCancel(r.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s.Wait(ctx) == nil {
			s.Process()
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// dialled attaches a UI and says when its connection was made: what comes before is no hello.
func (r *rig) dialled(kind core.AttachKind) (s *client.Session, at time.Time, err error) {
	s, err = client.Attach(r.ctx, client.Options{Create: true, Kind: kind, Name: "bench",
		Actor: "human:bench", Dial: func(ctx context.Context) (net.Conn, error) {
			nc, err := r.at().Dial(ctx)
			at = time.Now()
			return nc, err
		}})
	return s, at, err
}

// takeover has one interface after the other attach and take the leases of the one before.
func takeover(r *rig) (measured, error) {
	first, b, err := r.small()
	if err != nil {
		return measured{}, err
	}
	durable, err := r.durableFloor()
	if err != nil {
		return measured{}, err
	}
	const times = 200
	floor, err := p50(times, durable)
	if err != nil {
		return measured{}, err
	}
	var took []time.Duration
	leader := first
	for range times {
		stop := r.pumped(leader)
		next, at, err := r.dialled(core.AttachUI)
		if err == nil {
			err = r.until(next, func() bool { return next.Leads(core.LayoutShard) })
		}
		took = append(took, time.Since(at))
		stop()
		if err == nil { // and the texts, one batch later
			err = r.until(next, func() bool { return next.Leads(b.Shard()) })
		}
		if err != nil {
			return measured{}, err
		}
		if err := leader.Detach(); err != nil {
			return measured{}, err
		}
		leader = next
	}
	leader.Close()
	return measured{median(took), floor, "us"}, nil
}

// resume has a follower come back that missed 10,000 entries.
func resume(r *rig) (measured, error) {
	s, b, err := r.small()
	if err != nil {
		return measured{}, err
	}
	defer s.Close()
	const missed, times = 10_000, 15
	link := newLink(r)
	w, err := client.Attach(r.ctx, client.Options{Kind: core.AttachObserver, Name: "bench",
		Actor: "human:bench", Dial: link.dial})
	if err != nil {
		return measured{}, err
	}
	defer w.Close()
	conn, err := client.Dial(r.ctx, r.at())
	if err != nil {
		return measured{}, err
	}
	defer conn.Close()
	var floors, values []time.Duration
	for range times {
		level := func() bool { return w.Knows(b.Shard()) && w.Buffer(b).Version == s.Buffer(b).Version }
		if err := r.until(w, level); err != nil {
			return measured{}, err
		}
		before, _ := w.Shard(b.Shard())
		link.cut()
		if err := r.until(w, func() bool { return !w.State().Connected }); err != nil {
			return measured{}, err
		}
		if err := r.flood(s, b, missed, 1); err != nil {
			return measured{}, err
		}
		link.mend()
		if err := r.until(w, level); err != nil {
			return measured{}, err
		}
		values = append(values, time.Since(link.at))
		floor, err := r.applied(conn, before)
		if err != nil {
			return measured{}, err
		}
		floors = append(floors, floor)
	}
	return measured{median(values), median(floors), "us"}, nil
}

// applied is how long what came after a state takes to be applied to it.
func (r *rig) applied(conn *client.Conn, st core.ShardState) (time.Duration, error) {
	var batches []*core.Sealed
	for from := st.Mark.Seq + 1; ; {
		l, err := conn.Log(r.ctx, "", st.Shard, from, 0)
		if err != nil {
			return 0, err
		}
		for _, x := range l.Batches {
			b, err := core.Open(x.Batch.Bytes)
			if err != nil {
				return 0, err
			}
			batches = append(batches, b)
			from = b.Last() + 1
		}
		if from > l.Last || len(l.Batches) == 0 {
			break
		}
	}
	start := time.Now()
	for _, b := range batches {
		var err error
		if st, err = st.Apply(b); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// link is a connection that can be cut, and is made again when it is mended.
type link struct {
	r    *rig
	end  *os.File      // of the connection
	open chan struct{} // has a value while a connection may be made
	at   time.Time     // when the newest was made
}

func newLink(r *rig) *link {
	l := &link{r: r, open: make(chan struct{}, 1)}
	l.mend()
	return l
}

func (l *link) dial(ctx context.Context) (net.Conn, error) {
	select {
	case <-l.open:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	nc, err := l.r.at().Dial(ctx)
	if err != nil {
		return nil, err
	}
	if l.end, err = nc.(*net.UnixConn).File(); err != nil { // the client makes the connection its own
		return nil, err
	}
	l.at = time.Now()
	return nc, nil
}

func (l *link) cut() {
	syscall.Shutdown(int(l.end.Fd()), syscall.SHUT_RDWR)
	l.end.Close()
}

func (l *link) mend() { l.open <- struct{}{} }

// followers is how many follow the text of clients_1000; half of them never read.
const followers = 1000

// clients1000 types into a text that many follow.
func clients1000(r *rig) (measured, error) {
	s, b, err := r.small()
	if err != nil {
		return measured{}, err
	}
	defer s.Close()
	w, err := r.attach(core.AttachObserver) // who waits for each key
	if err != nil {
		return measured{}, err
	}
	defer w.Close()
	if err := r.until(w, func() bool { return w.Knows(b.Shard()) }); err != nil {
		return measured{}, err
	}
	press := func() error {
		s.Process()
		if err := key(s, b); err != nil {
			return err
		}
		want := s.Buffer(b).Version
		if err := r.until(w, func() bool { return w.Buffer(b).Version == want }); err != nil {
			return err
		}
		return r.until(s, func() bool { return s.State().Unsynced == 0 })
	}
	alone, err := p50(rounds/4, press)
	if err != nil {
		return measured{}, err
	}
	var readers []int
	for i := range followers {
		fd, err := r.follower(b.Shard())
		if err != nil {
			return measured{}, fmt.Errorf("follower %d: %w", i, err)
		}
		if i%2 == 0 {
			readers = append(readers, fd)
		}
	}
	defer drain(readers)()
	// What fills the sockets of those who don't read, and not their queues.
	stop := r.pumped(w)
	err = r.flood(s, b, 10_000, 1)
	stop()
	if err != nil {
		return measured{}, err
	}
	value, err := p50(rounds/4, press)
	return measured{value, alone, "us"}, err
}

// drainEvery is how often those who read do: as interfaces that paint sixty frames a second. A thousand
// processes that wake for every key would measure the machine's scheduler.
const drainEvery = time.Second / 60

// drain reads what comes from descriptors until stop is called.
func drain(fds []int) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 64<<10)
		for tick := time.NewTicker(drainEvery); ; {
			select {
			case <-quit:
				tick.Stop()
				return
			case <-tick.C:
			}
			for _, fd := range fds {
				for n := len(buf); n == len(buf); {
					n, _, _ = syscall.Recvfrom(fd, buf, syscall.MSG_DONTWAIT)
				}
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

// follower attaches a client that follows a shard, and returns its socket, from which nobody reads.
func (r *rig) follower(shard core.Shard) (int, error) {
	nc, err := net.Dial("unix", r.socket())
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	if err := follow(nc, shard); err != nil {
		return 0, err
	}
	f, err := nc.(*net.UnixConn).File()
	if err != nil {
		return 0, err
	}
	r.files = append(r.files, f)
	return int(f.Fd()), nil
}

// follow attaches a client on a connection that follows a shard.
func follow(nc net.Conn, shard core.Shard) error {
	in := proto.NewReader(nc)
	if _, err := in.ReadFrame(); err != nil {
		return err
	}
	if err := send(nc, &proto.Client{Protocol: proto.Version, Build: "bench"}, &proto.Call{ID: 1,
		Request: &proto.Attach{Hello: core.Hello{Kind: core.AttachObserver, Name: "bench",
			Actor: "human:bench"}}}); err != nil {
		return err
	}
	for {
		frame, err := in.ReadFrame()
		if err != nil {
			return err
		}
		m, err := proto.Decode(proto.FromDaemon, frame)
		if err != nil {
			return err
		}
		if a, ok := m.(*proto.Return); ok {
			if a.Err != nil {
				return a.Err
			}
			break
		}
	}
	return send(nc, &core.Follow{Shards: []core.FollowShard{{Shard: shard}}})
}

func send(w io.Writer, messages ...proto.Message) error {
	var b []byte
	for _, m := range messages {
		next, err := proto.Append(b, m)
		if err != nil {
			return err
		}
		b = next
	}
	_, err := w.Write(b)
	return err
}
