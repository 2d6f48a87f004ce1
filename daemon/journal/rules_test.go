package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"apex/daemon/disk"
	"apex/daemon/disk/disktest"
)

// addGroup appends records as one commit.
func (b *bench) addGroup(t *testing.T, payloads ...string) error {
	t.Helper()
	b.Journal.mu.Lock()
	for _, p := range payloads {
		if _, err := b.queue(entry{data: []byte(p), size: int64(len(p))}); err != nil {
			t.Error(err)
		}
	}
	b.Journal.mu.Unlock()
	return b.Flush()
}

// countOps counts operations of a kind until the returned function is called.
func countOps(d *disktest.Disk, kind disktest.Kind) (stop func() int) {
	n := 0
	d.SetFault(func(op disktest.Op) error {
		if op.Kind == kind {
			n++
		}
		return nil
	})
	return func() int { d.SetFault(nil); return n }
}

func TestRuleOneSyncForAllThatGathered(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{})
	j.add(t, "first") // fills ahead
	syncs := countOps(d, disktest.Sync)
	if err := j.addGroup(t, "a", "b", "c"); err != nil {
		t.Fatal(err)
	}
	if n := syncs(); n != 1 {
		t.Fatalf("got %d syncs for one group, want 1", n)
	}
	writes := countOps(d, disktest.Write)
	if err := j.addGroup(t, "d", "e", "f"); err != nil {
		t.Fatal(err)
	}
	if n := writes(); n != 1 {
		t.Fatalf("got %d writes for one group, want 1", n)
	}
	j.close(t) // the last is told a moment after who waited for it goes on
	if want := []uint64{1, 4, 7}; !slices.Equal(j.durable, want) {
		t.Fatalf("got durable %v, want %v", j.durable, want)
	}
}

func TestRuleAppendNeverTouchesTheDisk(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{})
	held, release := make(chan bool), make(chan bool)
	d.SetFault(nil)
	j.opts.Durable = func(uint64) { held <- true; <-release }
	if _, err := j.Append([]byte("one")); err != nil {
		t.Fatal(err)
	}
	<-held // the committer stands
	before := d.Ops()
	for range 1000 {
		if _, err := j.Append([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if d.Ops() != before {
		t.Fatal("Append used the disk")
	}
	close(release)
	go func() {
		for range held {
		}
	}()
	if err := j.Flush(); err != nil {
		t.Fatal(err)
	}
	j.close(t)
}

func TestRuleZerosAheadAreTheCleanEnd(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{})
	j.add(t, "one")
	name := dir + "/00000001.journal"
	b, _ := d.Bytes(name)
	if tail := b[len(b)-fillAhead:]; !zero(tail) {
		t.Fatal("no zeros were written ahead")
	}
	d.Kill()
	j = open(t, d.Mount(), dir, Options{})
	wantLog(t, &j.log, "record 1 one")
	if j.report.Tail != nil || len(j.report.Damages) > 0 || j.report.NotDurable != nil {
		t.Fatalf("got %+v, want a clean end", j.report)
	}
	j.add(t, "two")
	if now, _ := d.Bytes(name); len(now) != len(b) {
		t.Fatalf("got %d bytes, want the zeros overwritten: %d", len(now), len(b))
	}
	j.close(t)
	if now, _ := d.Bytes(name); zero(now[len(now)-1:]) {
		t.Fatal("the zeros are still there after Close")
	}
}

func TestRuleDirectorySyncedAfterCreateAndRename(t *testing.T) {
	d := disktest.New(1)
	var kinds []disktest.Kind
	d.SetFault(func(op disktest.Op) error {
		switch op.Kind {
		case disktest.Mkdir, disktest.Rename, disktest.SyncDir:
			kinds = append(kinds, op.Kind)
		}
		return nil
	})
	j := open(t, d.Mount(), dir, Options{})
	want := []disktest.Kind{disktest.Mkdir, disktest.SyncDir, disktest.Rename, disktest.SyncDir}
	if !slices.Equal(kinds, want) {
		t.Fatalf("open: got %v, want %v", kinds, want)
	}
	kinds = nil
	if err := j.Rotate(nil, 0); err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(kinds, disktest.Rename); i < 0 || kinds[i+1] != disktest.SyncDir {
		t.Fatalf("rotate: got %v, want a sync after the rename", kinds)
	}
	j.close(t)
}

// A failed write or sync poisons the file: nothing is written to it again, nothing more becomes
// durable, and a fresh generation takes all that waited.
func TestRuleErrorsPoison(t *testing.T) {
	for _, kind := range []disktest.Kind{disktest.Write, disktest.Sync} {
		d := disktest.New(1)
		j := open(t, d.Mount(), dir, Options{HistoryBytes: 1 << 20})
		j.add(t, "one")
		d.SetFault(disktest.Nth(kind, 1, syscall.EIO)) // only once: a retry would succeed
		if err := j.addGroup(t, "two", "three"); !errors.Is(err, syscall.EIO) {
			t.Fatalf("got %v, want EIO", err)
		}
		before, _ := d.Bytes(dir + "/00000001.journal")
		if n, err := j.Append([]byte("four")); n != 4 || err != nil {
			t.Fatalf("got record %d, %v; want 4", n, err)
		}
		if err := j.Flush(); !errors.Is(err, syscall.EIO) {
			t.Fatalf("got %v, want EIO still", err)
		}
		if now, _ := d.Bytes(dir + "/00000001.journal"); !bytes.Equal(now, before) {
			t.Fatal("the poisoned file was written to")
		}
		if failed := j.failures(); len(failed) != 1 || j.lastDurable() != 1 {
			t.Fatalf("got failures %v, durable %d; want one and 1", failed, j.lastDurable())
		}
		if err := j.Rotate([]Part{text("s", "one two three")}, 3); err != nil {
			t.Fatal(err)
		}
		if got := j.lastDurable(); got != 4 {
			t.Fatalf("got durable up to %d, want 4", got)
		}
		if s := j.Stats(); s.Failure != nil || s.Waiting != 0 {
			t.Fatalf("got %+v, want no failure and nothing waiting", s)
		}
		j.add(t, "five")
		wantHistory(t, j.Journal, 1, "1 one", "2 two", "3 three", "4 four", "5 five")
		d.PowerCut()
		j = open(t, d.Mount(), dir, Options{})
		wantLog(t, &j.log, "part s one two three", "record 4 four", "record 5 five")
		j.close(t)
	}
}

func TestRuleFullDiskWaitsInBoundedMemory(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{MaxPending: 100})
	j.add(t, "one")
	d.SetRoom(0)
	big := strings.Repeat("x", fillAhead+100)
	if _, err := j.Append([]byte(big)); err != nil {
		t.Fatalf("the first that waits is always taken: %v", err)
	}
	if err := j.Flush(); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want ENOSPC", err)
	}
	if _, err := j.Append([]byte("y")); !errors.Is(err, ErrFull) {
		t.Fatalf("got %v, want ErrFull", err)
	}
	if err := j.Rotate([]Part{text("s", "state")}, 2); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want ENOSPC", err)
	}
	d.SetRoom(-1)
	if err := j.Rotate([]Part{text("s", "state")}, 2); err != nil {
		t.Fatal(err)
	}
	if n, err := j.Append([]byte("three")); n != 3 || err != nil {
		t.Fatalf("got record %d, %v; want 3: a refused one takes no number", n, err)
	}
	j.close(t)
	if got := j.lastDurable(); got != 3 {
		t.Fatalf("got durable up to %d, want 3", got)
	}
}

// Whatever operation of a rotation fails, or kills the process, and whatever a loss of power takes:
// a start finds the old generation or the new one, with all that was durable.
func TestRuleRotationIsOneStep(t *testing.T) {
	for _, stop := range []error{disktest.ErrDead, syscall.EIO} {
		for seed := range uint64(10) {
			for n := 1; rotateOnce(t, seed, n, stop); n++ {
			}
		}
	}
}

// rotateOnce reports whether the n-th operation was reached.
func rotateOnce(t *testing.T, seed uint64, n int, stop error) bool {
	t.Helper()
	d := disktest.New(seed)
	j := open(t, d.Mount(), dir, Options{})
	j.add(t, "one", "two", "three")
	d.SetFault(disktest.At(d.Ops()+n, stop))
	before := d.Ops()
	err := j.Rotate([]Part{text("s", "one two")}, 2)
	reached := d.Ops() >= before+n
	d.SetFault(nil)
	if _, appendErr := j.Append([]byte("four")); appendErr != nil {
		t.Fatal(appendErr)
	}
	_ = j.Flush()
	durable := max(j.lastDurable(), 3)
	d.PowerCut()
	_ = j.Close()
	j = open(t, d.Mount(), dir, Options{})
	old := []string{"record 1 one", "record 2 two", "record 3 three", "record 4 four"}
	next := []string{"part s one two", "record 3 three", "record 4 four"}
	got := j.log.lines
	isOld := slices.Equal(got, old[:len(got)]) && uint64(len(got)) >= durable
	isNew := len(got) <= 3 && slices.Equal(got, next[:len(got)]) && uint64(len(got)+1) >= durable
	if !isOld && !isNew || err == nil && !isNew {
		t.Fatalf("seed %d, operation %d: rotate: %v, durable %d, got\n%s",
			seed, n, err, durable, &j.log)
	}
	if j.report.NotDurable != nil {
		t.Fatalf("seed %d, operation %d: got %+v", seed, n, j.report)
	}
	j.close(t)
	return reached
}

// Records that are appended while a snapshot is written are in the new generation too.
func TestRuleAppendsGoOnDuringRotation(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{})
	j.add(t, "one")
	part := Part{Key: "s", Data: func(w io.Writer) error {
		j.add(t, "two", "three") // durable while the snapshot is being written
		if err := j.Rotate(nil, 3); !errors.Is(err, ErrRotating) {
			t.Errorf("got %v, want ErrRotating", err)
		}
		_, err := io.WriteString(w, "one")
		return err
	}}
	if err := j.Rotate([]Part{part}, 1); err != nil {
		t.Fatal(err)
	}
	j.add(t, "four")
	j.close(t)
	j = open(t, d.Mount(), dir, Options{})
	wantLog(t, &j.log, "part s one", "record 2 two", "record 3 three", "record 4 four")
	j.close(t)
}

func TestRuleFailedSnapshotChangesNothing(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{})
	j.add(t, "one")
	boom := errors.New("boom")
	err := j.Rotate([]Part{{Key: "s", Data: func(io.Writer) error { return boom }}}, 1)
	if !errors.Is(err, boom) {
		t.Fatalf("got %v, want boom", err)
	}
	j.add(t, "two")
	j.close(t)
	j = open(t, d.Mount(), dir, Options{})
	wantLog(t, &j.log, "record 1 one", "record 2 two")
	j.close(t)
}

func TestRuleHistoryHasABudget(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{HistoryBytes: 3000})
	for i := range uint64(10) {
		j.add(t, fmt.Sprint(i+1)+strings.Repeat(".", 1000))
		if err := j.Rotate([]Part{text("s", "state")}, i+1); err != nil {
			t.Fatal(err)
		}
	}
	if s := j.Stats(); s.History > 3000 || s.History < 1000 {
		t.Fatalf("got %d bytes of history, want up to 3000 and some", s.History)
	}
	var numbers []uint64
	var gap *Gap
	for r, err := range j.History(0) {
		if err != nil && !errors.As(err, &gap) {
			t.Fatal(err)
		}
		if err == nil {
			numbers = append(numbers, r.Number)
		}
	}
	if gap == nil || *gap != (Gap{From: 1, To: 8}) || !slices.Equal(numbers, []uint64{9, 10}) {
		t.Fatalf("got %v after gap %v, want 9 and 10 after 1 to 8", numbers, gap)
	}
	j.close(t)
	j = open(t, d.Mount(), dir, Options{HistoryBytes: 3000})
	wantLog(t, &j.log, "part s state")
	wantHistory(t, j.Journal, 10, "10 "+brief([]byte("10"+strings.Repeat(".", 1000))))
	j.close(t)
}

func TestRuleNewerFormatIsLeftAlone(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{})
	j.add(t, "one", "two")
	j.close(t)
	name := dir + "/00000001.journal"
	b, _ := d.Bytes(name)
	second := framesOf(t, d, "00000001.journal", 1)[3]
	h := second.header
	h.version = formatVersion + 1
	copy(b[second.off:], appendHeader(nil, h, second.off))
	d.SetBytes(name, b)
	k, err := Open(d.Mount(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Recover(&log{}); !errors.Is(err, ErrNewer) {
		t.Fatalf("got %v, want ErrNewer", err)
	}
	if now, _ := d.Bytes(name); !bytes.Equal(now, b) {
		t.Fatal("the newer file was changed")
	}
}

// A copy of a journal inside a record, such as somebody gets who opens one in an editor, is not
// taken for its frames when the record's own header is damaged.
func TestRuleCopiesOfFramesAreNoFrames(t *testing.T) {
	d := disktest.New(1)
	name := dir + "/00000001.journal"
	j := open(t, d.Mount(), dir, Options{})
	j.add(t, "one", "two")
	b, _ := d.Bytes(name)
	j.add(t, string(b[:1000]), "four")
	j.close(t)
	b, _ = d.Bytes(name)
	third := framesOf(t, d, "00000001.journal", 1)[4]
	b[third.off] ^= 1
	d.SetBytes(name, b)
	j = open(t, d.Mount(), dir, Options{})
	wantLog(t, &j.log, "record 1 one", "record 2 two",
		"damage 00000001.journal no frame header", "record 4 four")
	j.close(t)
}

// The last commit's records may reach the disk in any order. Lost ones before others of the same
// commit are a torn tail; the same bytes before a later commit are damage.
func TestRuleTornCommitIsNoDamage(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, later := range []bool{false, true} {
		d := disktest.New(1)
		j := open(t, d.Mount(), dir, Options{})
		j.add(t, "one")
		if err := j.addGroup(t, long, long, long); err != nil {
			t.Fatal(err)
		}
		if later {
			j.add(t, "five")
		}
		j.close(t)
		name := dir + "/00000001.journal"
		b, _ := d.Bytes(name)
		frame := framesOf(t, d, "00000001.journal", 1)[4] // record 3
		sector := (frame.off + 1000) / sectorSize * sectorSize
		clear(b[sector : sector+sectorSize])
		d.SetBytes(name, b)
		j = open(t, d.Mount(), dir, Options{})
		damaged := errors.Is(j.report.NotDurable, ErrDamaged)
		if damaged != later || (j.report.Tail == nil) != later {
			t.Fatalf("a later commit %v: got %+v", later, j.report)
		}
		if !later && j.report.Last != 2 {
			t.Fatalf("got last record %d, want 2", j.report.Last)
		}
		j.close(t)
	}
}

func TestReadOnlyDiskIsNoError(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{})
	j.add(t, "one")
	j.close(t)
	d.SetFault(disktest.Always(syscall.EROFS))
	j = open(t, d.Mount(), dir, Options{})
	wantLog(t, &j.log, "record 1 one")
	if !errors.Is(j.report.NotDurable, syscall.EROFS) {
		t.Fatalf("got %v, want EROFS", j.report.NotDurable)
	}
	fresh := open(t, d.Mount(), "/tmp/other", Options{})
	if !errors.Is(fresh.report.NotDurable, syscall.EROFS) {
		t.Fatalf("a new one: got %v, want EROFS", fresh.report.NotDurable)
	}
	if _, err := fresh.Append([]byte("one")); err != nil {
		t.Fatal(err)
	}
	d.SetFault(nil)
	if err := fresh.Rotate(nil, 0); err != nil {
		t.Fatal(err)
	}
	if got := fresh.lastDurable(); got != 1 {
		t.Fatalf("got durable up to %d, want 1", got)
	}
	fresh.close(t)
	j.close(t)
}

func TestUseOutOfOrder(t *testing.T) {
	j, err := Open(disktest.New(1).Mount(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(nil); !errors.Is(err, ErrNotRecovered) {
		t.Errorf("append: got %v, want ErrNotRecovered", err)
	}
	if err := j.Rotate(nil, 0); !errors.Is(err, ErrNotRecovered) {
		t.Errorf("rotate: got %v, want ErrNotRecovered", err)
	}
	if _, err := j.Recover(&log{}); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Recover(&log{}); err == nil {
		t.Error("recovered twice")
	}
	if err := j.Rotate(nil, 1); err == nil {
		t.Error("rotated with a snapshot of records that are not appended yet")
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("append: got %v, want ErrClosed", err)
	}
	if err := j.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("close: got %v, want ErrClosed", err)
	}
}

// Appends, rotations and readers side by side, on the real disk.
func TestSideBySide(t *testing.T) {
	j := open(t, disk.OS, t.TempDir(), Options{})
	const total = 2000
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range total {
			if _, err := j.Append(fmt.Appendf(nil, "%d", i+1)); err != nil {
				t.Error(err)
			}
			if i%100 == 0 {
				_ = j.Flush()
			}
		}
	})
	wg.Go(func() {
		for range 20 {
			if err := j.Rotate([]Part{text("s", "state")}, j.Stats().Last); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		for range 20 {
			next := uint64(1)
			for r, err := range j.History(1) {
				if err != nil || r.Number != next || string(r.Payload) != fmt.Sprint(next) {
					t.Errorf("got record %d %q, %v; want %d", r.Number, r.Payload, err, next)
					return
				}
				next++
			}
		}
	})
	wg.Wait()
	j.close(t)
	if !slices.IsSorted(j.durable) || j.lastDurable() != total {
		t.Fatalf("got durable up to %d in order %v", j.lastDurable(), slices.IsSorted(j.durable))
	}
}
