package core

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// model is a text in which nothing is ever removed: every rune that there was stays where it was,
// seen or not. A step knows its runes, so taking it back past later ones needs no offsets.
type model struct {
	cells []letter
	next  int               // root of the newest rune
	now   int               // steps and changes so far
	undo  map[string][]step // what an actor can take back, newest last
	redo  map[string][]step

	// open is set once something was put beside runes that another step took away: when they come
	// back, on which side of it is nowhere written.
	open bool
}

// letter is a rune. A rune that comes back is a new letter of the same root.
type letter struct {
	root int
	text string
	seen bool
	gone int // when it was last seen
}

type step struct {
	group   Group
	changes []modelChange
}

// modelChange took the runes out away and put the runes in in.
type modelChange struct{ out, in []letter }

func (m *model) text() string {
	var b strings.Builder
	for _, c := range m.cells {
		if c.seen {
			b.WriteString(c.text)
		}
	}
	return b.String()
}

// at returns the index of the q-th letter that is seen, the length if there is none.
func (m *model) at(q int) int {
	for i, c := range m.cells {
		if c.seen {
			if q == 0 {
				return i
			}
			q--
		}
	}
	return len(m.cells)
}

func (m *model) edit(q0, q1 int, s string) modelChange {
	var c modelChange
	m.now++
	at := m.at(q0)
	for n, i := q1-q0, at; n > 0; i++ {
		if m.cells[i].seen {
			m.hide(i)
			c.out = append(c.out, m.cells[i])
			n--
		}
	}
	for _, r := range s {
		m.next++
		c.in = append(c.in, letter{root: m.next, text: string(r), seen: true})
	}
	m.cells = slices.Insert(m.cells, at, c.in...)
	m.look(c)
	return c
}

// look sets open if a rune that is seen and belongs to a change stands beside one that is not seen
// and doesn't.
func (m *model) look(c modelChange) {
	mine := map[int]bool{}
	for _, x := range append(slices.Clone(c.in), c.out...) {
		mine[x.root] = true
	}
	for i := 1; i < len(m.cells); i++ {
		a, b := m.cells[i-1], m.cells[i]
		if a.seen && mine[a.root] && !b.seen && !mine[b.root] ||
			b.seen && mine[b.root] && !a.seen && !mine[a.root] {
			m.open = true
		}
	}
}

func (m *model) hide(i int) {
	m.cells[i].seen = false
	m.cells[i].gone = m.now
}

// last returns where the rune of a root was last seen.
func (m *model) last(root int) int {
	at := -1
	for i, c := range m.cells {
		if c.root == root && (at < 0 || c.gone > m.cells[at].gone) {
			at = i
		}
	}
	return at
}

// reverse takes a step back: its changes from the last to the first. What an edit took away comes
// back where it stood; what an undo took away comes back where now stands what it brought.
func (m *model) reverse(s step, redo bool, group Group) step {
	back := step{group: group}
	for _, c := range slices.Backward(s.changes) {
		m.now++
		at := -1
		for i := range m.cells {
			hit := func(x letter) bool { return x.root == m.cells[i].root }
			if m.cells[i].seen && slices.ContainsFunc(c.in, hit) {
				m.hide(i)
				if at < 0 {
					at = i
				}
			}
		}
		for i, x := range c.out {
			to := at + i
			if !redo || at < 0 {
				to = m.last(x.root)
			}
			m.cells = slices.Insert(m.cells, to, letter{root: x.root, text: x.text, seen: true})
		}
		back.changes = append(back.changes, modelChange{out: c.in, in: c.out})
		m.look(back.changes[len(back.changes)-1])
	}
	return back
}

// Steps of three people, and each taking back or bringing back their own: what PlanUndo plans is
// the step that a stack of each person's own steps says, and its edits give the text of the model.
func TestUndoPastOthersAgainstModel(t *testing.T) {
	planned, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.StringOfN(rapid.RuneFrom([]rune("abcdefgh")), 100, 200, -1).Draw(t, "start")
		r := newTestBuffer(t, start)
		m := &model{undo: map[string][]step{}, redo: map[string][]step{}}
		m.edit(0, 0, start)
		for range rapid.IntRange(5, 30).Draw(t, "steps") {
			actor := rapid.SampledFrom([]string{"ann", "bob", "cay"}).Draw(t, "actor")
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1, 2:
				m.drawEdit(t, r, actor)
			case 3:
				if m.take(t, r, actor, false) {
					planned++
				} else {
					refused++
				}
			default:
				if m.take(t, r, actor, true) {
					planned++
				}
			}
			got, want := r.buffer().Text.String(), m.text()
			if m.open {
				got, want = sorted(got), sorted(want)
			}
			if got != want {
				t.Fatalf("text %q, want %q", got, want)
			}
			if m.open {
				break
			}
		}
		r.reread()
	})
	if planned < 20 { // 61 of a hundred checks, and a standard deviation of 8
		t.Errorf("%d undos planned and %d refused: the test no longer tests", planned, refused)
	}
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// drawEdit makes a step of one to three edits that don't touch each other, from the last to the
// first. Where edits of one step touch, what is put between them may come back on either side.
func (m *model) drawEdit(t *rapid.T, r *replica, actor string) {
	v := r.buffer().Version
	s := step{group: Group(v) + 1}
	var ops []Op
	end := len(m.text())
	for range rapid.IntRange(1, 3).Draw(t, "edits") {
		if end < 0 {
			break
		}
		q0, q1 := drawRange(t, end)
		in := rapid.StringOfN(rapid.RuneFrom([]rune("uvwxyz")), 0, 3, -1).Draw(t, "text")
		if q0 == q1 && in == "" {
			in = "."
		}
		ops = append(ops, Edit(v+Version(len(ops)), q0, q1, in, s.group))
		s.changes = append(s.changes, m.edit(q0, q1, in))
		end = q0 - 1
	}
	r.must(actor, ops...)
	m.undo[actor] = append(m.undo[actor], s)
	m.redo[actor] = nil
}

// take undoes or redoes and reports whether it could.
func (m *model) take(t *rapid.T, r *replica, actor string, redo bool) bool {
	from, to := m.undo, m.redo
	if redo {
		from, to = m.redo, m.undo
	}
	b := r.buffer()
	u, err := b.PlanUndo(actor, redo, false)
	n := len(from[actor])
	if n == 0 {
		if CodeOf(err) != CodeNotFound {
			t.Fatalf("%s has nothing to %s: %v", actor, undoWord(redo), err)
		}
		return false
	}
	if err != nil {
		if CodeOf(err) != CodeConflict {
			t.Fatalf("%s: %v", undoWord(redo), err)
		}
		if b.newest.Actor == actor && b.newest.Group == from[actor][n-1].group {
			t.Fatalf("%s of the newest step: %v", undoWord(redo), err)
		}
		return false
	}
	s := from[actor][n-1]
	if u.Target != s.group || u.Redo != redo {
		t.Fatalf("%s of group %d, want %d", undoWord(redo), u.Target, s.group)
	}
	r.must(actor, Of(u))
	back := m.reverse(s, redo, Group(b.Version)+1)
	from[actor] = from[actor][:n-1]
	to[actor] = append(to[actor], back)
	return true
}

func TestUndoSteps(t *testing.T) {
	r := newTestBuffer(t, "one two three\n")
	undo := func(actor string, redo, all bool, want string, code Code) {
		t.Helper()
		u, err := r.buffer().PlanUndo(actor, redo, all)
		if CodeOf(err) != code {
			t.Fatalf("plan: %v, want %q", err, code)
		}
		if err == nil {
			r.must(actor, Of(u))
		}
		if got := r.buffer().Text.String(); got != want {
			t.Fatalf("text %q, want %q", got, want)
		}
	}
	undo("ann", false, false, "one two three\n", CodeNotFound)
	r.must("ann", Edit(0, 0, 3, "1", 0), Edit(1, 1, 1, "!", 1))
	r.must("bob", Edit(2, 7, 12, "3", 0))
	r.must("ann", Edit(3, 0, 0, "0 ", 0))
	undo("cay", false, false, "0 1! two 3\n", CodeNotFound)
	undo("ann", false, false, "1! two 3\n", "")
	undo("ann", false, false, "one two 3\n", "") // past bob's step
	undo("ann", true, false, "1! two 3\n", "")   // and back
	undo("bob", true, false, "1! two 3\n", CodeNotFound)
	undo("cay", false, true, "one two 3\n", "") // anybody's: what ann brought back is the newest
	undo("cay", false, true, "one two three\n", "")
	undo("cay", true, false, "one two 3\n", "")
	undo("cay", true, false, "1! two 3\n", "")
	r.must("bob", Edit(r.buffer().Version, 0, 2, "eins", 0))
	undo("ann", false, false, "eins two 3\n", CodeConflict)
	undo("bob", false, false, "1! two 3\n", "")
	undo("ann", false, false, "one two 3\n", "") // what was in the way is gone
	r.must("ann", Edit(r.buffer().Version, 0, 0, "x", 0))
	undo("ann", true, false, "xone two 3\n", CodeNotFound) // an edit ends what can be brought back
	r.reread()
}

// Many undos in a row are planned without looking at all pairs of steps.
func TestUndoLongChains(t *testing.T) {
	const steps = 500
	r := newTestBuffer(t, "")
	for i := range Version(steps) {
		r.must("ann", Edit(i, 0, 0, "x", 0))
	}
	for _, redo := range []bool{false, true} {
		for range steps {
			u, err := r.buffer().PlanUndo("ann", redo, false)
			if err != nil {
				t.Fatal(err)
			}
			r.must("ann", Of(u))
		}
	}
	if got := r.buffer().Text.Runes(); got != steps {
		t.Errorf("%d runes, want %d", got, steps)
	}
}
