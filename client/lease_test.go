package client

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"apex/core"
	"apex/proto"
)

func tool(d *fakeDaemon) Options {
	return Options{Label: "s", Kind: core.AttachTool, Actor: "agent:x", Dial: d.dial}
}

// holder is who has a buffer's lease.
func (d *fakeDaemon) holder(b core.BufferID) (a core.AttachmentID) {
	d.set(func() {
		l, _ := d.a.Meta().Lease(b.Shard())
		a = l.Holder
	})
	return a
}

// TestLeaseRenewed: a tool has a lease for as long as it is there, and no longer than its time when it
// is not. Then a person's interface has it again.
func TestLeaseRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		b := d.open("/f", "text")
		ui := leading(t, human(d), b)
		x := attach(t, tool(d))
		pump := newPump(ui)
		if err := x.Lease(t.Context(), 2*time.Second, b.Shard()); err != nil {
			t.Fatal(err)
		}
		typeText(t, x, b, " by a tool")
		time.Sleep(time.Hour)
		if got := d.holder(b); got != x.Actor().Attachment {
			t.Errorf("after an hour %d has the lease", got)
		}
		until(t, x, "acknowledged", synced(x))
		d.cutAll() // a moment without a link costs nothing
		until(t, x, "is back", func() bool { return x.State().Connected && x.Leads(b.Shard()) })
		x.Close()
		time.Sleep(900 * time.Millisecond) // the last renewal was a second ago at most
		if got := d.holder(b); got != x.Actor().Attachment {
			t.Errorf("before its time is up %d has the lease", got)
		}
		time.Sleep(1100 * time.Millisecond)
		pump.stop()
		until(t, ui, "leads again", func() bool { return ui.Leads(b.Shard()) })
		if got := d.text(b); got != "text by a tool" {
			t.Errorf("text %q", got)
		}
		ui.Close()
		d.cutAll()
		d.wait.Wait()
	})
}

// TestLeaseRefused: what no tool can have is told by code, before or after the daemon was asked.
func TestLeaseRefused(t *testing.T) {
	d := newFake(t)
	b := d.open("/f", "text")
	x := attach(t, tool(d))
	for _, ttl := range []time.Duration{-time.Second, 0, 1999 * time.Millisecond, 365 * 24 * time.Hour} {
		if err := x.TakeFor(ttl, b.Shard()); core.CodeOf(err) != core.CodeBadRequest {
			t.Errorf("for %v: %v", ttl, err)
		}
	}
	for shard, want := range map[core.Shard]core.Code{core.MetaShard: core.CodeDenied,
		core.LayoutShard: core.CodeDenied, core.BufferID(77).Shard(): core.CodeNotFound} {
		if err := x.Lease(t.Context(), time.Minute, shard); core.CodeOf(err) != want {
			t.Errorf("%v: %v, want %s", shard, err, want)
		}
	}
	if err := x.Lease(t.Context(), time.Minute, b.Shard()); err != nil {
		t.Fatal(err)
	}
	y := attach(t, Options{Label: "s", Kind: core.AttachTool, Actor: "agent:y", Dial: d.dial})
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := y.Lease(ctx, time.Minute, b.Shard()); ctx.Err() == nil || err == nil {
		t.Errorf("while another has it: %v", err)
	}
	x.Give(b.Shard())
	until(t, y, "has it", func() bool { return y.Leads(b.Shard()) })
}

// TestBusy: what a daemon answers busy is asked again when it says, as long as there is time.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		calls := 0
		d.set(func() {
			d.asked = func(proto.Request) (proto.Reply, error) {
				if calls++; calls < 4 {
					return nil, core.Busy(200, "later")
				}
				return &proto.Done{}, nil
			}
		})
		x := attach(t, tool(d))
		defer x.Close()
		at := time.Now()
		if err := x.Ping(t.Context()); err != nil || calls != 4 {
			t.Errorf("%d calls, %v", calls, err)
		}
		if took := time.Since(at); took < 600*time.Millisecond || took > 1200*time.Millisecond {
			t.Errorf("after %v", took)
		}
		calls = -1 << 30
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		err := x.Ping(ctx)
		if _, busy := RetryAfter(err); !busy || ctx.Err() != nil {
			t.Errorf("a second of busy: %v", err)
		}
		if err := x.Ping(t.Context()); core.CodeOf(err) != core.CodeBusy {
			t.Errorf("busy for ever: %v", err)
		}
		x.Close()
		d.cutAll()
		d.wait.Wait()
	})
}
