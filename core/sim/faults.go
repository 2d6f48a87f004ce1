package sim

import "apex/core"

// fault breaks one thing.
func (r *run) fault() {
	n := r.rand.IntN(100)
	if r.opts.Lite {
		n = r.rand.IntN(45)
	}
	switch {
	case n < 40:
		r.cutSome()
	case n < 45:
		r.World.Rewrite()
		r.Count.Rewrites++
	case n < 58:
		r.crash()
	case n < 68:
		r.overflow()
	case n < 74:
		r.failDisk()
	case n < 80:
		r.slowDown()
	case n < 84:
		r.kill()
	case n < 87:
		r.leave()
	case n < 90:
		r.stop()
	case n < 95:
		r.compare()
	default:
		r.silence()
	}
}

// cutSome drops a connection: a random part of what is under way still arrives, the rest is lost
// in both directions. Either end may notice first.
func (r *run) cutSome() {
	if len(r.links) == 0 {
		return
	}
	l := r.links[r.rand.IntN(len(r.links))]
	r.Count.Cuts++
	if r.oneIn(3) { // the daemon notices first
		r.Gone(l, r.rand.IntN(1+len(l.up)))
		return
	}
	l.up = l.up[:r.rand.IntN(1+len(l.up))]
	r.Cut(l, r.rand.IntN(1+len(l.down)))
}

// crash kills the daemon; of what was not durable, some may survive.
func (r *run) crash() {
	if r.Auth == nil {
		return
	}
	for _, l := range append([]*link(nil), r.links...) {
		for n := r.rand.IntN(1 + len(l.down)); n > 0 && len(l.down) > 0; n-- {
			r.Down(l)
		}
	}
	r.Crash(r.rand.IntN(1 + r.Disk.waiting()))
}

// stop drains the daemon and ends it as SIGTERM does.
func (r *run) stop() {
	if r.Auth == nil || r.Disk.Failed {
		return
	}
	r.World.step(&core.Drain{})
	for range r.rand.IntN(30) {
		r.move()
	}
	if r.Auth == nil {
		return
	}
	r.Sync(r.Disk.waiting())
	r.Crash(0)
}

func (r *run) overflow() {
	if len(r.links) > 0 {
		r.Overflow(r.links[r.rand.IntN(len(r.links))])
	}
}

func (r *run) failDisk() {
	if r.Disk.Failed {
		r.World.Rewrite()
		r.Count.Rewrites++
		return
	}
	r.FailDisk()
	r.Count.DiskFailures++
}

// slowDown makes one client take little from now on, or none.
func (r *run) slowDown() {
	r.slow = 0
	if len(r.links) > 0 && r.oneIn(2) {
		r.slow = r.links[r.rand.IntN(len(r.links))].conn
	}
}

// silence makes one client say nothing from now on, or none.
func (r *run) silence() {
	r.quiet = 0
	if len(r.links) > 0 && r.oneIn(2) {
		r.quiet = r.links[r.rand.IntN(len(r.links))].conn
	}
}

// kill ends a client's process; another one of its kind begins.
func (r *run) kill() {
	c := r.Clients[r.rand.IntN(len(r.Clients))]
	if c.dead || c.left {
		return
	}
	r.logf("%s is killed", c.Name)
	r.Count.Deaths++
	c.dead = true
	if l := c.link; l != nil {
		l.up = l.up[:r.rand.IntN(1+len(l.up))]
		r.Cut(l, 0)
	}
	r.join(c.Kind)
}

// leave lets a client end its attachment; another one comes.
func (r *run) leave() {
	c := r.Clients[r.rand.IntN(len(r.Clients))]
	if c.dead || c.left || c.link == nil || c.R.Attachment() == 0 || c.R.Unsynced() > 0 ||
		c.R.Pending() > 0 {
		return
	}
	r.logf("%s leaves", c.Name)
	c.left = true
	c.post(r.World, c.R.Bye().Send...)
	r.join(c.Kind)
}

// compare sends the hash of a shard, as the daemon does when one has been quiet.
func (r *run) compare() {
	if r.Auth == nil || len(r.links) == 0 {
		return
	}
	m := r.Auth.Meta()
	s := m.Shards[r.rand.IntN(len(m.Shards))]
	st, ok := r.Auth.State(s)
	l := r.links[r.rand.IntN(len(r.links))]
	if ok && s != core.NotesShard && (s.Kind.Leasable() || r.Disk.waiting() == 0) {
		l.down = append(l.down, &core.Check{Shard: s, Seq: st.Mark.Seq, Hash: st.Hash()})
	}
}
