package file

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOpenFIFODoesNotBlock(t *testing.T) {
	p := newPlace(t)
	if err := syscall.Mkfifo(p.path, 0o666); err != nil {
		t.Fatal(err)
	}
	// With no writer a plain open would wait for ever, and the test with it.
	_, err := Open(p.path, 100)
	e := wantCode(t, err, CodeNotRegular)
	if e.Op != "open" || e.Path != p.path {
		t.Fatalf("got op %q path %q, want open %q", e.Op, e.Path, p.path)
	}
}

func TestOpenRefuses(t *testing.T) {
	p := newPlace(t)
	write(t, p.path, []byte("text"))
	l, err := net.Listen("unix", filepath.Join(p.dir, "s"))
	if err != nil {
		t.Skipf("no socket to open: %v", err) // a temporary directory with too long a name
	}
	defer l.Close()
	for path, want := range map[string]Code{
		"/dev/null": CodeNotRegular, p.dir + "/s": CodeNotRegular,
		p.dir + "/none/f": CodeNotFound, p.path + "/": CodeNotFound, p.path + "/x": CodeNotFound,
		p.dir + "/none/": CodeNotFound,
		"f":              CodeBadPath, "": CodeBadPath, "/a\x00": CodeBadPath,
	} {
		c, err := Open(path, 100)
		if err == nil {
			t.Errorf("open %q: got %+v, want code %s", path, c, want)
			continue
		}
		wantCode(t, err, want)
	}
}

func TestOpenLimit(t *testing.T) {
	p := newPlace(t)
	write(t, p.path, random(1000))
	if c, err := Open(p.path, 1000); err != nil || len(c.Data) != 1000 {
		t.Fatal(len(c.Data), err)
	}
	_, err := Open(p.path, 999)
	if e := wantCode(t, err, CodeTooLarge); e.Size != 1000 || e.Limit != 999 {
		t.Fatalf("got %d of %d, want 1000 of 999", e.Size, e.Limit)
	}
	_, err = Open(p.dir, 1)
	if e := wantCode(t, err, CodeTooLarge); e.Size != 2 || e.Limit != 1 {
		t.Fatalf("got %d of %d, want 2 of 1", e.Size, e.Limit)
	}
	// A file whose size is not known before it is read.
	if _, err := os.Stat("/proc/self/status"); err == nil {
		if c, err := Open("/proc/self/status", 1<<20); err != nil || len(c.Data) == 0 {
			t.Fatal(len(c.Data), err)
		}
		_, err = Open("/proc/self/status", 10)
		wantCode(t, err, CodeTooLarge)
	}
}

func TestOpenDirectory(t *testing.T) {
	p := newPlace(t)
	for _, f := range []string{"b", "a", ".hidden", "\xff", "two\nlines"} {
		write(t, filepath.Join(p.dir, f), nil)
	}
	if err := os.Mkdir(filepath.Join(p.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sub", filepath.Join(p.dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{p.dir, p.dir + "/", p.dir + "/sub/.."} {
		c, err := Open(path, 1000)
		if err != nil {
			t.Fatal(err)
		}
		const want = "\"two\\nlines\"\n.hidden\na\nb\nlink\nsub/\n\xff\n"
		if !c.Dir || c.New || c.Path != p.dir || string(c.Data) != want || c.Hash != Sum(c.Data) {
			t.Fatalf("got %+v %q, want %q", c, c.Data, want)
		}
	}
}

func TestOpenNew(t *testing.T) {
	p := newPlace(t)
	c, err := Open(p.dir+"/x/../f", 100)
	if err != nil {
		t.Fatal(err)
	}
	if !c.New || c.Path != p.path || len(c.Data) != 0 || c.Hash != Sum(nil) || c.Dir {
		t.Fatalf("got %+v", c)
	}
	wantNames(t, p.dir)
}
