package client

import (
	"testing"

	"apex/core"
	"apex/proto"
)

// TestBringsEnvironment: who leads brings its environment, again after each new link, and an
// observer does not.
func TestBringsEnvironment(t *testing.T) {
	d := newFake(t)
	env := []proto.EnvVar{{Name: "PATH", Value: "/bin"}}
	sets := make(chan *proto.EnvSet, 10)
	d.set(func() {
		d.asked = func(r proto.Request) (proto.Reply, error) {
			if r, ok := r.(*proto.EnvSet); ok {
				sets <- r
			}
			return &proto.Done{}, nil
		}
	})
	b := d.open("/f", "")
	watch := attach(t, Options{Label: "s", Kind: core.AttachObserver, Actor: "human:bob", Dial: d.dial,
		Environ: env})
	until(t, watch, "knows", func() bool { return watch.Knows(b.Shard()) })
	opts := human(d)
	opts.Environ = env
	s := leading(t, opts, b)
	for range 2 {
		until(t, s, "brought", func() bool { return len(sets) > 0 })
		if r := <-sets; r.Mode != proto.EnvReplace || len(r.Vars) != 1 || r.Session != s.Meta().Label {
			t.Errorf("brought %+v", r)
		}
		d.cutAll()
	}
	if len(sets) > 0 {
		t.Errorf("brought %d times more", len(sets))
	}
}
