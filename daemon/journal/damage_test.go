package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"apex/daemon/disk/disktest"
)

const dir = "/tmp/s"

// framesOf returns where each frame of a file is.
func framesOf(t *testing.T, d *disktest.Disk, name string, generation uint64) []item {
	t.Helper()
	f, err := d.Mount().OpenFile(dir+"/"+name, 0)
	if err != nil {
		t.Fatal(err)
	}
	size, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	var items []item
	for s := newScanner(f, generation, 0, size); ; {
		it, err := s.next()
		if err == io.EOF {
			return items
		}
		if err != nil || it.bad != "" {
			t.Fatalf("%s: %v %s", name, err, it.bad)
		}
		it.payload = bytes.Clone(it.payload)
		items = append(items, it)
	}
}

// sample is a disk with generation 1 (records 1 to 3) and 2: parts a, b, c, then records 4 to 8,
// each a commit of its own. Generation 1 stays as history if keepOld is set.
func sample(t *testing.T, keepOld bool) *disktest.Disk {
	t.Helper()
	d := disktest.New(1)
	history := int64(-1)
	if keepOld {
		history = 1 << 20
	}
	j := open(t, d.Mount(), dir, Options{HistoryBytes: history})
	j.add(t, "one", "two", "three")
	large := strings.Repeat("B", 3*chunkSize/2)
	parts := []Part{text("a", "AAAA"), text("b", large), text("c", "CCCC")}
	if err := j.Rotate(parts, 3); err != nil {
		t.Fatal(err)
	}
	j.add(t, "four", "five", "six", "seven", "eight")
	j.close(t)
	return d
}

const second = "00000002.journal"

// target is one frame of sample's generation 2.
type target struct {
	name  string
	index int    // among the file's frames
	loses string // what the receiver does not get if it is gone: lines that begin so
}

var targets = []target{
	{"begin", 0, "none"},
	{"part", 1, "part a"},
	{"chunk", 2, "part a"},
	{"second chunk", 5, "part b"},
	{"part without chunks lost", 6, "part c"},
	{"end", 8, "none"},
	{"first record", 9, "record 4"},
	{"middle record", 11, "record 6"},
	{"last record", 13, "record 8"},
}

// fields are the offset classes of a frame.
var fields = []struct {
	name     string
	from, to int // bytes; to -1 is the frame's end
}{
	{"magic", 0, 2}, {"version", 2, 3}, {"kind", 3, 4}, {"length", 4, 8}, {"generation", 8, 16},
	{"sequence", 16, 24}, {"stored", 24, 32}, {"behind", 32, 36}, {"payload sum", 36, 40},
	{"header sum", 40, 44}, {"payload", 44, -1}, {"all", 0, -1},
}

// A flipped bit or zeros in any field of any frame: all else is given, the place is named, nothing
// is deleted, recovering twice gives the same, and Rotate brings the journal back.
func TestDamage(t *testing.T) {
	for _, target := range targets {
		for _, field := range fields {
			for _, how := range []string{"flip", "zero"} {
				t.Run(fmt.Sprintf("%s/%s/%s", target.name, field.name, how), func(t *testing.T) {
					d := sample(t, false)
					frame := framesOf(t, d, second, 2)[target.index]
					from, to := frame.off+int64(field.from), frame.off+int64(field.to)
					if field.to < 0 {
						to = frame.off + frame.length
					}
					if !spoil(t, d, how, from, to) {
						t.Skip("changes nothing")
					}
					checkDamaged(t, d, target, frame, how == "zero" && field.name == "all")
				})
			}
		}
	}
}

// spoil changes bytes of sample's generation 2 and reports whether they are others now.
func spoil(t *testing.T, d *disktest.Disk, how string, from, to int64) bool {
	t.Helper()
	b, err := d.Bytes(dir + "/" + second)
	if err != nil {
		t.Fatal(err)
	}
	was := bytes.Clone(b)
	switch how {
	case "flip":
		b[(from+to)/2] ^= 0x10
	case "zero":
		clear(b[from:to])
	case "cut":
		b = b[:from]
	}
	d.SetBytes(dir+"/"+second, b)
	return !bytes.Equal(b, was)
}

// wholeLog is what sample gives when nothing is damaged.
func wholeLog() []string {
	b := strings.Repeat("B", 3*chunkSize/2)
	return []string{"part a AAAA", "part b " + brief([]byte(b)), "part c CCCC",
		"record 4 four", "record 5 five", "record 6 six", "record 7 seven", "record 8 eight"}
}

// without leaves out the lines that begin so.
func without(lines []string, prefix string) []string {
	return slices.DeleteFunc(lines, func(s string) bool { return strings.HasPrefix(s, prefix) })
}

func checkDamaged(t *testing.T, d *disktest.Disk, target target, frame item, unseen bool) {
	t.Helper()
	spoiled, _ := d.Bytes(dir + "/" + second)
	j := open(t, d.Mount(), dir, Options{})
	got := without(slices.Clone(j.log.lines), "damage")
	if want := without(wholeLog(), target.loses); !slices.Equal(got, want) {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if target.name == "last record" {
		checkTail(t, d, j, frame, unseen)
		return
	}
	if len(j.report.Damages) == 0 || !errors.Is(j.report.NotDurable, ErrDamaged) {
		t.Fatalf("got %+v, want damage", j.report)
	}
	first := j.report.Damages[0]
	if first.File != second || first.Offset != frame.off {
		t.Fatalf("got %v, want it at offset %d", first, frame.off)
	}
	j.close(t)

	again := open(t, d.Mount(), dir, Options{})
	wantLog(t, &again.log, j.log.lines...)
	if now, _ := d.Bytes(dir + "/" + second); !bytes.Equal(now, spoiled) {
		t.Fatal("recovery has changed the damaged file")
	}
	checkComesBack(t, d, again, spoiled)
}

// checkComesBack begins a new generation on a damaged journal.
func checkComesBack(t *testing.T, d *disktest.Disk, j *bench, spoiled []byte) {
	t.Helper()
	if n, err := j.Append([]byte("nine")); n != 9 || err != nil {
		t.Fatalf("append: got %d, %v; want 9", n, err)
	}
	if err := j.Flush(); !errors.Is(err, ErrDamaged) {
		t.Fatalf("flush: got %v, want ErrDamaged", err)
	}
	if err := j.Rotate([]Part{text("all", "of it")}, 7); err == nil {
		t.Fatal("rotated with a snapshot that covers less than was recovered")
	}
	if err := j.Rotate([]Part{text("all", "of it")}, 8); err != nil {
		t.Fatal(err)
	}
	if got := j.lastDurable(); got != 9 {
		t.Fatalf("got durable up to %d, want 9", got)
	}
	j.close(t)
	kept, err := d.Bytes(dir + "/" + second + damagedSuffix)
	if err != nil || !bytes.Equal(kept, spoiled) {
		t.Fatalf("the damaged file is not kept as it was: %v", err)
	}
	j = open(t, d.Mount(), dir, Options{})
	wantLog(t, &j.log, "part all of it", "record 9 nine")
	j.close(t)
}

// checkTail checks that the damaged last record was cut, kept aside, and is written over.
func checkTail(t *testing.T, d *disktest.Disk, j *bench, frame item, unseen bool) {
	t.Helper()
	if j.report.NotDurable != nil || len(j.report.Damages) > 0 || j.report.Last != 7 {
		t.Fatalf("got %+v, want no damage", j.report)
	}
	tail := j.report.Tail
	if (tail == nil) != unseen {
		t.Fatalf("got tail %v", tail)
	}
	if tail != nil {
		kept, err := d.Bytes(dir + "/" + tail.Kept)
		if err != nil || tail.Offset != frame.off || int64(len(kept)) != tail.Length {
			t.Fatalf("got tail %v, %d bytes kept, %v; want it at %d",
				tail, len(kept), err, frame.off)
		}
	}
	j.add(t, "again")
	j.close(t)
	j = open(t, d.Mount(), dir, Options{})
	wantLog(t, &j.log, append(without(wholeLog(), "record 8"), "record 8 again")...)
	if j.report.Tail != nil || j.report.NotDurable != nil {
		t.Fatalf("second time: got %+v", j.report)
	}
	j.close(t)
}

// A file cut at any byte: what lies whole before it is given. In the records the rest is a torn
// tail, in the snapshot it is damage.
func TestCutAtEveryByte(t *testing.T) {
	frames := framesOf(t, sample(t, false), second, 2)
	end := frames[len(frames)-1]
	for _, target := range targets {
		frame := frames[target.index]
		for _, at := range []int64{0, 1, headerSize - 1, headerSize, frame.length - 1} {
			d := sample(t, false)
			if frame.off+at >= end.off+end.length {
				continue
			}
			spoil(t, d, "cut", frame.off+at, 0)
			j := open(t, d.Mount(), dir, Options{})
			var want []string
			for _, line := range wholeLog() {
				if frames[lastFrameOf[line[:8]]].off < frame.off {
					want = append(want, line)
				}
			}
			if got := without(slices.Clone(j.log.lines), "damage"); !slices.Equal(got, want) {
				t.Fatalf("%s cut at %d: got\n%s\nwant\n%s", target.name, at,
					strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			inSnapshot := target.index <= 8
			if damaged := errors.Is(j.report.NotDurable, ErrDamaged); damaged != inSnapshot {
				t.Fatalf("%s cut at %d: got %+v", target.name, at, j.report)
			}
			if torn := j.report.Tail != nil; !inSnapshot && torn != (at > 0) {
				t.Fatalf("%s cut at %d: got tail %v", target.name, at, j.report.Tail)
			}
			j.close(t)
		}
	}
}

// lastFrameOf is the index of the frame with which a line of wholeLog is complete.
var lastFrameOf = map[string]int{
	"part a A": 2, "part b [": 5, "part c C": 7,
	"record 4": 9, "record 5": 10, "record 6": 11, "record 7": 12, "record 8": 13,
}

// A damaged snapshot with a whole generation before it: that one is used, and the records of the
// newest are given after it.
func TestDamagedSnapshotFallsBack(t *testing.T) {
	for _, target := range targets[:6] {
		for _, how := range []string{"flip", "zero", "cut", "zero all", "cut all"} {
			d := sample(t, true)
			frames := framesOf(t, d, second, 2)
			frame, last := frames[target.index], frames[len(frames)-1]
			how, all := strings.CutSuffix(how, " all")
			from, to := frame.off, frame.off+frame.length
			if all {
				from, to = 0, last.off+last.length
			}
			spoil(t, d, how, from, to)
			want := []string{"record 1 one", "record 2 two", "record 3 three"}
			if how != "cut" && !all {
				want = append(want, wholeLog()[3:]...)
			}
			for range 2 {
				j := open(t, d.Mount(), dir, Options{})
				got := without(slices.Clone(j.log.lines), "damage")
				if !slices.Equal(got, want) {
					t.Fatalf("%s %s: got\n%s\nwant\n%s", target.name, how,
						strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				if !errors.Is(j.report.NotDurable, ErrDamaged) || j.report.Generation != 1 {
					t.Fatalf("%s %s: got %+v", target.name, how, j.report)
				}
				j.close(t)
			}
		}
	}
}

// Closing a damaged journal leaves its file as it is, also where it has no end.
func TestDamagedFileIsNotTrimmed(t *testing.T) {
	d := sample(t, false)
	frame := framesOf(t, d, second, 2)[4]
	spoil(t, d, "cut", frame.off+20, 0)
	was, _ := d.Bytes(dir + "/" + second)
	open(t, d.Mount(), dir, Options{}).close(t)
	if now, _ := d.Bytes(dir + "/" + second); !bytes.Equal(now, was) {
		t.Fatalf("got %d bytes, want all %d", len(now), len(was))
	}
}

// A generation that ends before the damaged snapshot begins is no replacement for it: what the
// snapshot alone covered would be missing in silence.
func TestNoFallBackToAGenerationThatEndsEarly(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{HistoryBytes: 1 << 20})
	j.add(t, "one")
	d.SetFault(disktest.Nth(disktest.Write, 1, syscall.EIO))
	if err := j.addGroup(t, "two", "three"); !errors.Is(err, syscall.EIO) {
		t.Fatalf("got %v, want EIO", err)
	}
	parts := []Part{text("a", "one"), text("b", "two"), text("c", "three")}
	if err := j.Rotate(parts, 3); err != nil {
		t.Fatal(err)
	}
	j.add(t, "four")
	j.close(t)
	old := dir + "/00000001.journal" // the failed write may have left some of it
	b, _ := d.Bytes(old)
	d.SetBytes(old, b[:framesOf(t, d, "00000001.journal", 1)[2].off+headerSize+3])
	frame := framesOf(t, d, second, 2)[4]
	spoil(t, d, "flip", frame.off, frame.off+frame.length)
	j = open(t, d.Mount(), dir, Options{})
	wantLog(t, &j.log, "part a one", "damage 00000002.journal "+j.report.Damages[0].Reason,
		"part c three", "record 4 four")
	if part := j.report.Damages[0].Part; part != "b" {
		t.Fatalf("got lost part %q, want b", part)
	}
	j.close(t)
}

func TestHistoryGoesThroughDamage(t *testing.T) {
	d := sample(t, true)
	frame := framesOf(t, d, second, 2)[11]
	spoil(t, d, "flip", frame.off, frame.off+frame.length)
	j := open(t, d.Mount(), dir, Options{})
	want := []string{"1 one", "2 two", "3 three", "4 four", "5 five",
		"records 6 to 6 are not kept", "7 seven", "8 eight"}
	wantHistory(t, j.Journal, 1, want...)
	if err := j.Rotate([]Part{text("all", "of it")}, 8); err != nil {
		t.Fatal(err)
	}
	j.add(t, "nine")
	wantHistory(t, j.Journal, 1, append(want, "9 nine")...)
	wantHistory(t, j.Journal, 7, "7 seven", "8 eight", "9 nine")
	j.close(t)
}

// A generation without records whose first frame is damaged still says which number comes next.
func TestNumbersGoOnAfterADamagedFirstFrame(t *testing.T) {
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{HistoryBytes: -1})
	j.add(t, "one", "two", "three")
	if err := j.Rotate([]Part{text("a", "state")}, 3); err != nil {
		t.Fatal(err)
	}
	j.close(t)
	spoil(t, d, "zero", 0, headerSize)
	j = open(t, d.Mount(), dir, Options{})
	if n, err := j.Append(nil); n != 4 || err != nil || len(j.report.Damages) == 0 {
		t.Fatalf("got record %d, %v after %+v; want 4", n, err, j.report)
	}
	_ = j.Close() // what was appended is lost: it waited for a rotation
}

// A block that the disk can't read is damage like any other; a disk that can't read at all is an
// error, and nothing is done to the file.
func TestUnreadableBlocks(t *testing.T) {
	for _, at := range []string{"middle record", "last record", "zeros"} {
		d := disktest.New(1)
		j := open(t, d.Mount(), dir, Options{})
		long := strings.Repeat("x", 2*blockSize)
		j.add(t, "one", long, "three", long, "five", long)
		d.Kill()
		name := dir + "/00000001.journal"
		frames := framesOf(t, d, "00000001.journal", 1)
		off := map[string]int64{
			"middle record": frames[5].off + blockSize + 1000, // record 4
			"last record":   frames[7].off + blockSize + 1000, // record 6
			"zeros":         frames[7].off + frames[7].length + 5*blockSize,
		}[at]
		lost := map[string]string{
			"middle record": "record 4", "last record": "record 6", "zeros": "none",
		}[at]
		d.SetFault(disktest.BadBlock(name, off, syscall.EIO))
		was, _ := d.Bytes(name)
		for range 2 {
			j = open(t, d.Mount(), dir, Options{})
			sum := brief([]byte(long))
			want := without([]string{"record 1 one", "record 2 " + sum, "record 3 three",
				"record 4 " + sum, "record 5 five", "record 6 " + sum}, lost)
			got := without(slices.Clone(j.log.lines), "damage")
			if !slices.Equal(got, want) || !errors.Is(j.report.NotDurable, ErrDamaged) {
				t.Fatalf("%s: got\n%s\n%+v", at, &j.log, j.report)
			}
			j.close(t)
		}
		if now, _ := d.Bytes(name); !bytes.Equal(now, was) {
			t.Fatalf("%s: the file was changed", at)
		}
	}
	d := sample(t, false)
	d.SetFault(func(op disktest.Op) error {
		if op.Kind == disktest.Read && op.Len > 0 {
			return syscall.EIO
		}
		return nil
	})
	j, err := Open(d.Mount(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Recover(&log{}); !errors.Is(err, syscall.EIO) {
		t.Fatalf("nothing can be read: got %v, want EIO", err)
	}
}
