package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// nobody is who has no rights, where the test is run by root: root ignores modes.
const nobody = 65534

// asUsers runs a test as whoever runs it, and as an unprivileged user.
func asUsers(t *testing.T, test func(*testing.T, *machine)) {
	t.Parallel()
	t.Run("self", func(t *testing.T) {
		t.Parallel()
		test(t, newMachine(t))
	})
	t.Run("nobody", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can become somebody else; the run as oneself was unprivileged")
		}
		t.Parallel()
		m := newMachine(t)
		m.user = &syscall.Credential{Uid: nobody, Gid: nobody}
		m.owns(m.dir, m.path("home"), m.path("run"))
		test(t, m)
	})
}

// owns gives files to the machine's user.
func (m *machine) owns(paths ...string) {
	m.t.Helper()
	if m.user == nil {
		return
	}
	for _, p := range paths {
		if err := os.Lchown(p, int(m.user.Uid), int(m.user.Gid)); err != nil {
			m.t.Fatal(err)
		}
	}
}

// file makes a file of the user's.
func (m *machine) file(name string, content []byte) string {
	m.t.Helper()
	path := m.write(name, string(content))
	m.owns(path)
	return path
}

// holds checks a file's bytes.
func (m *machine) holds(path string, want []byte) {
	m.t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		m.t.Errorf("%s has %s (%v), want %s", path, excerpt(got), err, excerpt(want))
	}
}

func excerpt(b []byte) string {
	if len(b) > 64 {
		return fmt.Sprintf("%d bytes that begin with %q", len(b), b[:64])
	}
	return fmt.Sprintf("%q", b)
}

// contents are those that editors have damaged.
func contents() map[string][]byte {
	random := rand.NewChaCha8([32]byte(bytes.Repeat([]byte{7}, 32)))
	noise := make([]byte, 200<<10)
	random.Read(noise)
	return map[string][]byte{
		"random":      noise,
		"utf16":       []byte("\xff\xfeh\x00i\x00\n\x00\x00\xd8\x00\xdc"),
		"utf16be":     []byte("\xfe\xff\x00h\x00i\x00\n"),
		"utf8-bom":    []byte("\xef\xbb\xbfwith a mark\n"),
		"latin1":      []byte("na\xefve caf\xe9\n"),
		"crlf":        []byte("one\r\ntwo\r\n"),
		"mixed":       []byte("one\r\ntwo\nthree\rfour\n\r\n\n\r"),
		"no-newline":  []byte("one\ntwo"),
		"newlines":    []byte("\n\n\n"),
		"empty":       {},
		"nul":         []byte("a\x00b\x00\n"),
		"surrogates":  []byte("\xed\xa0\x80\xed\xb0\x80\n"),
		"cut":         []byte("\xe4\xb8"),
		"overlong":    []byte("\xc0\x80\xf8\x88\x80\x80\x80"),
		"long-line":   bytes.Repeat([]byte("no line ends here. "), 10_000),
		"combining":   []byte("e\u0301\u0301\u0301 \U0001f469\u200d\U0001f469\u200d\U0001f467\n"),
		"escape":      []byte("\x1b[31mred\x1b[0m\x07\n"),
		"form-feed":   []byte("a\fb\vc\x85d\u2028e\n"),
		"replacement": []byte("\ufffd\xff\ufffd\n"),
	}
}

// What is opened is read byte for byte, and what is saved is what was there and what was changed.
func TestExactBytes(t *testing.T) {
	asUsers(t, func(t *testing.T, m *machine) {
		for name, content := range contents() {
			path := m.file(name, content)
			m.must("open", path)
			m.reads(path, content)
			// Put writes nothing that wasn't changed; make it write.
			m.edits(path, 0, "X")
			m.edits(path, m.info(path).Runes, "Y")
			want := fmt.Appendf(nil, "X%sY", content)
			m.must("put", path)
			m.holds(path, want)
			m.reads(path, want)
			m.must("undo", path)
			m.must("undo", path)
			m.must("put", path)
			m.holds(path, content)
			if m.info(path).Dirty {
				t.Errorf("%s is dirty after it was saved", name)
			}
		}
	})
}

// reads checks what `apex text read` prints.
func (m *machine) reads(path string, want []byte) {
	m.t.Helper()
	if got := []byte(m.must("text", "read", path)); !bytes.Equal(got, want) {
		m.t.Errorf("%s is read as %s, want %s", path, excerpt(got), excerpt(want))
	}
}

// edits inserts a text.
func (m *machine) edits(path string, q int, text string) {
	m.t.Helper()
	in, err := json.Marshal([]map[string]any{{"q0": q, "q1": q, "text": text}})
	if err != nil {
		m.t.Fatal(err)
	}
	m.mustRead(string(in), "text", "apply", path, "--base", fmt.Sprint(m.info(path).Version))
}

// Each single byte is a text, and stays one between two others.
func TestEachByte(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	open, want := []string{"open"}, [256][]byte{}
	for i := range want {
		want[i] = []byte{byte(i)}
		open = append(open, m.file(fmt.Sprintf("byte-%02x-", i), want[i]))
	}
	m.must(open...)
	paths := open[1:]
	for i, path := range paths {
		m.reads(path, want[i])
		want[i] = []byte{'x', byte(i)}
		m.mustRead(`[{"q0":0,"q1":0,"text":"x"}]`, "text", "apply", path, "--base", "0")
	}
	m.must("exec", paths[0], "Putall")
	eventually(t, "all to be saved", func() bool {
		var list []struct{ Dirty bool }
		m.decode(m.must("win", "ls", "--json"), &list)
		return !slices.ContainsFunc(list, func(w struct{ Dirty bool }) bool { return w.Dirty })
	})
	for i, path := range paths {
		m.holds(path, want[i])
	}
}

// A file keeps what it is besides its bytes.
func TestSavedInPlace(t *testing.T) {
	asUsers(t, func(t *testing.T, m *machine) {
		for _, d := range []string{"dir", "closed"} {
			if err := os.Mkdir(m.path(d), 0o755); err != nil {
				t.Fatal(err)
			}
			m.owns(m.path(d))
		}
		plain := m.file("dir/plain", []byte("old\n"))
		mode := m.file("dir/mode", []byte("old\n"))
		hard := m.file("dir/hard", []byte("old\n"))
		target := m.file("dir/target", []byte("old\n"))
		closed := m.file("closed/file", []byte("old\n"))
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(os.Chmod(mode, 0o640))
		must(os.Link(hard, m.path("dir/second")))
		must(os.Symlink("target", m.path("dir/link1")))
		must(os.Symlink(m.path("dir/link1"), m.path("link2")))
		must(os.Chmod(m.path("closed"), 0o555))
		t.Cleanup(func() { os.Chmod(m.path("closed"), 0o755) })
		link := m.path("link2")

		var before []os.FileInfo
		paths := []string{plain, mode, hard, target, closed}
		for _, path := range paths {
			info, err := os.Stat(path)
			must(err)
			before = append(before, info)
		}
		opened := []string{plain, mode, hard, link, closed}
		m.must(append([]string{"open"}, opened...)...)
		for i, path := range opened {
			m.edits(path, 0, "new ")
			m.must("put", path)
			m.holds(paths[i], []byte("new old\n"))
			info, err := os.Stat(paths[i])
			must(err)
			was, is := before[i].Sys().(*syscall.Stat_t), info.Sys().(*syscall.Stat_t)
			if info.Mode() != before[i].Mode() || was.Uid != is.Uid || was.Gid != is.Gid {
				t.Errorf("%s is %v of %d:%d, was %v of %d:%d", path, info.Mode(), is.Uid, is.Gid,
					before[i].Mode(), was.Uid, was.Gid)
			}
		}
		m.holds(m.path("dir/second"), []byte("new old\n"))
		first := m.path("dir/link1")
		for path, want := range map[string]string{first: "target", link: first} {
			if got, err := os.Readlink(path); got != want {
				t.Errorf("%s links to %q (%v), want %q", path, got, err, want)
			}
		}
		m.onlyHas("dir", "plain", "mode", "hard", "second", "target", "link1")
		m.onlyHas("closed", "file")
	})
}

// onlyHas checks that nothing was left in a directory.
func (m *machine) onlyHas(dir string, names ...string) {
	m.t.Helper()
	entries, err := os.ReadDir(m.path(dir))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.Contains("\n"+strings.Join(names, "\n")+"\n", "\n"+e.Name()+"\n") {
			m.t.Errorf("%s is left in %s", e.Name(), dir)
		}
	}
}

// A disk without room leaves the old file whole and the text unsaved, and says so; when there is
// room, the same command saves.
func TestFullDisk(t *testing.T) {
	asUsers(t, func(t *testing.T, m *machine) {
		disk := m.path("disk")
		m.mount(disk, "64k")
		m.owns(disk)
		old := bytes.Repeat([]byte("forty kilobytes "), 40<<10/16)
		path, hard := m.file("disk/file", old), filepath.Join(disk, "hard")
		m.must("open", path)
		m.reads(path, old)
		m.fails(path, old)
		if err := os.Link(path, hard); err != nil { // saved in place, then
			t.Fatal(err)
		}
		want := m.fails(path, old)
		m.holds(hard, old)
		m.onlyHas("disk", "file", "hard")
		m.resize(disk, "1m")
		m.must("put", path)
		m.holds(path, want)
		m.holds(hard, want)
		if m.info(path).Dirty {
			t.Error("the text is dirty after it was saved")
		}
		m.onlyHas("disk", "file", "hard")
	})
}

// fails changes a text to one that its disk has no room for, and checks that saving it fails and
// harms nothing. It returns the text.
func (m *machine) fails(path string, old []byte) (unsaved []byte) {
	m.t.Helper()
	unsaved = bytes.Repeat([]byte("eighty kilobytes"), 80<<10/16)
	m.mustRead(string(unsaved), "text", "write", path)
	a := m.apex("", "put", path)
	if a.status != 1 || !strings.Contains(a.err, "no space left") {
		m.t.Errorf("put on a full disk: status %d: %s%s", a.status, a.out, a.err)
	}
	m.holds(path, old)
	m.reads(path, unsaved)
	if !m.info(path).Dirty {
		m.t.Error("the text isn't dirty, and isn't saved")
	}
	return unsaved
}
