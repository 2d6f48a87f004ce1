package disktest

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"apex/daemon/disk"
)

func write(t *testing.T, fsys disk.FS, name, data string, sync bool) disk.File {
	t.Helper()
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(data), 0); err != nil {
		t.Fatal(err)
	}
	if sync {
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestSyncedSurvives(t *testing.T) {
	for seed := range uint64(50) {
		d := New(seed)
		fsys := d.Mount()
		write(t, fsys, "/tmp/a", "hello", true)
		if err := fsys.SyncDir("/tmp"); err != nil {
			t.Fatal(err)
		}
		d.PowerCut()
		if b, err := d.Bytes("/tmp/a"); err != nil || string(b) != "hello" {
			t.Fatalf("seed %d: got %q, %v", seed, b, err)
		}
	}
}

// What was not synced survives in all the ways that it may: a test that never saw one of them would
// prove nothing about it.
func TestUnsyncedMayBeLost(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(200) {
		d := New(seed)
		fsys := d.Mount()
		write(t, fsys, "/tmp/a", strings.Repeat("x", 2*SectorSize), false)
		d.PowerCut()
		b, err := d.Bytes("/tmp/a")
		switch {
		case err != nil:
			seen["no name"] = true
		case len(b) == 0:
			seen["empty"] = true
		case string(b) == strings.Repeat("x", 2*SectorSize):
			seen["whole"] = true
		case b[0] == 0 && b[SectorSize] == 'x':
			seen["only the second sector"] = true
		case b[0] == 'x' && b[SectorSize] == 0:
			seen["only the first sector"] = true
		}
	}
	if len(seen) != 5 {
		t.Fatalf("got %v, want all five outcomes", seen)
	}
}

func TestKillKeepsWhatWasWritten(t *testing.T) {
	d := New(1)
	fsys := d.Mount()
	f := write(t, fsys, "/tmp/a", "hello", false)
	d.Kill()
	if b, err := d.Bytes("/tmp/a"); err != nil || string(b) != "hello" {
		t.Fatalf("got %q, %v", b, err)
	}
	if _, err := f.WriteAt([]byte("y"), 0); !errors.Is(err, ErrDead) {
		t.Fatalf("write by the dead: got %v, want ErrDead", err)
	}
	if _, err := fsys.ReadDir("/tmp"); !errors.Is(err, ErrDead) {
		t.Fatalf("read by the dead: got %v, want ErrDead", err)
	}
}

func TestFailedSyncDropsWhatItShouldHaveWritten(t *testing.T) {
	for seed := range uint64(50) {
		d := New(seed)
		fsys := d.Mount()
		f := write(t, fsys, "/tmp/a", "old", true)
		if err := fsys.SyncDir("/tmp"); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte("new"), 0); err != nil {
			t.Fatal(err)
		}
		d.SetFault(Nth(Sync, 1, syscall.EIO))
		if err := f.Sync(); !errors.Is(err, syscall.EIO) {
			t.Fatalf("got %v, want EIO", err)
		}
		if err := f.Sync(); err != nil {
			t.Fatalf("second sync: %v", err)
		}
		if b, _ := d.Bytes("/tmp/a"); string(b) != "new" {
			t.Fatalf("before the loss of power: got %q", b)
		}
		d.PowerCut()
		if b, _ := d.Bytes("/tmp/a"); string(b) != "old" {
			t.Fatalf("after the loss of power: got %q", b)
		}
	}
}

func TestRoom(t *testing.T) {
	d := New(1)
	fsys := d.Mount()
	d.SetRoom(5)
	f := write(t, fsys, "/tmp/a", "1234", true)
	if n, err := f.WriteAt([]byte("5678"), 4); n != 1 || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %d, %v; want 1, ENOSPC", n, err)
	}
	if n, err := f.WriteAt([]byte("abcde"), 0); n != 5 || err != nil {
		t.Fatalf("overwrite: got %d, %v", n, err)
	}
	if err := fsys.Remove("/tmp/a"); err != nil {
		t.Fatal(err)
	}
	write(t, fsys, "/tmp/b", "12345", true)
}
