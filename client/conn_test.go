package client

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"apex/core"
	"apex/proto"
)

// connect makes a bare connection to a fake daemon.
func connect(t *testing.T, d *fakeDaemon) *Conn {
	t.Helper()
	nc, _ := d.dial(context.Background())
	c, err := greet(context.Background(), nc, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCalls(t *testing.T) {
	d := newFake(t)
	windows := []proto.WindowInfo{{Name: "/f"}}
	d.set(func() {
		d.asked = func(r proto.Request) (proto.Reply, error) {
			switch r := r.(type) {
			case *proto.Windows:
				return &proto.WindowList{Windows: windows}, nil
			case *proto.Resolve:
				return nil, &proto.Error{Code: core.CodeConflict, Message: "two",
					Details: proto.Details{Matches: []string{"a", r.Win}}}
			case *proto.Exec:
				return &proto.Outcome{Result: core.Result{Err: core.Errorf(core.CodeBusy, "later")}}, nil
			}
			return &proto.Done{}, nil
		}
	})
	c := connect(t, d)
	defer c.Close()
	ctx := context.Background()
	if got, err := c.Windows(ctx, "s"); err != nil || len(got) != 1 || got[0].Name != "/f" {
		t.Errorf("Windows = %v, %v", got, err)
	}
	_, err := c.Resolve(ctx, "s", "b")
	var detailed *proto.Error
	if core.CodeOf(err) != core.CodeConflict || !errors.As(err, &detailed) ||
		detailed.Details.Matches[1] != "b" {
		t.Errorf("Resolve: %v", err)
	}
	if _, err := c.Exec(ctx, &proto.Exec{}); core.CodeOf(err) != core.CodeBusy {
		t.Errorf("Exec: %v", err)
	}
	if _, err := c.Status(ctx); core.CodeOf(err) != core.CodeInternal {
		t.Errorf("a reply of another kind: %v", err)
	}
	if err := c.Ping(ctx); err != nil {
		t.Error(err)
	}
	d.cutAll()
	if err := c.Ping(ctx); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("on a lost connection: %v", err)
	}
	<-c.Done()
}

// TestWedged: whatever a daemon does not answer, the caller hears of it in time.
func TestWedged(t *testing.T) {
	silent := func(proto.Request) (proto.Reply, error) { return nil, nil }
	ctx := context.Background()
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, d *fakeDaemon) error
	}{
		{"greeting", func(t *testing.T, d *fakeDaemon) error {
			d.set(func() { d.mute = true })
			nc, _ := d.dial(ctx)
			_, err := greet(ctx, nc, "test", nil)
			return err
		}},
		{"request", func(t *testing.T, d *fakeDaemon) error {
			c := connect(t, d)
			defer c.Close()
			d.set(func() { d.asked = silent })
			return c.Ping(ctx)
		}},
		{"patient request", func(t *testing.T, d *fakeDaemon) error {
			c := connect(t, d)
			defer c.Close()
			d.set(func() { d.asked = silent })
			_, err := c.Exec(ctx, &proto.Exec{})
			return err
		}},
		{"attach", func(t *testing.T, d *fakeDaemon) error {
			d.hold(true)
			_, err := Attach(ctx, human(d))
			return err
		}},
		{"attach to a mute one", func(t *testing.T, d *fakeDaemon) error {
			d.set(func() { d.mute = true })
			_, err := Attach(ctx, human(d))
			return err
		}},
		{"no reader", func(t *testing.T, d *fakeDaemon) error {
			ours, theirs := net.Pipe()
			defer ours.Close()
			go func() {
				b, _ := proto.Append(nil, d.server)
				ours.Write(b)
				proto.NewReader(ours).ReadFrame()
			}()
			c, err := greet(ctx, theirs, "test", nil)
			if err != nil {
				return err
			}
			defer c.Close()
			return c.Ping(ctx)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newFake(t)
				begin := time.Now()
				err := tt.do(t, d)
				if core.CodeOf(err) != core.CodeUnavailable {
					t.Errorf("error %v", err)
				}
				if took := time.Since(begin); took > pingEvery+AnswerTimeout {
					t.Errorf("it took %v of the bubble's time", took)
				}
				d.cutAll()
				d.wait.Wait()
			})
		})
	}
}

// TestPatience: a request that waits on purpose may take long while the daemon lives.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		c := connect(t, d)
		d.set(func() {
			d.asked = func(r proto.Request) (proto.Reply, error) {
				if _, ok := r.(*proto.Exec); ok {
					time.AfterFunc(time.Hour, func() {
						d.set(func() {
							d.conns[1].send(&proto.Return{ID: 1, Reply: &proto.Outcome{
								Result: core.Result{Outcome: core.Applied}}})
						})
					})
					return nil, nil
				}
				return &proto.Done{}, nil
			}
		})
		if r, err := c.Exec(context.Background(), &proto.Exec{}); err != nil || r.Outcome != core.Applied {
			t.Errorf("Exec = %+v, %v", r, err)
		}
		c.Close()
		d.wait.Wait()
	})
}

func TestCancelled(t *testing.T) {
	d := newFake(t)
	d.set(func() { d.asked = func(proto.Request) (proto.Reply, error) { return nil, nil } })
	c := connect(t, d)
	defer c.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("the person pressed escape")
	cancel(why)
	if err := c.Ping(ctx); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	nc, _ := d.dial(ctx)
	if _, err := greet(ctx, nc, "test", nil); !errors.Is(err, why) {
		t.Errorf("greeting: %v", err)
	}
}

func TestVersionMismatch(t *testing.T) {
	for _, tt := range []struct {
		name     string
		min, max uint64
	}{{"newer daemon", proto.Version + 1, proto.Version + 2}, {"older daemon", 0, 0}} {
		d := newFake(t)
		d.server = &proto.Server{Min: tt.min, Max: tt.max, Build: "other", PID: 4711}
		_, err := Attach(context.Background(), human(d))
		if core.CodeOf(err) != core.CodeVersion {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, want := range []string{"other", "4711"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", tt.name, err, want)
			}
		}
	}
}

// TestWriterOrder: what goes to the socket at once and what waits for it stays in order, and a
// peer that reads nothing costs bounded memory.
func TestWriterOrder(t *testing.T) {
	ours, theirs := socketPair(t)
	defer ours.Close()
	defer theirs.Close()
	w := newWriter(theirs)
	done := make(chan struct{})
	ended := make(chan error, 1)
	go func() { ended <- w.run(done) }()
	const frames, size = 4000, 997
	go func() {
		b := make([]byte, size)
		for i := range frames {
			for k := range b {
				b[k] = byte(i)
			}
			if err := w.write(b); err != nil {
				t.Error(err)
			}
		}
	}()
	got := make([]byte, size)
	for i := range frames {
		for n := 0; n < size; {
			k, err := ours.Read(got[n:])
			if err != nil {
				t.Fatal(err)
			}
			n += k
		}
		for _, x := range got {
			if x != byte(i) {
				t.Fatalf("frame %d has %d", i, x)
			}
		}
	}
	b := make([]byte, writerMaxBytes/4)
	var err error
	for range 6 {
		err = w.write(b)
	}
	if core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("error %v", err)
	}
	close(done)
	theirs.Close()
	<-ended
}

// TestRefused: a daemon that is full, or stopping, says so and hangs up, whatever is on its way.
func TestRefused(t *testing.T) {
	for _, link := range links {
		t.Run(link.name, func(t *testing.T) {
			d := newFake(t)
			refuse := func(context.Context) (net.Conn, error) {
				ours, theirs := net.Pipe()
				if link.name == "socket" {
					ours, theirs = socketPair(t)
				}
				b, _ := proto.Append(nil, d.server)
				b, _ = proto.Append(b, &core.Failure{Err: core.Errorf(core.CodeBusy, "full")})
				go func() {
					ours.Write(b)
					ours.Close()
				}()
				return theirs, nil
			}
			opts := human(d)
			opts.Dial = refuse
			if _, err := Attach(context.Background(), opts); core.CodeOf(err) != core.CodeBusy {
				t.Errorf("Attach: %v", err)
			}
		})
	}
}

// TestCloseTwice: closing is done once, by however many.
func TestCloseTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		c := connect(t, d)
		if err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { c.Close() })
		}
		all.Wait()
		c.Close()
		if err := c.Ping(t.Context()); core.CodeOf(err) != core.CodeUnavailable {
			t.Errorf("after the end: %v", err)
		}
		d.cutAll()
		d.wait.Wait()
	})
}
