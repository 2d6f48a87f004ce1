package daemon

import (
	"bytes"
	"sync"

	"apex/core"
	"apex/daemon/journal"
	"apex/proto"
)

// readLog returns a shard's entries and when they were stored, from the journal, which reaches
// back further than memory, and has the shards that were deleted too.
func (s *session) readLog(r *proto.Log) (proto.Reply, error) {
	shard := core.Shard(r.Shard)
	s.mu.Lock()
	st, known := s.a.State(shard)
	s.mu.Unlock()
	if err := s.flush(); err != nil {
		return nil, err
	}
	p := &logPage{shard: shard, from: max(r.From, 1), limit: r.Max}
	if p.limit <= 0 || p.limit > proto.LogMaxBatches {
		p.limit = proto.LogMaxBatches
	}
	p.out.Last = st.Mark.Seq
	for rec, err := range s.j.History(s.places.find(shard, p.from)) {
		if err != nil {
			continue // a gap: what is missing shows in the numbers
		}
		if err := p.take(&rec); err != nil {
			return nil, err
		}
		if p.out.More {
			s.places.keep(logPlace{shard, p.next, rec.Number})
			break
		}
	}
	if !known && p.next == 0 {
		return nil, core.Errorf(core.CodeNotFound, "no shard %v", shard)
	}
	return &p.out, nil
}

// logPage is an answer in the making.
type logPage struct {
	shard core.Shard
	from  core.Seq
	limit int
	size  int      // bytes of the batches so far
	next  core.Seq // after the last batch of the shard that was seen; 0: none was
	out   proto.Logged
}

// take takes the shard's batches out of a record, until the page is full.
func (p *logPage) take(rec *journal.Record) error {
	batches, err := readRecord(bytes.Clone(rec.Payload))
	if err != nil {
		return err
	}
	for _, b := range batches {
		if b.Shard != p.shard {
			continue
		}
		if b.Last() < p.from {
			p.next = b.Last() + 1
			continue
		}
		if len(p.out.Batches) >= p.limit || p.size > proto.ReadMaxBytes {
			p.out.More = true
			return nil
		}
		if len(p.out.Batches) == 0 {
			p.out.Before.Seq = b.First - 1
			p.out.Gap = b.First > p.from
		}
		p.size += len(b.Bytes)
		p.next = b.Last() + 1
		p.out.Last = max(p.out.Last, b.Last())
		p.out.Batches = append(p.out.Batches,
			proto.Stored{Batch: b, At: core.Millis(rec.Stored.UnixMilli())})
	}
	return nil
}

// logPlaces remembers at which record the next page of a log begins, so that a log of many pages
// is read once and not once for each page. Only places of the newest pages are kept.
type logPlaces struct {
	mu   sync.Mutex
	kept []logPlace // oldest first
}

// maxLogPlaces is how many readers go through logs at a time without reading anything twice.
const maxLogPlaces = 64

// logPlace says that entry next of a shard is in that record or a later one.
type logPlace struct {
	shard  core.Shard
	next   core.Seq
	record uint64
}

// find returns the record from which a shard's entries from a number on are to be looked for.
func (l *logPlaces) find(shard core.Shard, from core.Seq) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	best := uint64(1)
	for _, p := range l.kept {
		if p.shard == shard && p.next <= from {
			best = max(best, p.record)
		}
	}
	return best
}

func (l *logPlaces) keep(p logPlace) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) == maxLogPlaces {
		l.kept = append(l.kept[:0], l.kept[1:]...)
	}
	l.kept = append(l.kept, p)
}
