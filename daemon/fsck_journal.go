package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"apex/core"
	"apex/daemon/disk"
	"apex/daemon/journal"
	"apex/proto"

	"github.com/zeebo/blake3"
)

// fsckMaxFindings bounds what is said of one session: damage comes in heaps, and the first places
// tell what happened.
const fsckMaxFindings = 1000

// journalCheck verifies one session's journal: it takes in what journal.Verify reads, builds the
// session again from each generation's snapshot, and holds what the records lead to against the next
// one's. It is a journal.Verifier.
type journalCheck struct {
	out   proto.SessionCheck
	more  int // findings past the bound
	shard core.Shard

	// What a running daemon has in memory, when record liveAt was the last. Records behind it are
	// not looked at.
	live   *core.Log
	liveAt uint64

	file   string // the generation that is being read
	upTo   uint64 // the record that the next one's snapshot covers; 0: there is none
	now    found
	closed map[core.Shard]string // shards that its snapshot says are read-only
	places map[core.Shard]int64  // where its snapshot has a shard
	begun  bool                  // its snapshot has been held against before
	broken bool                  // it is damaged: what does not follow from there on is no news

	before *core.Log // what the generations before lead to, at this one's snapshot; nil: not known
	ahead  uint64    // the last record that before has
	issued core.Issued
	log    shardTrace
}

func newJournalCheck(id string, shard core.Shard) *journalCheck {
	c := &journalCheck{shard: shard, log: shardTrace{shard: shard}}
	c.out.ID = id
	return c
}

// finding notes something that is wrong.
func (c *journalCheck) finding(f proto.Finding) {
	if len(c.out.Findings) == fsckMaxFindings {
		c.more++
		return
	}
	c.out.Findings = append(c.out.Findings, f)
}

func (c *journalCheck) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(c.out.Notes, n) {
		c.out.Notes = append(c.out.Notes, n)
	}
}

// Generation implements journal.Verifier.
func (c *journalCheck) Generation(name string, upTo uint64) {
	c.file, c.upTo, c.now, c.begun, c.broken = name, upTo, newFound(), false, false
	c.closed = nil
	c.places = map[core.Shard]int64{}
	c.out.Generations++
}

// Part implements journal.Verifier.
func (c *journalCheck) Part(key string, off int64, data []byte) {
	switch key {
	case frozenKey:
		c.now.readFrozen(data)
		c.closed = maps.Clone(c.now.frozen)
		return
	case lossesKey:
		c.now.readLosses(data)
		return
	}
	st, err := core.ReadSnapshot(data)
	if err == nil && st.Shard.String() != key {
		err = fmt.Errorf("it is that of %v", st.Shard)
	}
	if err != nil {
		c.finding(proto.Finding{File: c.file, Offset: off, Shard: key,
			What: "the snapshot can't be read: " + err.Error()})
		c.now.freezeKey(key, err.Error())
		return
	}
	c.out.Snapshots++
	c.places[st.Shard] = off
	c.now.restore.Snapshot(st)
	c.log.snapshot(c, off, st.Shard, st.Mark)
}

// Record implements journal.Verifier.
func (c *journalCheck) Record(n uint64, off int64, _ time.Time, payload []byte) {
	c.snapshotEnds()
	if c.upTo != 0 && n > c.upTo || c.live != nil && n > c.liveAt {
		return // the next generation has it too, or it came since
	}
	c.ahead = n
	c.out.Records++
	batches, err := readRecord(bytes.Clone(payload))
	if err != nil {
		c.finding(proto.Finding{File: c.file, Offset: off, What: "the record can't be read: " + err.Error()})
	}
	for _, b := range batches {
		if _, cut := c.now.frozen[b.Shard]; cut {
			continue
		}
		c.issued.Note(&b.Batch)
		if err := c.now.restore.Batch(b); err != nil {
			c.notApplied(off, b, err)
			continue
		}
		c.log.batch(c, off, b)
	}
}

// notApplied notes that a batch does not follow its shard's log. Behind damage that is what damage
// means.
func (c *journalCheck) notApplied(off int64, b *core.Sealed, err error) {
	c.now.freeze(b.Shard, err.Error())
	if c.broken {
		c.note("%s: offset %d: shard %v does not go on behind the damage: %v", c.file, off, b.Shard, err)
		return
	}
	c.finding(proto.Finding{File: c.file, Offset: off, Shard: b.Shard.String(),
		What: "the record can't be applied: " + err.Error()})
}

// Damage implements journal.Verifier.
func (c *journalCheck) Damage(d journal.Damage) {
	c.broken = true
	c.finding(proto.Finding{File: d.File, Offset: d.Offset, Length: d.Length, Shard: d.Part,
		What: d.Reason})
}

// Verified implements journal.Verifier.
func (c *journalCheck) Verified(v journal.Verified) {
	c.snapshotEnds()
	c.out.Bytes += v.Bytes
	if t := v.Tail; t != nil {
		c.finding(proto.Finding{File: t.File, Offset: t.Offset, Length: t.Length, What: t.Reason +
			": a write that was cut off, or the last record, damaged; the next start sets it aside"})
	}
	if c.before = nil; v.Whole() && (c.upTo == 0 || v.Last >= c.upTo) {
		c.before = c.now.restore.Log()
	}
}

// snapshotEnds holds a generation's snapshot, which has been read, against what the one before
// leads to.
func (c *journalCheck) snapshotEnds() {
	if c.begun {
		return
	}
	c.begun = true
	if m, ok := metaOf(c.now.restore.Log()); ok {
		c.issued.State(m)
	}
	if c.before != nil {
		c.compare(c.before, c.now.restore.Log(), c.file, c.now.frozen)
	}
}

// compare holds what the records lead to against what a snapshot, or the daemon, has.
func (c *journalCheck) compare(led, has *core.Log, file string, frozen map[core.Shard]string) {
	for _, shard := range shardsOf(led, has) {
		if frozen[shard] != "" {
			continue
		}
		wrong := func(format string, args ...any) {
			c.finding(proto.Finding{File: file, Offset: c.places[shard], Shard: shard.String(),
				What: fmt.Sprintf(format, args...)})
		}
		a, inLed := led.State(shard)
		b, inHas := has.State(shard)
		switch {
		case !inHas && a.Mark.Seq == 0 || !inLed && b.Mark.Seq == 0:
			continue // one without an entry need not be there
		case !inHas:
			wrong("the records lead to entry %d of a shard that is missing here", a.Mark.Seq)
		case !inLed || a.Mark.Seq < b.Mark.Seq:
			c.note("%s: entries of shard %v up to %d are in the snapshot only: the disk refused their records",
				file, shard, b.Mark.Seq)
		case a.Mark.Seq > b.Mark.Seq:
			wrong("it ends at entry %d, and the records lead to %d", b.Mark.Seq, a.Mark.Seq)
		case a.Mark.Chain != b.Mark.Chain:
			wrong("the chain at entry %d is %.8v, and the records lead to %.8v", a.Mark.Seq, b.Mark.Chain,
				a.Mark.Chain)
		case a.Hash() != b.Hash():
			wrong("the state at entry %d hashes to %.8v, and the records lead to %.8v", a.Mark.Seq, b.Hash(),
				a.Hash())
		case wholeHash(&a) != wholeHash(&b):
			wrong("the undo history at entry %d is not what the records lead to", a.Mark.Seq)
		default:
			c.out.Compared++
		}
	}
}

// wholeHash is the hash of all that a snapshot has, the undo history too.
func wholeHash(s *core.ShardState) (h core.Hash) {
	w := blake3.New()
	_ = s.WriteSnapshot(w) // a hash takes everything
	w.Sum(h[:0])
	return h
}

// shardsOf lists the shards that a disk holds and that either of two logs has.
func shardsOf(logs ...*core.Log) []core.Shard {
	all := map[core.Shard]bool{core.MetaShard: true}
	for _, l := range logs {
		if m, ok := metaOf(l); ok {
			for _, s := range m.Shards {
				all[s] = all[s] || s.Kind.Journaled()
			}
		}
	}
	maps.DeleteFunc(all, func(_ core.Shard, journaled bool) bool { return !journaled })
	return slices.SortedFunc(maps.Keys(all), core.Shard.Compare)
}

func metaOf(l *core.Log) (*core.Meta, bool) {
	st, ok := l.State(core.MetaShard)
	if !ok {
		return nil, false
	}
	return st.Meta(), true
}

// done ends the check when all files were read.
func (c *journalCheck) done(err error) *proto.SessionCheck {
	if err != nil {
		what := err.Error()
		if errors.Is(err, journal.ErrNewer) {
			what += ": this version can't verify it"
		}
		c.finding(proto.Finding{What: what})
	}
	if c.out.Generations == 0 && err == nil {
		c.finding(proto.Finding{What: "there is no journal"})
	}
	if c.out.Generations > 0 {
		c.state()
	}
	if c.more > 0 {
		c.note("and %d more findings", c.more)
	}
	if c.shard != (core.Shard{}) {
		c.out.Log = c.log.result()
	}
	return &c.out
}

// state looks at what all generations lead to.
func (c *journalCheck) state() {
	log := c.now.restore.Log()
	for _, s := range slices.SortedFunc(maps.Keys(c.closed), core.Shard.Compare) {
		c.finding(proto.Finding{File: c.file, Shard: s.String(), What: "read-only: " + c.closed[s]})
	}
	for _, l := range c.now.losses {
		c.note("lost before: %s", l.why)
	}
	m, ok := metaOf(log)
	if !ok && !c.broken {
		c.finding(proto.Finding{File: c.file, Shard: core.MetaShard.String(), What: "the metalog is missing"})
	}
	if !ok {
		return
	}
	if c.out.Label = m.Label; c.broken {
		return // what it lacks has no counters either
	}
	for _, low := range c.issued.Check(m) {
		c.finding(proto.Finding{File: c.file, Shard: core.MetaShard.String(), What: "counter: " + low})
	}
	if c.live != nil && c.before != nil && c.ahead <= c.liveAt {
		c.out.Live = true
		c.places = map[core.Shard]int64{}
		c.compare(c.before, c.live, "", c.now.frozen)
	}
}

// kept notes what lies beside the generations.
func (c *journalCheck) kept(fsys disk.FS, dir string) {
	names, err := journal.Kept(fsys, dir)
	if err != nil {
		return // reading the journal says it too
	}
	for _, name := range names {
		switch {
		case strings.HasSuffix(name, ".damaged"):
			c.note("%s: a damaged generation that was replaced, kept", name)
		case strings.HasSuffix(name, disk.TempSuffix):
			c.note("%s: a generation that was never finished", name)
		default:
			c.note("%s: what was cut from a journal's end, kept", name)
		}
	}
}

// shardTrace follows one shard's log.
type shardTrace struct {
	shard core.Shard
	out   proto.ShardLog
}

// snapshot takes in that a snapshot of a shard has a mark: what came before must lead there.
func (t *shardTrace) snapshot(c *journalCheck, off int64, s core.Shard, m core.Mark) {
	if s != t.shard || m.Seq == 0 {
		return
	}
	if t.out.From != 0 && m.Seq == t.out.To && m.Chain != t.out.Chain {
		c.finding(proto.Finding{File: c.file, Offset: off, Shard: s.String(), What: fmt.Sprintf(
			"the chain at entry %d is %.8v, and the log leads to %.8v", m.Seq, m.Chain, t.out.Chain)})
	}
	if t.out.From != 0 && m.Seq == t.out.To {
		t.out.Proofs++
	}
	if m.Seq > t.out.To {
		t.out.To, t.out.Chain = m.Seq, m.Chain
	}
}

// batch takes in a batch that was applied: its chain value follows from the one before.
func (t *shardTrace) batch(c *journalCheck, off int64, b *core.Sealed) {
	if b.Shard != t.shard || b.Last() <= t.out.To && t.out.From != 0 {
		return
	}
	if t.out.From == 0 {
		t.out.From = b.First
	} else if b.First != t.out.To+1 {
		c.note("entries %d to %d of shard %v are no longer kept", t.out.To+1, b.First-1, b.Shard)
	}
	t.out.To, t.out.Chain = b.Last(), b.Chain
	t.out.Batches++
}

func (t *shardTrace) result() *proto.ShardLog {
	out := t.out
	return &out
}
