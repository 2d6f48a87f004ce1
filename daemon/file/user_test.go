package file

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is the user that TestUnprivileged runs the other tests as.
const nobody = 65534

// foreignEnv names a file of root that nobody may write, in a directory of nobody.
const foreignEnv = "APEX_TEST_FOREIGN_FILE"

// TestUnprivileged runs the tests of this package again as a user whom modes bind.
func TestUnprivileged(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("already an unprivileged user")
	}
	top, err := os.MkdirTemp("", "apex-file-nobody")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(top)
	own := func(path string, id int, mode os.FileMode) {
		t.Helper()
		if err := os.Chown(path, id, id); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	own(top, nobody, 0o755)
	foreign := filepath.Join(top, "foreign")
	write(t, foreign, []byte("before"))
	own(foreign, 0, 0o666)

	// The test binary lies in a directory that only root may enter.
	binary := filepath.Join(top, "file.test")
	copyFile(t, os.Args[0], binary)
	own(binary, 0, 0o755)

	cmd := exec.Command(binary, "-test.v",
		"-test.skip=^(TestUnprivileged|TestOrder|TestEveryFault|TestRepairKilled|TestRepairFails)$")
	cmd.Dir = top
	cmd.Env = append(os.Environ(), "TMPDIR="+top, "HOME="+top, foreignEnv+"="+foreign)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"TestExactBytes", "TestForeignOwner", "TestReadOnlyDirectory"} {
		if !bytes.Contains(out, []byte("--- PASS: "+name+" ")) {
			t.Errorf("%s did not pass:\n%s", name, out)
		}
	}
	var st syscall.Stat_t
	if err := syscall.Stat(foreign, &st); err != nil {
		t.Fatal(err)
	}
	if st.Uid != 0 || st.Gid != 0 {
		t.Errorf("got owner %d:%d, want 0:0", st.Uid, st.Gid)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	r, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func skipRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() == 0 {
		t.Skip("modes do not bind root; TestUnprivileged runs this as another user")
	}
}

func TestForeignOwner(t *testing.T) {
	foreign := os.Getenv(foreignEnv)
	if foreign == "" {
		t.Skip("needs a file of another user; TestUnprivileged makes one")
	}
	p := newPlace(t)
	got := mustSave(t, p, foreign, []byte("before"), []byte("after"), InPlace)
	if !strings.Contains(got.Why, "owner 0:0 can't be kept") {
		t.Fatalf("got why %q", got.Why)
	}
	wantFile(t, foreign, []byte("after"))
	wantNames(t, p.state)
}

// mode sets a mode until the test ends, so that the directory can be removed.
func mode(t *testing.T, path string, m os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, m); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(path, 0o755) })
}

func TestReadOnlyDirectory(t *testing.T) {
	skipRoot(t)
	p := newPlace(t)
	before, after := []byte("before"), random(1000)
	write(t, p.path, before)
	mode(t, p.dir, 0o555)
	got := mustSave(t, p, p.path, before, after, InPlace)
	if !strings.Contains(got.Why, "directory") {
		t.Fatalf("got why %q, want the directory named", got.Why)
	}
	wantFile(t, p.path, after)
	wantNames(t, p.state)

	_, err := Save(filepath.Join(p.dir, "new"), chunked(after), SaveOptions{IntentDir: p.state})
	wantCode(t, err, CodeDenied)
	wantNames(t, p.dir, "f")
	wantNames(t, p.state)
}

// A directory in which one may do all but list it can't be opened to be synced.
func TestUnlistableDirectory(t *testing.T) {
	skipRoot(t)
	p := newPlace(t)
	before, after := []byte("before"), []byte("after")
	write(t, p.path, before)
	mode(t, p.dir, 0o333)
	mustSave(t, p, p.path, before, after, Renamed)
	wantFile(t, p.path, after)
	_, err := Open(p.dir, 100)
	wantCode(t, err, CodeDenied)
}

// A rename would get around the mode of the file; a save does not, even a forced one.
func TestReadOnlyFile(t *testing.T) {
	skipRoot(t)
	for _, m := range []os.FileMode{0o444, 0o000} {
		p := newPlace(t)
		write(t, p.path, []byte("before"))
		mode(t, p.path, m)
		o := p.options([]byte("before"))
		o.Force = true
		_, err := Save(p.path, chunked([]byte("after")), o)
		wantCode(t, err, CodeDenied)
		mode(t, p.path, 0o644)
		wantFile(t, p.path, []byte("before"))
		wantNames(t, p.dir, "f")
	}
}

// In place is only allowed with the copies made: no state directory, no save.
func TestInPlaceNeedsState(t *testing.T) {
	skipRoot(t)
	p := newPlace(t)
	before := []byte("before")
	ways[1].make(t, p, before)
	if err := os.Mkdir(p.state, 0o555); err != nil {
		t.Fatal(err)
	}
	_, err := Save(p.path, chunked([]byte("after")), p.options(before))
	wantCode(t, err, CodeDenied)
	wantFile(t, p.path, before)
	wantNames(t, p.state)
}
