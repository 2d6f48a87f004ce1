package file

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// mount mounts something for one test, or skips it.
func mount(t *testing.T, source, at, kind string, flags uintptr, options string) {
	t.Helper()
	if err := unix.Mount(source, at, kind, flags, options); err != nil {
		t.Skipf("mounting %s at %s is not permitted here: %v", kind, at, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// fullPlace is a place whose directory is a disk of 64 kB.
func fullPlace(t *testing.T) place {
	t.Helper()
	p := newPlace(t)
	mount(t, "apex-test", p.dir, "tmpfs", 0, "size=64k")
	return p
}

func TestFullDisk(t *testing.T) {
	before := random(30_000)
	t.Run("rename", func(t *testing.T) {
		p := fullPlace(t)
		write(t, p.path, before)
		for _, n := range []int{40_000, 80_000} { // no room beside the old text; none at all
			_, err := Save(p.path, chunked(random(n)), p.options(before))
			wantCode(t, err, CodeNoSpace)
			wantFile(t, p.path, before)
			wantNames(t, p.dir, "f")
			wantNames(t, p.state)
		}
		mustSave(t, p, p.path, before, random(20_000), Renamed)
	})
	t.Run("create", func(t *testing.T) {
		p := fullPlace(t)
		_, err := Save(p.path, chunked(random(80_000)), SaveOptions{IntentDir: p.state})
		wantCode(t, err, CodeNoSpace)
		wantNames(t, p.dir)
		wantNames(t, p.state)
	})
	t.Run("in place", func(t *testing.T) {
		p := fullPlace(t)
		ways[1].make(t, p, before)
		_, err := Save(p.path, chunked(random(80_000)), p.options(before))
		wantCode(t, err, CodeNoSpace)
		wantFile(t, p.path, before)
		wantNames(t, p.dir, "f", "g")
		wantNames(t, p.state)
		mustSave(t, p, p.path, before, random(50_000), InPlace) // there is room for this one
	})
	t.Run("state", func(t *testing.T) { // the copies find no room: nothing is begun
		p := fullPlace(t)
		other := newPlace(t)
		ways[1].make(t, other, before)
		other.state = filepath.Join(p.dir, "state")
		_, err := Save(other.path, chunked(random(50_000)), other.options(before))
		wantCode(t, err, CodeNoSpace)
		wantFile(t, other.path, before)
		wantNames(t, other.state)
		// By rename the copies are not needed, and the record's disk being full does not matter.
		write(t, filepath.Join(p.dir, "fill"), random(64_000-8192))
		single := newPlace(t)
		write(t, single.path, before)
		single.state = other.state
		mustSave(t, single, single.path, before, random(50_000), Renamed)
	})
}

func TestReadOnlyFileSystem(t *testing.T) {
	p := fullPlace(t)
	write(t, p.path, []byte("before"))
	if err := unix.Mount("", p.dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	_, err := Save(p.path, chunked([]byte("after")), p.options([]byte("before")))
	wantCode(t, err, CodeReadOnly)
	_, err = Save(p.path+"2", chunked([]byte("after")), SaveOptions{IntentDir: p.state})
	wantCode(t, err, CodeReadOnly)
	wantFile(t, p.path, []byte("before"))
	wantNames(t, p.state)
}

// A file that is itself a mount point, as containers have them, can't be renamed over.
func TestMountedFile(t *testing.T) {
	p := newPlace(t)
	under := filepath.Join(p.dir, "under")
	before, after := []byte("before"), []byte("after")
	write(t, under, before)
	write(t, p.path, nil)
	mount(t, under, p.path, "", unix.MS_BIND, "")
	got := mustSave(t, p, p.path, before, after, InPlace)
	if !strings.Contains(got.Why, "renaming") {
		t.Fatalf("got why %q", got.Why)
	}
	wantFile(t, under, after)
	wantNames(t, p.dir, "f", "under")
	wantNames(t, p.state)
}

// A running program can't be written, but can be replaced.
func TestRunningProgram(t *testing.T) {
	p := newPlace(t)
	copyFile(t, "/proc/self/exe", p.path)
	mode(t, p.path, 0o755)
	before, err := os.ReadFile(p.path)
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess(p.path, []string{"f", "-test.run=^TestHoldOn$"}, &os.ProcAttr{
		Env: append(os.Environ(), holdOnEnv+"=1"), Files: []*os.File{hold(t), nil, nil},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { process.Kill(); process.Wait() }()
	mustSave(t, p, p.path, before, []byte("after"), Renamed)
	wantFile(t, p.path, []byte("after"))
}

const holdOnEnv = "APEX_TEST_HOLD_ON"

// hold is the end of a pipe that nobody writes to, closed when the test ends.
func hold(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r
}

// TestHoldOn is the running program: it waits for its standard input to end.
func TestHoldOn(t *testing.T) {
	if os.Getenv(holdOnEnv) == "" {
		t.Skip("only runs as the program of TestRunningProgram")
	}
	os.Stdin.Read(make([]byte, 1))
}

func setAttribute(t *testing.T, path, name string, value []byte) {
	t.Helper()
	if err := unix.Setxattr(path, name, value, 0); is(err, syscall.ENOTSUP) {
		t.Skipf("no attribute %s on this file system", name)
	} else if err != nil {
		t.Fatal(err)
	}
}

func attributes(t *testing.T, path string) []xattr {
	t.Helper()
	h, err := disk{}.open(path, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	all, err := h.xattrs()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func wantAttributes(t *testing.T, path string, want []xattr) {
	t.Helper()
	got := attributes(t, path)
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range got {
		if got[i].name != want[i].name || !bytes.Equal(got[i].value, want[i].value) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

func TestAttributesAreKept(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			p := newPlace(t)
			before, after := []byte("before"), []byte("after")
			way.make(t, p, before)
			setAttribute(t, p.path, "user.apex.text", []byte("value\x00with NUL"))
			setAttribute(t, p.path, "user.apex.empty", nil)
			want := attributes(t, p.path)
			if len(want) < 2 {
				t.Fatalf("got %q, want two attributes", want)
			}
			mustSave(t, p, p.path, before, after, way.how)
			wantAttributes(t, p.path, want)
		})
	}
}

// acl is the kernel's form of an access control list: user 12345 may read, nobody else.
func acl() []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{
		{0x01, 6, ^uint32(0)}, {0x02, 4, 12345}, {0x04, 0, ^uint32(0)},
		{0x10, 4, ^uint32(0)}, {0x20, 0, ^uint32(0)},
	} {
		b = binary.LittleEndian.AppendUint16(b, e.tag)
		b = binary.LittleEndian.AppendUint16(b, e.perm)
		b = binary.LittleEndian.AppendUint32(b, e.id)
	}
	return b
}

func TestAccessListIsKept(t *testing.T) {
	p := newPlace(t)
	before, after := []byte("before"), []byte("after")
	write(t, p.path, before)
	setAttribute(t, p.path, "system.posix_acl_access", acl())
	want := attributes(t, p.path)
	info, err := os.Stat(p.path)
	if err != nil {
		t.Fatal(err)
	}
	mustSave(t, p, p.path, before, after, Renamed)
	wantAttributes(t, p.path, want)
	if got, err := os.Stat(p.path); err != nil || got.Mode() != info.Mode() {
		t.Fatalf("got %v, %v, want %v", got.Mode(), err, info.Mode())
	}
}

// What the directory gives to new files must not open an old one to others.
func TestDefaultAccessListIsNotTaken(t *testing.T) {
	p := newPlace(t)
	before, after := []byte("before"), []byte("after")
	write(t, p.path, before)
	mode(t, p.path, 0o600)
	want := attributes(t, p.path)
	setAttribute(t, p.dir, "system.posix_acl_default", acl())
	mustSave(t, p, p.path, before, after, Renamed)
	wantAttributes(t, p.path, want)
	if got, err := os.Stat(p.path); err != nil || got.Mode() != 0o600 {
		t.Fatalf("got %v, %v, want 0600", got.Mode(), err)
	}
}

// Root gives a file to its old owner again, with no need to write in place.
func TestOwnerIsKeptByRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may give files away")
	}
	p := newPlace(t)
	before, after := []byte("before"), []byte("after")
	write(t, p.path, before)
	if err := os.Chown(p.path, 1234, 5678); err != nil {
		t.Fatal(err)
	}
	mode(t, p.path, 0o711|os.ModeSetuid|os.ModeSetgid) // both fall to a chown and to a write
	mustSave(t, p, p.path, before, after, Renamed)
	var st syscall.Stat_t
	if err := syscall.Stat(p.path, &st); err != nil {
		t.Fatal(err)
	}
	if st.Uid != 1234 || st.Gid != 5678 || st.Mode&0o7777 != 0o6711 {
		t.Fatalf("got owner %d:%d mode %o, want 1234:5678 6711", st.Uid, st.Gid, st.Mode)
	}
}
