package core

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"apex/core/text"

	"pgregory.net/rapid"
)

// replica is one shard's state in a test.
type replica struct {
	t     tester
	state ShardState
}

// tester is what tests and rapid's checks have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

var testShard = BufferID(7).Shard()

// newTestBuffer returns a buffer with a text.
func newTestBuffer(t tester, text string) *replica {
	r := &replica{t, NewShardState([16]byte{1}, SessionID{2}, testShard)}
	r.must("", Of(&BufferNew{Kind: BufferFile, Name: "/f", Text: text}))
	return r
}

func (r *replica) buffer() *Buffer { return r.state.Buffer() }

// apply applies a batch of one actor through its canonical bytes.
func (r *replica) apply(actor string, ops ...Op) error {
	r.t.Helper()
	b := Batch{Shard: testShard, Epoch: 1, First: r.state.Mark.Seq + 1, Author: Author{1, actor},
		Ops: ops}
	sealed, err := Open(b.Append(nil))
	if err != nil {
		r.t.Fatalf("open: %v", err)
	}
	next, err := r.state.Apply(sealed)
	if err == nil {
		r.state = next
	}
	return err
}

func (r *replica) must(actor string, ops ...Op) {
	r.t.Helper()
	if err := r.apply(actor, ops...); err != nil {
		r.t.Fatalf("apply: %v", err)
	}
}

func (r *replica) snapshot() []byte {
	r.t.Helper()
	var b bytes.Buffer
	if err := r.state.WriteSnapshot(&b); err != nil {
		r.t.Fatalf("snapshot: %v", err)
	}
	return b.Bytes()
}

// reread replaces the state by what its snapshot gives, which has to be the same.
func (r *replica) reread() {
	r.t.Helper()
	one := r.snapshot()
	hash := r.state.Hash()
	s, err := ReadSnapshot(one)
	if err != nil {
		r.t.Fatalf("read snapshot: %v", err)
	}
	r.state = s
	if two := r.snapshot(); !bytes.Equal(one, two) || r.state.Hash() != hash {
		r.t.Fatalf("the state and its snapshot differ:\n%x\n%x", one, two)
	}
	if err := s.Buffer().Text.Verify(); err != nil {
		r.t.Fatalf("%v", err)
	}
}

// splitRunes cuts s where utf8.DecodeRune does.
func splitRunes(s string) []string {
	var out []string
	for s != "" {
		_, n := utf8.DecodeRuneInString(s)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// splice replaces runes [q0, q1) of s.
func splice(s string, q0, q1 int, with string) string {
	r := splitRunes(s)
	return strings.Join(r[:q0], "") + with + strings.Join(r[q1:], "")
}

// Pieces of text that join and break: whole and cut encodings, line ends, a byte order mark, NUL.
var piecesOfText = []string{"", "a", "b ", "\n", "\r\n", "你", "\xe4", "\xbd", "\xa0", "\xe4\xbd",
	"\xbd\xa0",
	"\xf0\x9f", "\x98\x80", "😀", "e\u0301", "\x00", "\xff", "\ufeff", "word word\n"}

func drawText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(piecesOfText), 0, 8).Draw(t, label), "")
}

func drawRange(t *rapid.T, n int) (int, int) {
	q0 := rapid.IntRange(0, n).Draw(t, "q0")
	return q0, min(n, q0+rapid.IntRange(0, 6).Draw(t, "nd"))
}

// Whatever is edited, the bytes are those of a plain string; undoing all of it gives the bytes of
// the beginning, and redoing all of it those of the end.
func TestBufferEditsAgainstString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawText(t, "start")
		r := newTestBuffer(t, want)
		texts := []string{want}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			var ops []Op
			for range rapid.IntRange(1, 3).Draw(t, "ops") {
				q0, q1 := drawRange(t, len(splitRunes(want)))
				s := drawText(t, "text")
				v := r.buffer().Version + Version(len(ops))
				ops = append(ops, Edit(v, q0, q1, s, Group(r.buffer().Version)+1))
				want = splice(want, q0, q1, s)
			}
			old := r.state
			r.must("ann", ops...)
			if got := r.buffer().Text.String(); got != want {
				t.Fatalf("text %q, want %q", got, want)
			}
			if got := old.Buffer().Text.String(); got != texts[len(texts)-1] {
				t.Fatalf("the older value reads %q, want %q", got, texts[len(texts)-1])
			}
			texts = append(texts, want)
			r.reread()
		}
		replay(t, r, texts)
	})
}

// replay undoes and redoes all steps whose texts are given, twice.
func replay(t *rapid.T, r *replica, texts []string) {
	step := func(redo bool, want string) {
		u, err := r.buffer().PlanUndo("ann", redo, false)
		if err != nil {
			t.Fatalf("plan, redo %v: %v", redo, err)
		}
		r.must("ann", Of(u))
		if got := r.buffer().Text.String(); got != want {
			t.Fatalf("redo %v: text %q, want %q", redo, got, want)
		}
	}
	for range 2 {
		for i := len(texts) - 2; i >= 0; i-- {
			step(false, texts[i])
		}
		if _, err := r.buffer().PlanUndo("ann", false, false); CodeOf(err) != CodeNotFound {
			t.Fatalf("undo at the beginning: %v", err)
		}
		r.reread()
		for i := 1; i < len(texts); i++ {
			step(true, texts[i])
		}
		if _, err := r.buffer().PlanUndo("ann", true, false); CodeOf(err) != CodeNotFound {
			t.Fatalf("redo at the end: %v", err)
		}
	}
	r.reread()
}

// At any kept version the text is what it was then.
func TestBufferAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawText(t, "start")
		r := newTestBuffer(t, want)
		texts := map[Version]string{0: want}
		for range rapid.IntRange(1, 20).Draw(t, "edits") {
			if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
				if u, err := r.buffer().PlanUndo("ann", rapid.Bool().Draw(t, "redo"),
					false); err == nil {
					r.must("ann", Of(u))
				}
			} else {
				q0, q1 := drawRange(t, r.buffer().Text.Runes())
				s := rapid.OneOf(rapid.SampledFrom(piecesOfText), rapid.Just("x")).Draw(t, "text")
				g := rapid.SampledFrom([]Group{0, r.buffer().newest.Group}).Draw(t, "group")
				r.must("ann", Edit(r.buffer().Version, q0, q1, s, g))
			}
			texts[r.buffer().Version] = r.buffer().Text.String()
		}
		for v, want := range texts {
			got, ok := r.buffer().At(v)
			if !ok || got.String() != want {
				t.Fatalf("at version %d %q %v, want %q", v, got.String(), ok, want)
			}
		}
	})
}

// A batch with one bad op anywhere changes nothing.
func TestBufferBatchIsWhole(t *testing.T) {
	bad := func(v Version, n int) []Op {
		return []Op{
			Edit(v+1, 0, 0, "x", 0), Edit(v, n+1, n+1, "x", 0), Edit(v, 0, n+1, "x", 0),
			Edit(v, 0, 0, "x", Group(v)+2), Select(WindowID(9).Body(), 0, 0),
			Select(WindowID(1).Body(), 0, n+1),
			Origin(WindowID(1).Body(), n+1), Origin(WindowID(9).Body(), 0),
			Of(&BufferNew{Kind: BufferFile}), Of(&Load{Text: "x"}), Of(&Loaded{}),
			Of(&Clean{Version: v + 1}),
			Of(&Undo{Version: v, Target: 1}), Of(&Undo{Version: v, Target: 1, Edits: []Span{{0,
				n + 1, ""}}}),
			Of(&ViewAdd{View: WindowID(1).Body()}), Of(&ViewAdd{View: WindowID(2).Body(),
				Q1: n + 1}),
			Of(&ViewDel{View: WindowID(9).Body()}), Of(&MarkSet{Name: ""}),
			Of(&MarkSet{Name: "m", Q1: n + 1}),
			Of(&MarkDel{Name: "none"}), Of(&Rename{Name: strings.Repeat("x", MaxNameBytes+1)}),
		}
	}
	for i := range bad(0, 0) {
		r := newTestBuffer(t, "one two\n")
		r.must("ann", Of(&ViewAdd{View: WindowID(1).Body()}), Edit(0, 0, 3, "1", 0))
		before := r.snapshot()
		good := []Op{Edit(1, 0, 0, "zero ", 0), Select(WindowID(1).Body(), 1, 2), Of(&Stale{}),
			Of(&MarkSet{Name: "k", Q1: 1})}
		ops := append(good, bad(2, 11)[i])
		if err := r.apply("ann", ops...); err == nil {
			t.Errorf("op %d: applied, want an error", i)
		}
		if !bytes.Equal(before, r.snapshot()) {
			t.Errorf("op %d: the state changed", i)
		}
		r.must("ann", good...)
		if got := r.buffer().Text.String(); got != "zero 1 two\n" {
			t.Errorf("op %d: afterwards %q", i, got)
		}
	}
}

// Values that went on from one value don't see each other.
func TestBufferBranches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newTestBuffer(t, "start")
		for i := range rapid.IntRange(0, 70).Draw(t, "before") {
			r.must("ann", Edit(Version(i), 0, 0, "x", 0))
		}
		common := r.state
		var want [][]byte
		var ends []*replica
		for _, actor := range []string{"bob", "cay"} {
			b := &replica{t, common}
			for range rapid.IntRange(1, 40).Draw(t, actor) {
				b.must(actor, Edit(b.buffer().Version, 0, 1, actor, 0))
			}
			ends = append(ends, b)
			want = append(want, b.snapshot())
		}
		for i, b := range ends {
			if !bytes.Equal(b.snapshot(), want[i]) {
				t.Fatalf("branch %d changed when another went on", i)
			}
			b.reread()
		}
	})
}

func TestBufferViewsFollowEdits(t *testing.T) {
	tests := []struct {
		name   string
		q0, q1 int
		text   string
		dot    [2]int // of the view at 3,6 in "0123456789"
	}{
		{"insert before", 1, 1, "xx", [2]int{5, 8}},
		{"insert at the dot's start", 3, 3, "xx", [2]int{3, 8}},
		{"insert inside", 4, 4, "xx", [2]int{3, 8}},
		{"insert at the dot's end", 6, 6, "xx", [2]int{3, 6}},
		{"insert behind", 7, 7, "xx", [2]int{3, 6}},
		{"delete before", 0, 2, "", [2]int{1, 4}},
		{"delete over the start", 2, 4, "", [2]int{2, 4}},
		{"delete over the end", 5, 8, "", [2]int{3, 5}},
		{"delete around", 1, 9, "", [2]int{1, 1}},
		{"replace the dot", 3, 6, "x", [2]int{3, 4}},
		{"replace around", 1, 9, "xyz", [2]int{1, 1}},
	}
	for _, c := range tests {
		r := newTestBuffer(t, "0123456789")
		v := WindowID(1).Body()
		r.must("ann", Of(&ViewAdd{View: v, Q0: 3, Q1: 6, Origin: 3}), Of(&MarkSet{Name: "m",
			Q0: 3, Q1: 6}))
		r.must("bob", Edit(0, c.q0, c.q1, c.text, 0))
		got, _ := r.buffer().View(v)
		m, _ := r.buffer().Mark("m")
		if got.Q0 != c.dot[0] || got.Q1 != c.dot[1] || got.Origin != c.dot[0] {
			t.Errorf("%s: dot %d,%d origin %d, want %v", c.name, got.Q0, got.Q1, got.Origin, c.dot)
		}
		if m.Q0 != c.dot[0] || m.Q1 != c.dot[1] {
			t.Errorf("%s: mark %d,%d, want %v", c.name, m.Q0, m.Q1, c.dot)
		}
	}
}

func TestBufferDirty(t *testing.T) {
	hash := func(s string) Hash {
		return SumText(func(yield func([]byte) bool) { yield([]byte(s)) })
	}
	r := newTestBuffer(t, "")
	check := func(when string, want bool) {
		t.Helper()
		if got := r.buffer().Dirty(); got != want {
			t.Errorf("%s: dirty %v, want %v", when, got, want)
		}
		r.reread()
	}
	check("new and empty", false)
	r.must("ann", Edit(0, 0, 0, "text", 0))
	check("typed", true)
	r.must("", Of(&Clean{Version: 1, Disk: hash("text"), Bytes: 4}))
	check("saved", false)
	r.must("ann", Edit(1, 0, 1, "T", 0))
	check("same length", true)
	r.must("ann", Edit(2, 0, 1, "t", 0))
	check("typed back", false)
	r.must("ann", Of(&Stale{Disk: hash("other")}))
	if !r.buffer().Stale {
		t.Error("not stale")
	}
	r.must("ann", Edit(3, 4, 4, "!", 0))
	check("longer", true)
	// A save that was under way while the text went on.
	r.must("ann", Of(&Clean{Version: 3, Disk: hash("text"), Bytes: 4}))
	check("an older version saved", true)
	if r.buffer().Stale {
		t.Error("still stale after a save")
	}
}

func TestBufferLoads(t *testing.T) {
	r := &replica{t, NewShardState([16]byte{1}, SessionID{2}, testShard)}
	r.must("", Of(&BufferNew{Kind: BufferFile, Text: "\xe4", Loading: true}))
	if err := r.apply("", Edit(0, 0, 0, "x", 0)); CodeOf(err) != CodeBusy {
		t.Errorf("edit while loading: %v", err)
	}
	r.must("", Of(&Load{Text: "\xbd\xa0"}), Of(&Load{Text: "好"}))
	r.reread()
	sum := SumText(func(yield func([]byte) bool) { yield([]byte("你好")) })
	if err := r.apply("", Of(&Loaded{Hash: Hash{1}})); err == nil {
		t.Error("a wrong hash was taken")
	}
	r.must("", Of(&Loaded{Hash: sum}), Edit(0, 2, 2, "!", 0))
	if got := r.buffer().Text.String(); got != "你好!" {
		t.Errorf("text %q", got)
	}
}

// A snapshot whose history can't have made its text is refused.
func TestBufferSnapshotHistoryIsChecked(t *testing.T) {
	good := Change{Version: 1, Q0: 1, NI: 2, ND: 1, Deleted: "x", Kind: ChangeEdit, Group: 2}
	bad := map[string]func(c *Change){
		"beyond the end":   func(c *Change) { c.Q0 = 4 },
		"too long":         func(c *Change) { c.NI = 9 },
		"other text":       func(c *Change) { c.Deleted = "xy" },
		"version":          func(c *Change) { c.Version = 0 },
		"kind":             func(c *Change) { c.Kind = ChangeRedo + 1 },
		"run of deletions": func(c *Change) { c.Version, c.Run = 0, 1 },
	}
	read := func(c Change) error {
		b := &Buffer{Kind: BufferFile, Version: 2, Text: text.FromString("abcd")}
		b.newest = c
		r := &replica{t, ShardState{Shard: testShard, Mark: Mark{Seq: 1}, state: b}}
		_, err := ReadSnapshot(r.snapshot())
		return err
	}
	if err := read(good); err != nil {
		t.Errorf("a good one: %v", err)
	}
	for name, spoil := range bad {
		c := good
		if spoil(&c); CodeOf(read(c)) != CodeBadRequest {
			t.Errorf("%s: %v, want bad_request", name, read(c))
		}
	}
}
