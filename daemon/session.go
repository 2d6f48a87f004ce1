package daemon

import (
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"apex/core"
	"apex/daemon/file"
	"apex/daemon/journal"
)

// Bounds of what waits for a session's disk. Past them, whoever brings something new waits for its
// turn, and so does nobody else.
const (
	// backlogMaxBytes bounds the records that are not durable yet.
	backlogMaxBytes = 32 << 20
	// waitingMax bounds the messages and effects that wait for records.
	waitingMax = 1 << 16
)

// session is one session's owner. Its turn is a mutex: the reader goroutine that has a message
// runs the step itself, which saves the hop to another goroutine on the keystroke path. A step
// never waits for a disk, a socket or a program: it hands records to the journal, puts frames into
// outboxes, and starts effects on goroutines of their own. Sockets are written after the turn.
type session struct {
	d   *Daemon
	id  core.SessionID
	dir string // of its journal
	log *slog.Logger
	j   *journal.Journal

	mu      sync.Mutex
	room    sync.Cond // broadcast: less waits for the disk, or ended
	a       *core.Authority
	conns   []*conn // ordered by id
	touched []*conn // to be flushed after the turn
	posted  bool    // the journal got a record in this turn: unlock sends it to the disk
	timer   *time.Timer
	timerAt core.Millis // what timer is set to; 0: stopped
	ended   bool

	// What damage did, set when the session is read: which shards are read-only, and what was lost.
	readOnly string
	losses   []loss

	// Records: what was handed to the journal and what is known to be on disk.
	last, durable uint64
	records       []record    // not durable, oldest first
	backlog       int         // bytes of records
	waiting       []due       // what is due when records are durable, oldest first
	stamp         core.Millis // when the newest record was handed over
	moving        bool        // a new generation is being begun
	diverged      int         // replicas that were found to differ
	durability    string      // why the session is not durable; empty if it is
	reviver       *time.Timer // until the next try to make it durable
	// The journal refused a record. It gets no more of them until a new generation begins with
	// everything (hole), and nothing is acknowledged until that generation is durable (gated).
	hole, gated bool
	// unborn says that nothing on the disk tells that the session is being made: before its first
	// generation something has to. Of whoever writes a generation.
	unborn bool

	// Not durable: what is noted down when it is again, and what saves have left on the disk.
	owed  []func()
	wrote map[string]file.Hash

	hashes  []core.ShardState // whose hash is asked for
	hashing bool              // a goroutine works them out

	calls   map[uint64]localCall // by their tags
	nextTag uint64

	clock clock

	rosterDue bool        // who is here, or where, has changed since the roster was sent
	rosterAt  core.Millis // when it may be sent again
	away      []away      // whose connection was lost just now
	agents    agents      // who only make proposals
	reapAt    core.Millis // when somebody's time on the roster may be up; 0: nobody's
	meters    meters      // of proposals without an attachment
	spreader  spreader

	opening  pathLocks // one open of a path at a time: two of one file find one buffer
	places   logPlaces // where readers of logs are
	lanes    lanes     // effects of commands
	watching watching
	checks   checks
	programs *programs
	tasks    sync.WaitGroup
}

// record is a record that is not durable yet.
type record struct {
	number uint64
	bytes  int
}

// due is what a step wants done when a record is durable.
type due struct {
	record uint64
	after  core.After
}

func now() core.Millis { return core.Millis(time.Now().UnixMilli()) }

// trouble says what is wrong with a session, in words for people; the turn is held.
func (s *session) trouble() string {
	var all []string
	for _, t := range []string{s.durability, s.readOnly} {
		if t != "" {
			all = append(all, t)
		}
	}
	for _, l := range s.losses {
		all = append(all, l.why)
	}
	return strings.Join(all, "; ")
}

// newSession makes a session without its authority.
func (d *Daemon) newSession(dir string) *session {
	name := filepath.Base(dir)
	s := &session{d: d, dir: dir, log: d.log.With("session", name[:min(8, len(name))]),
		calls: map[uint64]localCall{}}
	s.room.L = &s.mu
	s.programs = newPrograms(s)
	return s
}

// step runs one step of the session.
func (s *session) step(in core.Input) {
	s.mu.Lock()
	s.run(in)
	s.unlock()
}

// run steps and does what the step wants; the turn is held.
func (s *session) run(in core.Input) {
	if !s.ended {
		s.perform(s.a.Step(s.clock.now(), in))
	}
}

// admit begins the turn of somebody who brings something new: it waits while too much waits for
// the disk. While the disk refuses it is the authority that says no.
func (s *session) admit() {
	s.mu.Lock()
	for s.crowded() {
		s.room.Wait()
	}
}

func (s *session) crowded() bool {
	return !s.ended && !s.a.Failed() && (s.backlog > backlogMaxBytes || len(s.waiting) > waitingMax)
}

// unlock ends the turn and writes what it left for connections.
func (s *session) unlock() {
	s.noticed()
	s.sendRoster()
	touched, posted := s.touched, s.posted
	s.touched, s.posted = nil, false
	for _, c := range touched {
		c.touched = false
	}
	s.schedule()
	if len(touched) > spreadAfter && !s.ended {
		s.spread(touched[spreadAfter:])
		touched = touched[:spreadAfter]
	}
	s.mu.Unlock()
	for _, c := range touched {
		c.out.flush()
	}
	if posted {
		s.j.Commit() // after the sockets: waking the committer takes longer than writing them
	}
}

func (s *session) touch(c *conn) {
	if !c.touched {
		c.touched = true
		s.touched = append(s.touched, c)
	}
}

// schedule sets the timer to the next deadline, of the authority, the roster or the reaper.
func (s *session) schedule() {
	at, ok := s.deadline()
	if !ok {
		if s.timerAt != 0 {
			s.timer.Stop()
			s.timerAt = 0
		}
		return
	}
	if at == s.timerAt {
		return
	}
	wait := max(time.Duration(at-min(at, s.clock.now()))*time.Millisecond, time.Millisecond)
	s.timerAt = at
	if s.timer == nil {
		s.timer = time.AfterFunc(wait, s.tick)
		return
	}
	s.timer.Reset(wait)
}

func (s *session) deadline() (core.Millis, bool) {
	if s.ended || s.a == nil {
		return 0, false
	}
	at, ok := s.a.Deadline()
	if s.rosterDue && (!ok || s.rosterAt < at) {
		at, ok = s.rosterAt, true
	}
	if s.reapAt != 0 && (!ok || s.reapAt < at) {
		at, ok = s.reapAt, true
	}
	return at, ok
}

func (s *session) tick() {
	s.mu.Lock()
	s.timerAt = 0
	s.run(&core.Tick{})
	s.reap()
	s.unlock()
}

// end stops the session: nothing changes it any more, and what waits for an answer gets err.
func (s *session) end(err *core.Error) {
	s.mu.Lock()
	s.endLocked(err)
	s.unlock()
}

func (s *session) endLocked(err *core.Error) {
	if !s.ended {
		s.tasks.Go(s.watchFiles) // which are none from now on
	}
	s.ended = true
	if s.reviver != nil {
		s.reviver.Stop()
	}
	for tag, c := range s.calls {
		c.answer <- core.Failed(err)
		delete(s.calls, tag)
	}
	s.room.Broadcast()
}
