package core

import (
	"testing"

	"pgregory.net/rapid"
)

func hashOfText(s string) Hash {
	return SumText(func(yield func([]byte) bool) { yield([]byte(s)) })
}

// What was seen of the disk, and what was told: a warning counts for exactly what it was of, and
// goes with everything else that is seen.
func TestBufferDiskNews(t *testing.T) {
	r := newTestBuffer(t, "text")
	r.must("", Of(&Clean{Version: 0, Disk: hashOfText("text"), Bytes: 4}))
	check := func(when string, want diskNews) {
		t.Helper()
		if got := r.buffer().diskNews; got != want {
			t.Errorf("%s: %+v, want %+v", when, got, want)
		}
		r.reread()
	}
	one, two := hashOfText("one"), hashOfText("two")
	r.must("", Of(&DiskChanged{Disk: one}))
	check("seen", diskNews{Stale: true, StaleDisk: one})
	r.must("", Of(&Stale{Disk: one}))
	check("refused", diskNews{Stale: true, StaleDisk: one, Warned: true})
	r.must("", Of(&DiskChanged{Disk: one}))
	check("seen again", diskNews{Stale: true, StaleDisk: one, Warned: true})
	r.must("", Of(&DiskChanged{Disk: two}))
	check("seen another", diskNews{Stale: true, StaleDisk: two})
	r.must("", Of(&DiskChanged{Missing: true}))
	check("gone", diskNews{Missing: true})
	if b := r.buffer(); b.Dirty() || !b.Unkept() {
		t.Errorf("gone: dirty %v, unkept %v", b.Dirty(), b.Unkept())
	}
	r.must("", Of(&Clean{Version: 0, Disk: hashOfText("text"), Bytes: 4}))
	check("there again", diskNews{})
	if r.buffer().Unkept() {
		t.Error("unkept although the disk has it")
	}
	r.must("", Of(&DiskChanged{Missing: true}), Of(&Rename{Name: "/other"}))
	check("renamed", diskNews{})
	if b := r.buffer(); b.OnDisk || b.CleanVersion != 0 {
		t.Errorf("renamed: %+v", b.onDisk)
	}
}

// After a merge the disk's text is what the next merge starts from, wherever the text has gone on to
// and whatever was taken back.
func TestBufferBase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawText(t, "start")
		r := newTestBuffer(t, want)
		if _, ok := r.buffer().Base(); ok {
			t.Fatal("a base without a disk")
		}
		r.must("", Of(&Clean{Version: 0, Disk: hashOfText(want), Bytes: len(want)}))
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			b := r.buffer()
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				want = b.Text.String()
				r.must("", Of(&Clean{Version: b.Version, Disk: hashOfText(want), Bytes: len(want)}))
			case 1:
				q0, q1 := drawRange(t, b.Text.Runes())
				apart := Span{q0, q1, drawText(t, "disk")}
				want = b.Text.Replace(q0, q1, apart.Text).String()
				r.must("", Of(&Merged{Version: b.Version, Disk: hashOfText(want), Bytes: len(want),
					Apart: []Span{apart}}))
				if got := r.buffer(); got.AsOnDisk() || got.Dirty() != (got.Text.String() != want) {
					t.Fatalf("merged with %q: dirty %v", want, got.Dirty())
				}
			case 2:
				if u, err := b.PlanUndo("ann", false, false); err == nil {
					r.must("ann", Of(u))
				}
			default:
				q0, q1 := drawRange(t, b.Text.Runes())
				r.must("ann", Edit(b.Version, q0, q1, drawText(t, "typed"), 0))
			}
			r.reread()
			if got, ok := r.buffer().Base(); !ok || got.String() != want {
				t.Fatalf("base %q %v, want %q", got.String(), ok, want)
			}
		}
	})
}

// A base that the history does not reach, or that is not what the disk held, is none.
func TestBufferBaseIsProved(t *testing.T) {
	r := newTestBuffer(t, "text")
	r.must("ann", Edit(0, 0, 0, "x", 0))
	for name, o := range map[string]*Merged{
		"another text":   {Version: 1, Disk: hashOfText("other"), Bytes: 5},
		"out of range":   {Version: 1, Disk: hashOfText("xtext"), Bytes: 5, Apart: []Span{{9, 10, ""}}},
		"no difference":  {Version: 1, Disk: hashOfText("other"), Bytes: 5, Apart: []Span{{}}},
		"another length": {Version: 1, Disk: hashOfText("xtext"), Bytes: 4},
	} {
		r.must("", Of(o))
		if _, ok := r.buffer().Base(); ok {
			t.Errorf("%s: there is a base", name)
		}
	}
	r.must("", Of(&Merged{Version: 1, Disk: hashOfText("other"), Bytes: 5, Apart: []Span{{}}}))
	if !r.buffer().Dirty() {
		t.Error("clean although it is another text")
	}
	for _, apart := range [][]Span{{{2, 1, ""}}, {{0, 3, ""}, {2, 4, ""}}} {
		if err := r.apply("", Of(&Merged{Version: 1, Apart: apart})); CodeOf(err) != CodeBadRequest {
			t.Errorf("%v: %v", apart, err)
		}
	}
	if err := r.apply("", Of(&Merged{Version: 9})); CodeOf(err) != CodeBadRequest {
		t.Errorf("a version to come: %v", err)
	}
}
