package file

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shape is a file and a save of it, of each way and with each relation of the lengths.
type shape struct {
	name          string
	before, after []byte // before nil: no file
	hard          bool   // a second hard link, so in place
}

var shapes = []shape{
	{"create", nil, random(writeAtMost + 10), false},
	{"rename", random(100), random(writeAtMost + 10), false},
	{"in place, longer", random(writeAtMost + 77), random(2*writeAtMost + 10), true},
	{"in place, shorter", random(2*writeAtMost + 10), random(writeAtMost + 77), true},
	{"in place, from empty", []byte{}, random(99), true},
	{"in place, to empty", random(99), []byte{}, true},
}

func (s shape) make(t *testing.T, top string) place {
	t.Helper()
	p := placeIn(t, top)
	if s.before != nil {
		write(t, p.path, s.before)
	}
	if s.hard {
		if err := os.Link(p.path, filepath.Join(p.dir, "g")); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (s shape) options(p place) SaveOptions {
	if s.before == nil {
		return SaveOptions{IntentDir: p.state}
	}
	return p.options(s.before)
}

// memory is a directory in memory where there is one: the faults are made up, so a real disk would
// only make thousands of runs slow.
func memory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "apex-file-test")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func empty(t *testing.T, dir string) {
	t.Helper()
	for _, sub := range []string{"home", "state"} {
		if err := os.RemoveAll(filepath.Join(dir, sub)); err != nil {
			t.Fatal(err)
		}
	}
}

// names are what the file's directory holds when nothing is left over.
func (s shape) names(exists bool) []string {
	switch {
	case s.hard:
		return []string{"f", "g"}
	case exists:
		return []string{"f"}
	}
	return nil
}

// look says which text the file holds: "old", "new", or "" for neither.
func (s shape) look(t *testing.T, p place) string {
	t.Helper()
	got, err := os.ReadFile(p.path)
	switch {
	case os.IsNotExist(err) && s.before == nil:
		return "old"
	case err != nil:
		t.Fatal(err)
	case bytes.Equal(got, s.after):
		return "new"
	case s.before != nil && bytes.Equal(got, s.before):
		return "old"
	}
	return ""
}

// never checks at every call that the path is never without a file.
func (s shape) never(t *testing.T, p place, f *faulty) {
	if s.before == nil {
		return
	}
	f.before = func() {
		if _, err := os.Lstat(p.path); err != nil {
			t.Fatalf("a moment without the file: %v, after %q", err, f.trace)
		}
	}
}

// TestEveryFault lets every fault happen at every call of every kind of save, and then repairs.
func TestEveryFault(t *testing.T) {
	for _, s := range shapes {
		for _, kind := range faults {
			t.Run(s.name+"/"+kind.name, func(t *testing.T) {
				top := memory(t)
				reached := true
				for at := 1; reached; at++ {
					reached = s.fail(t, top, kind, at)
				}
			})
		}
	}
}

// fail makes one save with one fault and checks all that is promised about it.
func (s shape) fail(t *testing.T, top string, kind fault, at int) (reached bool) {
	defer empty(t, top)
	p := s.make(t, top)
	f := &faulty{fault: kind, at: at}
	s.never(t, p, f)
	var err error
	returned := false
	f.run(func() {
		_, err = save(f, p.path, chunked(s.after), s.options(p))
		returned = true
	})
	where := func() string { return strings.Join(f.trace, "\n") }
	if returned == f.dead {
		t.Fatalf("call %d: returned %v, dead %v\n%s", at, returned, f.dead, where())
	}
	got := s.look(t, p)
	var e *Error
	unfinished := errors.As(err, &e) && e.Code == CodeUnfinished
	switch {
	case returned && err == nil && got != "new":
		t.Fatalf("call %d: saved, but the file holds %q\n%s", at, got, where())
	case returned && err != nil && got == "" && !unfinished:
		t.Fatalf("call %d: %v, and the file holds a mixture\n%s", at, err, where())
	case returned && err != nil && got == "new" && !unfinished && !afterRename(err):
		t.Fatalf("call %d: %v, but the file holds the new text\n%s", at, err, where())
	case !returned && got == "" && !s.hard:
		t.Fatalf("call %d: killed, and the file holds a mixture\n%s", at, where())
	case unfinished && !kind.lasting:
		t.Fatalf("call %d: one fault was enough for %v\n%s", at, err, where())
	}
	s.repaired(t, p, where)
	return f.reached()
}

// afterRename reports whether err says that only the directory could not be synced.
func afterRename(err error) bool { return strings.Contains(err.Error(), "power loss") }

// repaired repairs for real and checks that the file is whole and nothing is left over.
func (s shape) repaired(t *testing.T, p place, where func() string) {
	t.Helper()
	before := s.look(t, p)
	all, err := Repair(p.state)
	if err != nil {
		t.Fatalf("repair: %v\n%s", err, where())
	}
	got := s.look(t, p)
	if got == "" || before != "" && got != before {
		t.Fatalf("repair: the file held %q and holds %q: %+v\n%s", before, got, all, where())
	}
	for _, r := range all {
		want := map[Outcome]string{Finished: "new", RolledBack: "old", Cleaned: "old"}[r.Outcome]
		if r.Path != p.path || want != got {
			t.Fatalf("repair: got %+v, the file holds %q\n%s", r, got, where())
		}
	}
	if t.Failed() {
		return
	}
	_, err = os.Lstat(p.path)
	wantNames(t, p.dir, s.names(err == nil)...)
	wantNames(t, p.state)
}

// TestRepairKilled kills a save in place at every call, and then the repair at every call of its
// own, and repairs again. A repair is killed twice in a row, too.
func TestRepairKilled(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			top := memory(t)
			kill := fault{half: true}
			for at := 1; ; at++ {
				reachedSave, reachedRepair := false, true
				for again := 1; reachedRepair; again++ {
					p := s.make(t, top)
					f := &faulty{fault: kill, at: at}
					f.run(func() { save(f, p.path, chunked(s.after), s.options(p)) })
					reachedSave = f.reached()
					reachedRepair = false
					for range 2 {
						f = &faulty{fault: kill, at: again}
						s.never(t, p, f)
						f.run(func() { repair(f, p.state) })
						reachedRepair = reachedRepair || f.reached()
					}
					s.repaired(t, p, func() string { return strings.Join(f.trace, "\n") })
					empty(t, top)
				}
				if !reachedSave {
					break
				}
			}
		})
	}
}

// TestRepairFails lets the repair of a half-written file fail at every call, and repairs again.
func TestRepairFails(t *testing.T) {
	for _, s := range shapes {
		if !s.hard || len(s.before) == 0 || len(s.after) == 0 {
			continue
		}
		mid := s.midWrite(t, memory(t))
		for _, kind := range faults {
			if kind.err == nil {
				continue
			}
			t.Run(s.name+"/"+kind.name, func(t *testing.T) {
				top := memory(t)
				reached := true
				for at := 1; reached; at++ {
					p := s.make(t, top)
					s.halfWritten(t, p, mid)
					f := &faulty{fault: kind, at: at}
					s.never(t, p, f)
					f.run(func() { repair(f, p.state) })
					reached = f.reached()
					s.repaired(t, p, func() string { return strings.Join(f.trace, "\n") })
					empty(t, top)
				}
			})
		}
	}
}

// midWrite is the call at which a save in place makes its first write to the file.
func (s shape) midWrite(t *testing.T, top string) int {
	t.Helper()
	p := s.make(t, top)
	defer empty(t, top)
	f := &faulty{}
	f.run(func() { save(f, p.path, chunked(s.after), s.options(p)) })
	for i, call := range f.trace {
		if strings.HasSuffix(call, " write "+p.path) {
			return i + 1
		}
	}
	t.Fatalf("no write to %s in\n%s", p.path, strings.Join(f.trace, "\n"))
	return 0
}

// halfWritten leaves what a save in place leaves that dies in the middle of that write.
func (s shape) halfWritten(t *testing.T, p place, mid int) {
	t.Helper()
	f := &faulty{fault: fault{half: true}, at: mid}
	f.run(func() { save(f, p.path, chunked(s.after), s.options(p)) })
	if !f.dead || s.look(t, p) != "" {
		t.Fatalf("call %d: dead %v, the file holds %q, want a mixture", mid, f.dead, s.look(t, p))
	}
}
