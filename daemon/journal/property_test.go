package journal

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"apex/daemon/disk/disktest"
)

// model is what a journal's owner knows: the payload of every record it appended, in order, and how
// many of them were reported durable. Its snapshot is the list of the payloads, in two parts.
type model struct {
	t       *rapid.T
	disk    *disktest.Disk
	j       *Journal
	all     []string // payload of record i+1
	durable uint64
	calls   chan uint64
	life    int

	unconfirmed bool // what was recovered is not known to be durable
}

// replay is a receiver that rebuilds the list.
type replay struct {
	parts   map[string]string
	records []string
	first   uint64
	damages []Damage
}

func (r *replay) Part(key string, data []byte) { r.parts[key] = string(data) }

func (r *replay) Record(n uint64, _ time.Time, payload []byte) {
	if len(r.records) == 0 {
		r.first = n
	}
	r.records = append(r.records, string(payload))
}

func (r *replay) Damage(d Damage) { r.damages = append(r.damages, d) }

func (r *replay) Reset() { *r = replay{parts: map[string]string{}} }

// list is the state: the snapshot's lines followed by the records.
func (r *replay) list() []string {
	var all []string
	for _, key := range []string{"odd", "even"} {
		if s := r.parts[key]; s != "" {
			all = append(all, strings.Split(strings.TrimSuffix(s, "\n"), "\n")...)
		}
	}
	return append(all, r.records...)
}

func (m *model) parts(upTo uint64) []Part {
	half := upTo / 2
	return []Part{m.part("odd", m.all[:half]), m.part("even", m.all[half:upTo])}
}

func (m *model) part(key string, lines []string) Part {
	return Part{Key: key, Data: func(w io.Writer) error {
		for _, line := range lines {
			if _, err := io.WriteString(w, line+"\n"); err != nil {
				return err
			}
		}
		return nil
	}}
}

// start opens the journal as a new process does and compares what it finds with what it may find.
func (m *model) start() {
	m.life++
	fsys := m.disk.Mount()
	m.calls = make(chan uint64, 1000)
	calls := m.calls
	j, err := Open(fsys, "/tmp/s", Options{
		Durable:      func(upTo uint64) { calls <- upTo },
		HistoryBytes: 8 << 10,
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.j = j
	r := &replay{parts: map[string]string{}}
	report, err := j.Recover(r)
	if errors.Is(err, disktest.ErrDead) || errors.Is(err, syscall.EIO) {
		return
	}
	if err != nil {
		m.t.Fatal(err)
	}
	if len(r.damages) > 0 {
		m.t.Fatalf("life %d: got damage %v from a loss of power", m.life, r.damages)
	}
	got := r.list()
	if uint64(len(got)) < m.durable || len(got) > len(m.all) || report.Last != uint64(len(got)) {
		m.t.Fatalf("life %d: recovered %d records up to %d, want %d to %d",
			m.life, len(got), report.Last, m.durable, len(m.all))
	}
	for i, payload := range got {
		if payload != m.all[i] {
			m.t.Fatalf("life %d: record %d: got %q, want %q", m.life, i+1, payload, m.all[i])
		}
	}
	m.all = m.all[:len(got)]
	m.unconfirmed = report.NotDurable != nil
	if !m.unconfirmed {
		m.durable = uint64(len(got))
	}
}

// heard takes in what was reported durable.
func (m *model) heard() {
	for {
		select {
		case upTo := <-m.calls:
			rises := upTo > m.durable || upTo == m.durable && m.unconfirmed
			if !rises || upTo > uint64(len(m.all)) {
				m.t.Fatalf("got durable up to %d after %d of %d", upTo, m.durable, len(m.all))
			}
			m.durable, m.unconfirmed = upTo, false
		default:
			return
		}
	}
}

// append makes one commit of a few records. They are queued under one lock and waited for, so that
// a seed gives the same commits each time.
func (m *model) append() {
	m.j.mu.Lock()
	for range rapid.IntRange(1, 5).Draw(m.t, "records") {
		size := rapid.SampledFrom([]int{0, 10, 400, 700, 3000}).Draw(m.t, "size")
		fill := rapid.SampledFrom([]string{"z", "\x00"}).Draw(m.t, "fill")
		payload := fmt.Sprintf("%d.%d.%sz", m.life, len(m.all), strings.Repeat(fill, size))
		n, err := m.j.queue(entry{data: []byte(payload), size: int64(len(payload))})
		if errors.Is(err, ErrNotRecovered) {
			break
		}
		if err != nil || n != uint64(len(m.all)+1) {
			m.j.mu.Unlock()
			m.t.Fatalf("append: got %d, %v; want %d", n, err, len(m.all)+1)
		}
		m.all = append(m.all, payload)
	}
	m.j.mu.Unlock()
	_ = m.j.Flush()
	m.heard()
}

func (m *model) rotate() {
	last := uint64(len(m.all))
	upTo := last - min(last, rapid.Uint64Range(0, 3).Draw(m.t, "records after the snapshot"))
	if err := m.j.Rotate(m.parts(upTo), upTo); err != nil {
		return
	}
	m.heard()
	if m.durable != last {
		m.t.Fatalf("rotated: got durable up to %d, want %d", m.durable, last)
	}
}

// end ends the process. What was reported until then counts.
func (m *model) end(how func()) {
	how()
	_ = m.j.Close()
	m.heard()
	if !rapid.Bool().Draw(m.t, "faults go on") {
		m.disk.SetFault(nil)
		m.disk.SetRoom(-1)
	}
	m.start()
}

func (m *model) faults() map[string]func(*rapid.T) {
	kinds := []disktest.Kind{
		disktest.Create, disktest.Rename, disktest.SyncDir, disktest.Write, disktest.Write,
		disktest.Sync, disktest.Sync, disktest.Truncate, disktest.Remove,
	}
	failing := func(err error) {
		kind := rapid.SampledFrom(kinds).Draw(m.t, "kind")
		n := rapid.IntRange(1, 4).Draw(m.t, "n")
		m.disk.SetFault(disktest.Nth(kind, n, err))
	}
	return map[string]func(*rapid.T){
		"append":  func(*rapid.T) { m.append() },
		"append2": func(*rapid.T) { m.append() },
		"rotate":  func(*rapid.T) { m.rotate() },
		"eio":     func(*rapid.T) { failing(syscall.EIO) },
		"die in":  func(*rapid.T) { failing(disktest.ErrDead) },
		"full":    func(*rapid.T) { m.disk.SetRoom(rapid.Int64Range(0, 4000).Draw(m.t, "room")) },
		"room":    func(*rapid.T) { m.disk.SetRoom(-1) },
		"kill":    func(*rapid.T) { m.end(m.disk.Kill) },
		"cut":     func(*rapid.T) { m.end(m.disk.PowerCut) },
		"close":   func(*rapid.T) { m.end(func() { _ = m.j.Close() }) },
	}
}

// Under any mix of failing operations, full disks, kills and losses of power, every record reported
// durable is recovered, in order, and nothing but a prefix of what was appended; and no loss of
// power is taken for damage.
func TestDurableIsRecovered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, disk: disktest.New(rapid.Uint64().Draw(t, "seed"))}
		m.start()
		t.Repeat(m.faults())
		for range 2 {
			m.disk.SetFault(nil)
			m.disk.SetRoom(-1)
			m.end(m.disk.PowerCut)
		}
	})
}
