package file

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIntruder lets another program write the file at every call of a save. Until the save looks
// for the last time the intruder's text stays and the save is refused; a file that appears while
// it is created is never replaced, however late it comes.
func TestIntruder(t *testing.T) {
	theirs := []byte("the intruder's\n")
	for _, s := range shapes {
		last := s.lastLook(t)
		for name, intrude := range map[string]func(t *testing.T, p place){
			"writes": func(t *testing.T, p place) { write(t, p.path, theirs) },
			"replaces": func(t *testing.T, p place) {
				beside := filepath.Join(filepath.Dir(p.dir), "beside")
				write(t, beside, theirs)
				if err := os.Rename(beside, p.path); err != nil {
					t.Fatal(err)
				}
			},
		} {
			if name == "replaces" && s.hard {
				continue // the bytes go to the old inode then, and the intruder's stay
			}
			t.Run(s.name+"/"+name, func(t *testing.T) {
				for at := 1; at <= last; at++ {
					p := s.make(t, t.TempDir())
					f := &faulty{}
					f.before = func() {
						if f.calls == at-1 {
							intrude(t, p)
						}
					}
					_, err := save(f, p.path, chunked(s.after), s.options(p))
					got, readErr := os.ReadFile(p.path)
					if readErr != nil {
						t.Fatal(readErr)
					}
					if err == nil || !bytes.Equal(got, theirs) {
						t.Fatalf("call %d: error %v, the file holds %s\n%s", at, err, short(got),
							strings.Join(f.trace, "\n"))
					}
					wantCode(t, err, CodeChangedOnDisk)
					wantNames(t, p.dir, s.names(true)...)
					wantNames(t, p.state)
				}
			})
		}
	}
}

// lastLook is the last call before which a change must be noticed: the rename itself for a new
// file, the opening for the look before the rename, the copying of the old text in place.
func (s shape) lastLook(t *testing.T) (last int) {
	t.Helper()
	p := s.make(t, t.TempDir())
	f := &faulty{}
	if _, err := save(f, p.path, chunked(s.after), s.options(p)); err != nil {
		t.Fatal(err)
	}
	mark := " open " + p.path
	if s.before == nil {
		mark = " rename new "
	} else if s.hard {
		mark = " read " + p.path
	}
	for i, call := range f.trace {
		if strings.HasSuffix(call, mark) || s.before == nil && strings.Contains(call, mark) {
			last = i + 1
		}
	}
	if last == 0 {
		t.Fatalf("no %q in\n%s", mark, strings.Join(f.trace, "\n"))
	}
	return last
}

// TestMixture says which contents a repair takes for its own half-done work.
func TestMixture(t *testing.T) {
	for _, c := range []struct {
		before, after, disk string
		want                bool
	}{
		{"aaaa", "bbbb", "bbaa", true},          // written from the start
		{"aaaa", "bbbb", "abab", true},          // blocks in any order
		{"aaaa", "bbbb", "bbca", false},         // somebody else's byte
		{"aaaa", "bbbb", "bb\x00a", false},      // zeros only where a block was added
		{"aa", "bbbb", "bab\x00", true},         // the added block never arrived
		{"aa", "bbbb", "\x00abb", false},        //
		{"aaaa", "bb", "ba\x00\x00", true},      // being put back after it was cut
		{"aaaa", "bb", "bbaa", true},            // not cut yet
		{"aaaa", "bbbb", "bba", false},          // lengths between the two only
		{"aaaa", "bbbb", "bbaaa", false},        //
		{"aaaa", "bb", "b", false},              //
		{"aa", "bbbb", "bbb", true},             //
		{"", "bbbb", "b", true},                 //
		{"aa\x00", "b\x00b", "b\x00\x00", true}, // NUL bytes of the texts themselves
	} {
		open := func(text string) handle {
			path := filepath.Join(t.TempDir(), "f")
			write(t, path, []byte(text))
			h, err := disk{}.open(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { h.Close() })
			return h
		}
		r := &record{intent: intent{oldSize: int64(len(c.before)), newSize: int64(len(c.after))}}
		got, err := r.mixture(open(c.disk), open(c.before), open(c.after))
		if err != nil || got != c.want {
			t.Errorf("%q over %q, found %q: got %v, %v, want %v",
				c.after, c.before, c.disk, got, err, c.want)
		}
	}
}
