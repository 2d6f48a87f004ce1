package client

import (
	"testing"

	"apex/core"
)

// BenchmarkCommit is what a keystroke costs the goroutine that made it, the system call of the
// write included, with a daemon that acknowledges.
func BenchmarkCommit(b *testing.B) {
	for _, link := range links {
		b.Run(link.name, func(b *testing.B) {
			d := newFake(b)
			id := d.open("/f", "")
			opts := human(d)
			opts.Dial = link.dial(d)
			s := attach(b, opts)
			until(b, s, "leads", func() bool { return s.Leads(id.Shard()) })
			b.ReportAllocs()
			for b.Loop() {
				buf := s.Buffer(id)
				var c core.Bundle
				end := buf.Text.Runes()
				c.Add(id.Shard(), core.Edit(buf.Version, end, end, "x", core.Group(buf.Version)+1))
				if err := s.Commit(c); err != nil {
					b.Fatal(err)
				}
				s.Process()
			}
			until(b, s, "acknowledged", func() bool { return s.State().Unsynced == 0 })
		})
	}
}
