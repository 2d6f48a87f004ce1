package sim

import (
	"fmt"
	"io"
	"math/rand/v2"

	"apex/core"
)

// Options choose what a run does beside its seed.
type Options struct {
	Steps int       // under the workload and faults; then comes peace
	Lite  bool      // no fault but lost connections: for finding simple bugs first
	Trace io.Writer // every message and event, one a line; nil for none
}

// DefaultSteps is how many steps a run takes by default.
const DefaultSteps = 2000

// run is a world with the PRNG that drives it.
type run struct {
	*World
	rand    *rand.Rand
	opts    Options
	weather weather
	clients int             // ever made
	tokens  int             // ever typed
	intents []core.Proposal // proposals that may be repeated
	pairs   [][2]*token     // typed at once into two buffers
	set     map[string]bool // tokens in whole texts that tools proposed, which may bring them back
	slow    core.ConnID     // this connection takes little
	quiet   core.ConnID     // and this one's leader says nothing
}

// Run runs one seed. An error says which promise was broken.
func Run(seed uint64, o Options) (Counters, error) { return runWith(seed, o, nil) }

// runWith runs a seed in a world that mutate may have damaged.
func runWith(seed uint64, o Options, mutate func(*World)) (Counters, error) {
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
	w, err := NewWorld()
	if err != nil {
		return Counters{}, err
	}
	r := &run{World: w, rand: rand.New(rand.NewPCG(seed, 0xa9e8)), opts: o, set: map[string]bool{}}
	w.Trace = o.Trace
	w.Settle() // a session is there once its first record is
	w.Whole = func() bool { return r.oneIn(16) }
	w.Merge = func() bool { return r.oneIn(2) }
	if mutate != nil {
		mutate(w)
	}
	r.drawWeather()
	r.join(core.AttachUI)
	r.join(core.AttachUI)
	r.join(core.AttachTool)
	r.join(core.AttachObserver)
	for w.Count.Steps = 0; w.Count.Steps < o.Steps && w.Err == nil; w.Count.Steps++ {
		r.step()
	}
	if w.Err == nil {
		r.heal()
	}
	if w.Err == nil {
		r.final()
	}
	if w.Err != nil {
		w.logState()
	}
	w.tallyLog()
	return w.Count, w.Err
}

func (r *run) oneIn(n int) bool { return r.rand.IntN(n) == 0 }

// join adds a client, connected if the daemon is up.
func (r *run) join(kind core.AttachKind) *Client {
	r.clients++
	c := r.NewClient(fmt.Sprintf("%v%d", kind, r.clients), kind)
	if r.Auth != nil {
		r.Connect(c)
	}
	return c
}

// weather is how often things happen in one run, in percent of its steps; the rest moves messages.
type weather struct{ sync, pass, work, reconnect, fault int }

// weather draws a run's weather: quiet ones reach states that stormy ones never live to see, and a
// slow disk leaves more to be lost.
func (r *run) drawWeather() {
	pick := func(of ...int) int { return of[r.rand.IntN(len(of))] }
	r.weather = weather{sync: pick(2, 8, 8, 14), pass: 6, work: pick(10, 16, 30),
		reconnect: 5, fault: pick(1, 3, 3, 5)}
}

// step does one thing: mostly moves a message, sometimes works, syncs, breaks something.
func (r *run) step() {
	n := r.rand.IntN(100)
	due := func(percent int) bool {
		n -= percent
		return n < 0
	}
	switch {
	case due(r.weather.sync):
		r.syncSome()
	case due(r.weather.pass):
		r.pass()
	case due(r.weather.work):
		r.work()
	case due(r.weather.reconnect):
		r.reconnect()
	case due(r.weather.fault):
		r.fault()
	default:
		r.move()
	}
}

// move delivers one message of a random connection.
func (r *run) move() {
	if len(r.links) == 0 {
		r.recover()
		return
	}
	if len(r.hashes) > 0 && r.oneIn(4) {
		r.Hash()
		return
	}
	l := r.links[r.rand.IntN(len(r.links))]
	up := len(l.up) > 0 && l.conn != r.quiet
	down := (len(l.down) > 0 || l.closing || l.behind) && (l.conn != r.slow || r.oneIn(16))
	switch {
	case up && (!down || r.oneIn(2)):
		r.Up(l)
	case down:
		r.takeDown(l)
	case l.client == nil && r.oneIn(3):
		r.Gone(l, r.rand.IntN(4))
	}
}

func (r *run) takeDown(l *link) {
	if len(l.down) == 0 {
		l.down = append(l.down, &core.Ack{})
	}
	r.Down(l)
}

func (r *run) syncSome() {
	if r.Auth == nil {
		r.recover()
		return
	}
	r.Sync(1 + r.rand.IntN(4))
}

// pass lets a random time pass: mostly of the size of keystrokes, sometimes past a deadline.
func (r *run) pass() {
	d := core.Millis(r.rand.IntN(40))
	switch r.rand.IntN(60) {
	case 0, 1, 2:
		d = core.Millis(r.rand.IntN(1000))
	case 3, 4:
		d = core.Millis(r.rand.IntN(5000))
	case 5:
		d = core.Millis(r.rand.IntN(100_000))
	}
	r.Tick(d)
}

// recover brings the daemon back.
func (r *run) recover() {
	if r.Auth == nil && r.oneIn(4) {
		r.Start()
	}
}

// reconnect lets clients that have no connection come back.
func (r *run) reconnect() {
	if r.Auth == nil {
		return
	}
	c := r.Clients[r.rand.IntN(len(r.Clients))]
	switch {
	case c.dead || c.left:
	case c.link == nil:
		r.Connect(c)
	case r.oneIn(2):
		c.post(r.World, c.R.Retry().Send...)
	case c.Kind == core.AttachUI && !c.Leading && r.oneIn(3):
		c.TakeBack(r.World)
	}
}

// heal ends all faults, brings everybody back and lets things come to rest.
func (r *run) heal() {
	r.logf("heal")
	r.slow, r.quiet = 0, 0
	r.Start()
	if r.Disk.Failed {
		r.Rewrite()
	}
	r.adoptTerms()
	for _, l := range append([]*link(nil), r.links...) {
		if l.client == nil {
			r.Gone(l, len(l.up))
		}
	}
	const rounds = 500 // deadlines that may lie between a fault and rest
	for range rounds {
		for _, c := range r.Clients {
			if c.dead || c.left {
				continue
			}
			if c.link != nil {
				c.post(r.World, c.R.Retry().Send...)
				continue
			}
			r.Connect(c)
		}
		r.Settle()
		if r.Err != nil {
			return
		}
		if len(r.execs) > 0 {
			r.endExec()
			continue
		}
		due, ok := r.Auth.Deadline()
		if !ok && r.quietClients() {
			return
		}
		r.Tick(max(due, r.Now) - r.Now)
	}
	due, ok := r.Auth.Deadline()
	r.failf("no peace after %d rounds: due %d (%v), now %d", rounds, due, ok, r.Now)
}

// quietClients reports whether every client is connected and waits for nothing.
func (r *run) quietClients() bool {
	for _, c := range r.Clients {
		if !c.dead && !c.left && (c.link == nil || c.R.Unsynced() > 0 || c.R.Pending() > 0) {
			return false
		}
	}
	return true
}
