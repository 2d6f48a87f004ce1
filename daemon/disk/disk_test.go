package disk_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"apex/daemon/disk"
	"apex/daemon/disk/disktest"
)

func TestOSFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := disk.MkdirAll(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	if err := disk.MkdirAll(disk.OS, dir); err != nil {
		t.Fatalf("again: %v", err)
	}
	name := filepath.Join(dir, "f")
	for _, content := range []string{"first", "2"} {
		if err := disk.WriteFile(disk.OS, name, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if b, err := disk.ReadFile(disk.OS, name, 5); err != nil || string(b) != content {
			t.Fatalf("got %q, %v; want %q", b, err, content)
		}
	}
	if _, err := disk.ReadFile(disk.OS, name, 0); err == nil {
		t.Fatal("read more than the limit")
	}
	entries, err := disk.OS.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0] != (disk.Entry{Name: "f", Size: 1}) {
		t.Fatalf("got %v, %v", entries, err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, name: 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Fatalf("%s: got mode %v, %v; want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

func TestErrorsOfNames(t *testing.T) {
	for name, c := range map[string]struct {
		fs  disk.FS
		dir string
	}{"os": {disk.OS, t.TempDir()}, "disktest": {disktest.New(1).Mount(), "/tmp"}} {
		if _, err := c.fs.OpenFile(c.dir+"/none", os.O_RDONLY); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: open: got %v", name, err)
		}
		if _, err := c.fs.ReadDir(c.dir + "/none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: readdir: got %v", name, err)
		}
		if err := c.fs.Mkdir(c.dir + "/none/x"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: mkdir: got %v", name, err)
		}
		if err := c.fs.Mkdir(c.dir); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: mkdir again: got %v", name, err)
		}
		if err := disk.WriteFile(c.fs, c.dir+"/f", nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, err := c.fs.OpenFile(c.dir+"/f", os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: open anew: got %v", name, err)
		}
	}
}

// At whichever operation WriteFile stops, and whatever the loss of power takes, the file has its
// old content or the new one; the new one if WriteFile had returned.
func TestWriteFileIsOneStep(t *testing.T) {
	old, next := bytes.Repeat([]byte("old "), 500), bytes.Repeat([]byte("next "), 700)
	for _, stop := range []error{disktest.ErrDead, syscall.EIO} {
		for seed := range uint64(30) {
			for n := 1; writeOnce(t, seed, n, stop, old, next); n++ {
			}
		}
	}
}

// writeOnce reports whether the n-th operation was reached.
func writeOnce(t *testing.T, seed uint64, n int, stop error, old, next []byte) bool {
	t.Helper()
	d := disktest.New(seed)
	fsys := d.Mount()
	if err := disk.MkdirAll(fsys, "/tmp/s"); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteFile(fsys, "/tmp/s/f", old); err != nil {
		t.Fatal(err)
	}
	before := d.Ops()
	d.SetFault(disktest.At(before+n, stop))
	err := disk.WriteFile(fsys, "/tmp/s/f", next)
	reached := d.Ops() >= before+n
	if (err == nil) == reached {
		t.Fatalf("seed %d, operation %d: got %v", seed, n, err)
	}
	d.SetFault(nil)
	d.PowerCut()
	got, readErr := disk.ReadFile(d.Mount(), "/tmp/s/f", 1<<20)
	if readErr != nil {
		t.Fatalf("seed %d, operation %d: %v", seed, n, readErr)
	}
	if !bytes.Equal(got, next) && (err == nil || !bytes.Equal(got, old)) {
		t.Fatalf("seed %d, operation %d: got %d bytes after %v", seed, n, len(got), err)
	}
	return reached
}
