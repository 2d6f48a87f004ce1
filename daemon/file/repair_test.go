package file

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// cut is a save in place that died in the middle of writing, in a place of its own.
func cut(t *testing.T) (place, shape) {
	t.Helper()
	s := shape{"cut", random(3 * writeAtMost), random(2 * writeAtMost), true}
	mid := s.midWrite(t, memory(t))
	p := s.make(t, t.TempDir())
	s.halfWritten(t, p, mid)
	return p, s
}

func repairedOne(t *testing.T, p place, want Outcome) Repaired {
	t.Helper()
	all, err := Repair(p.state)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].Outcome != want {
		t.Fatalf("got %+v, want one %v", all, want)
	}
	return all[0]
}

func repairedNone(t *testing.T, p place) {
	t.Helper()
	if all, err := Repair(p.state); err != nil || len(all) != 0 {
		t.Fatalf("got %+v, %v, want nothing to repair", all, err)
	}
}

func TestRepairFinishes(t *testing.T) {
	p, s := cut(t)
	repairedOne(t, p, Finished)
	wantFile(t, p.path, s.after)
	wantNames(t, p.state)
	repairedNone(t, p)
}

func TestRepairNothing(t *testing.T) { repairedNone(t, newPlace(t)) }

func TestRepairKeepsOthersWork(t *testing.T) {
	for name, theirs := range map[string][]byte{
		"other text": []byte("theirs\n"), "longer": random(4 * writeAtMost),
		"same length": random(3*writeAtMost + 1)[1:], "shorter": random(3),
	} {
		t.Run(name, func(t *testing.T) {
			p, s := cut(t)
			write(t, p.path, theirs)
			r := repairedOne(t, p, Kept)
			wantFile(t, p.path, theirs)
			wantFile(t, r.Old, s.before)
			wantFile(t, r.New, s.after)
			repairedNone(t, p) // said once; the copies stay
			wantFile(t, r.Old, s.before)
		})
	}
}

func TestRepairReplacedFile(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"link":      func(path string) error { return os.Symlink("/dev/null", path) },
		"fifo":      func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"directory": func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			p, s := cut(t)
			os.Remove(p.path)
			if err := replace(p.path); err != nil {
				t.Fatal(err)
			}
			wantFile(t, repairedOne(t, p, Kept).New, s.after)
		})
	}
}

// A file that is missing may be on a disk that is not mounted yet.
func TestRepairWaits(t *testing.T) {
	p, s := cut(t)
	away := p.dir + ".away"
	if err := os.Rename(p.dir, away); err != nil {
		t.Fatal(err)
	}
	r := repairedOne(t, p, Waiting)
	wantFile(t, r.Old, s.before)
	repairedOne(t, p, Waiting)
	if err := os.Rename(away, p.dir); err != nil {
		t.Fatal(err)
	}
	repairedOne(t, p, Finished)
	wantFile(t, p.path, s.after)
	wantNames(t, p.state)
}

func TestRepairDamage(t *testing.T) {
	one := func(t *testing.T, p place, pattern string) string {
		t.Helper()
		all, err := filepath.Glob(filepath.Join(p.state, pattern))
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: got %q, %v, want one", pattern, all, err)
		}
		return all[0]
	}
	t.Run("record", func(t *testing.T) {
		for _, spoil := range []func([]byte) []byte{
			func(b []byte) []byte { return nil },
			func(b []byte) []byte { return b[:len(b)/2] },
			func(b []byte) []byte { return make([]byte, len(b)) },
			func(b []byte) []byte { b[20] ^= 1; return b },
			func(b []byte) []byte { return append(b, '\n') },
		} {
			p, s := cut(t)
			name := one(t, p, "*.intent")
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			spoiled := spoil(b)
			write(t, name, spoiled)
			r := repairedOne(t, p, Damaged)
			wantFile(t, r.Old, s.before)
			wantFile(t, r.New, s.after)
			wantFile(t, r.Path, spoiled) // set aside, not deleted
			repairedNone(t, p)
			wantFile(t, r.Old, s.before)
		}
	})
	t.Run("copy", func(t *testing.T) {
		p, s := cut(t)
		mixture, err := os.ReadFile(p.path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, one(t, p, "*.new"), []byte("damage"))
		r := repairedOne(t, p, Kept)
		wantFile(t, p.path, mixture)
		wantFile(t, r.Old, s.before)
	})
}

// A record never makes Repair remove what is no temporary file of ours.
func TestRepairRemovesOnlyTemps(t *testing.T) {
	p := newPlace(t)
	precious := filepath.Join(p.dir, "precious")
	write(t, precious, []byte("precious"))
	for _, temp := range []string{precious, p.state + "/" + tempPrefix + "x" + tempSuffix} {
		r := &record{sys: disk{}, dir: p.state, id: newID()}
		r.intent = intent{target: p.path, temp: temp}
		if err := r.begin(); err != nil {
			t.Fatal(err)
		}
		r.release()
		repairedOne(t, p, Damaged)
		wantFile(t, precious, []byte("precious"))
	}
}

// A running save is neither repaired nor mixed with another of the same file.
func TestRunningSaveIsLeftAlone(t *testing.T) {
	p := newPlace(t)
	before := []byte("before")
	ways[1].make(t, p, before)
	inside := false
	_, err := Save(p.path, func(yield func([]byte) bool) {
		if names, _ := filepath.Glob(p.state + "/*.intent"); len(names) == 1 && !inside {
			inside = true
			repairedNone(t, p)
			_, err := Save(p.path, chunked([]byte("second")), p.options(before))
			wantCode(t, err, CodeBusy)
		}
		yield([]byte("first"))
	}, p.options(before))
	if err != nil || !inside {
		t.Fatal(err, inside)
	}
	wantFile(t, p.path, []byte("first"))
	wantNames(t, p.state)
}

// TestNextSaveEndsUnfinished: a save that failed and could not be rolled back must not later be
// "repaired" over what was saved since. The next save rolls it back first, and what its caller
// last read is still what it expects.
func TestNextSaveEndsUnfinished(t *testing.T) {
	p, s := cut(t)
	// What the user saves next happens to be a mixture of both texts.
	next := bytes.Clone(s.before)
	copy(next, s.after[:10])
	if _, err := Save(p.path, chunked(next), p.options(s.before)); err != nil {
		t.Fatal(err)
	}
	wantFile(t, p.path, next)
	wantNames(t, p.state)
	repairedNone(t, p)
	wantFile(t, p.path, next)
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte(nil), "/home/f", "", int64(0), int64(1))
	f.Add([]byte("apex save 1\n"), "/a b\"\n\xff", "/t", int64(1<<40), int64(0))
	f.Fuzz(func(t *testing.T, raw []byte, target, temp string, a, b int64) {
		if it, err := decode(raw); err == nil && !bytes.Equal(it.encode(), raw) {
			t.Fatalf("decoded %q, which encodes as %q", raw, it.encode())
		}
		want := intent{target, temp, Sum([]byte(target)), Sum([]byte(temp)), a, b}
		got, err := decode(want.encode())
		if err != nil || got != want {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
	})
}
