package edit

import (
	"strings"
	"testing"

	"apex/core"
)

func spans(args ...any) []core.Span {
	var out []core.Span
	for i := 0; i < len(args); i += 3 {
		out = append(out, core.Span{Q0: args[i].(int), Q1: args[i+1].(int),
			Text: args[i+2].(string)})
	}
	return out
}

func TestEditOutcomes(t *testing.T) {
	const start = "one two three four\n"
	tests := []struct {
		name   string
		later  [][]core.Span // made before the proposal arrives
		by     string        // who made them; empty: somebody else
		edits  []core.Span
		policy core.OnConflict
		base   int // versions behind the current one; -1: all of them
		want   core.Outcome
		code   core.Code
		text   string
	}{
		{name: "current base", edits: spans(0, 3, "1", 8, 13, "3"), want: core.Applied,
			text: "1 two 3 four\n"},
		{name: "insert twice at one place", edits: spans(3, 3, "a", 3, 3, "b"),
			want: core.Applied, text: "oneab two three four\n"},
		{name: "to the end", edits: spans(19, 19, "x"), want: core.Applied, text: start + "x"},
		{name: "no edits", want: core.Applied, text: start},
		{name: "reversed", edits: spans(3, 1, "x"), code: core.CodeBadRequest, text: start},
		{name: "overlapping", edits: spans(0, 3, "x", 2, 4, "y"), code: core.CodeBadRequest,
			text: start},
		{name: "out of order", edits: spans(8, 9, "x", 2, 4, "y"), code: core.CodeBadRequest,
			text: start},
		{name: "beyond the end", edits: spans(19, 20, "x"), code: core.CodeBadRequest, text: start},
		{name: "negative", edits: spans(-1, 2, "x"), code: core.CodeBadRequest, text: start},
		{name: "beyond the end at its base", later: [][]core.Span{spans(19, 19, "more")}, base: -1,
			policy: core.ConflictRebase, edits: spans(19, 20, "x"), code: core.CodeBadRequest,
			text: start + "more"},
		{name: "old base fails", later: [][]core.Span{spans(0, 0, "zero ")}, base: -1,
			edits: spans(4, 7, "2"), want: core.NeedsMerge, text: "zero " + start},
		{name: "rebases", later: [][]core.Span{spans(0, 0, "zero ")}, base: -1,
			policy: core.ConflictRebase,
			edits:  spans(4, 7, "2", 14, 18, "4"), want: core.Applied, text: "zero one 2 three 4\n"},
		{name: "overlap", later: [][]core.Span{spans(4, 7, "zwei")}, base: -1,
			policy: core.ConflictRebase,
			edits:  spans(5, 6, "x"), want: core.NeedsMerge, text: "one zwei three four\n"},
		{name: "one of two overlaps", later: [][]core.Span{spans(4, 7, "zwei")}, base: -1,
			policy: core.ConflictRebase,
			edits:  spans(0, 3, "x", 5, 6, "x"), want: core.NeedsMerge,
			text: "one zwei three four\n"},
		{name: "already so", later: [][]core.Span{spans(4, 7, "zwei")}, base: -1,
			edits: spans(4, 7, "zwei"), want: core.Superseded, text: "one zwei three four\n"},
		{name: "already so by a smaller edit", later: [][]core.Span{spans(5, 7, "wei"), spans(4,
			5, "z")}, base: -1,
			edits: spans(4, 7, "zwei"), want: core.Superseded, text: "one zwei three four\n"},
		{name: "already so, and more", later: [][]core.Span{spans(0, 3, "1"), spans(2, 5,
			"zwei")}, base: -1,
			edits: spans(4, 7, "zwei"), want: core.Superseded, text: "1 zwei three four\n"},
		{name: "already inserted", later: [][]core.Span{spans(4, 4, "x")}, base: -1,
			edits: spans(4, 4, "x"), want: core.NeedsMerge, text: "one xtwo three four\n"},
		{name: "already inserted by the same author", later: [][]core.Span{spans(4, 4, "x")},
			by: ann.Actor, base: -1,
			edits: spans(4, 4, "x"), want: core.NeedsMerge, text: "one xtwo three four\n"},
		{name: "inserted once more", later: [][]core.Span{spans(4, 4, "x")},
			by: ann.Actor, base: -1, policy: core.ConflictRebase,
			edits: spans(4, 4, "x"), want: core.Applied, text: "one xxtwo three four\n"},
		{name: "already replaced, and an insertion", later: [][]core.Span{spans(4, 7, "zwei")},
			base: -1, edits: spans(4, 7, "zwei", 7, 7, "!"), want: core.NeedsMerge,
			text: "one zwei three four\n"},
		{name: "replaced otherwise by the same author", later: [][]core.Span{spans(4, 7, "AAA")},
			by: ann.Actor, base: -1, edits: spans(4, 7, "BBB"), want: core.NeedsMerge,
			text: "one AAA three four\n"},
		{name: "replaced otherwise by the same author, rebased", later: [][]core.Span{spans(4,
			7, "AAA")}, by: ann.Actor, base: -1, policy: core.ConflictRebase,
			edits: spans(4, 7, "BBB"), want: core.NeedsMerge, text: "one AAA three four\n"},
		{name: "to be replaced, gone by the same author", later: [][]core.Span{spans(0, 13, "")},
			by: ann.Actor, base: -1, edits: spans(4, 7, "x"), want: core.NeedsMerge,
			text: " four\n"},
		{name: "to be deleted and replaced, gone", later: [][]core.Span{spans(0, 13, "")},
			by: ann.Actor, base: -1, edits: spans(0, 3, "", 4, 7, "x"), want: core.NeedsMerge,
			text: " four\n"},
		{name: "to be deleted, gone by the same author", later: [][]core.Span{spans(0, 13, "-")},
			by: ann.Actor, base: -1, edits: spans(4, 7, ""), want: core.Superseded,
			text: "- four\n"},
		{name: "to be deleted, replaced by somebody else", later: [][]core.Span{spans(0, 13,
			"-")}, base: -1, edits: spans(4, 7, ""), want: core.NeedsMerge, text: "- four\n"},
		{name: "to be deleted, partly gone", later: [][]core.Span{spans(0, 5, "")}, by: ann.Actor,
			base: -1, edits: spans(4, 7, ""), want: core.NeedsMerge, text: "wo three four\n"},
		{name: "gone piece by piece", later: [][]core.Span{spans(5, 6, "--"), spans(3, 5, ""),
			spans(3, 9, "")},
			by: ann.Actor, base: -1, edits: spans(4, 7, ""), want: core.Superseded,
			text: "oneree four\n"},
		{name: "base in the future", base: 1, edits: spans(0, 0, "x"), code: core.CodeBadRequest,
			text: start},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			_, body := w.file("/f", start)
			w.author = core.Author{Actor: "agent:x"}
			if c.by != "" {
				w.author.Actor = c.by
			}
			for _, l := range c.later {
				w.must(&core.AskEdit{Buffer: body, Base: w.Buffer(body).Version, Edits: l})
			}
			w.author = ann
			base := int(w.Buffer(body).Version)
			if c.base < 0 {
				base = 0
			}
			base += max(0, c.base)
			res := w.ask(&core.AskEdit{Buffer: body, Base: core.Version(base),
				OnConflict: c.policy, Edits: c.edits})
			if res.Outcome != c.want || (res.Err != nil) != (c.code != "") || res.Err != nil &&
				res.Err.Code != c.code {
				t.Errorf("outcome %q %v, want %q %s", res.Outcome, res.Err, c.want, c.code)
			}
			if got := w.text(body); got != c.text {
				t.Errorf("text %q, want %q", got, c.text)
			}
			w.verify()
		})
	}
}

func TestEditIsOneUndoStep(t *testing.T) {
	w := newWorld(t)
	id, body := w.file("/f", "a b c\n")
	w.must(&core.AskEdit{Buffer: body, Edits: spans(0, 1, "A", 2, 3, "B", 4, 5, "CC"),
		Select: id.Body()})
	if got, dot := w.text(body), w.dot(id.Body(), body); got != "A B CC\n" || dot != [2]int{4, 6} {
		t.Fatalf("text %q, dot %v", got, dot)
	}
	w.must(&core.AskUndo{Buffer: body})
	if got := w.text(body); got != "a b c\n" {
		t.Fatalf("after undo %q", got)
	}
	w.must(&core.AskUndo{Buffer: body, Redo: true})
	if got := w.text(body); got != "A B CC\n" {
		t.Fatalf("after redo %q", got)
	}
	if res := w.ask(&core.AskUndo{Buffer: body,
		Redo: true}); core.CodeOf(res.Err) != core.CodeNotFound {
		t.Fatalf("second redo: %v %v", res.Outcome, res.Err)
	}
	w.verify()
}

func TestEditRecover(t *testing.T) {
	w := newWorld(t)
	_, body := w.file("/f", "one two three\n")
	w.author.Actor = "agent:x"
	w.must(&core.AskEdit{Buffer: body, Edits: spans(4, 7, "zwei")})
	w.author = core.Author{Attachment: 7, Actor: "human:bob"}
	for range 2 {
		res := w.must(&core.AskEdit{Buffer: body, OnConflict: core.ConflictRecover,
			Edits: spans(0, 3, "eins", 5, 6, "W")})
		got := w.text(w.Window(res.Window).Body)
		for _, want := range []string{"human:bob", "attachment 7", "version 0 of /f",
			"runes 5,6", "\nW\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("recovered text %q lacks %q", got, want)
			}
		}
		w.author.Attachment = 7
	}
	if got := w.text(body); !strings.HasSuffix(got, " zwei three\n") {
		t.Errorf("text %q", got)
	}
	if n := len(windows(&w.Layout().Arrange)); n != 2 {
		t.Errorf("%d windows, want the file and one +Recovered", n)
	}
	w.verify()
}

func TestEditNotLed(t *testing.T) {
	w := newWorld(t)
	_, body := w.file("/f", "text")
	w.others[body.Shard()] = true
	res := w.ask(&core.AskEdit{Buffer: body, Edits: spans(0, 0, "x")})
	if core.CodeOf(res.Err) != core.CodeNotLeader {
		t.Errorf("got %v %v, want not_leader", res.Outcome, res.Err)
	}
	res = w.ask(&core.AskEdit{Buffer: 99, Edits: spans(0, 0, "x")})
	if core.CodeOf(res.Err) != core.CodeNotFound {
		t.Errorf("got %v %v, want not_found", res.Outcome, res.Err)
	}
}

// More edits than a batch has room for are fewer, larger ones, and one step all the same.
func TestEditOfManyRanges(t *testing.T) {
	const n = 3 * maxSpans
	w := newWorld(t)
	_, body := w.file("/f", strings.Repeat("ab", n))
	var edits []core.Span
	for i := range n {
		edits = append(edits, core.Span{Q0: 2 * i, Q1: 2*i + 1, Text: "xy"})
	}
	res := w.must(&core.AskEdit{Buffer: body, Edits: edits})
	if res.Version == 0 || res.Version > maxSpans {
		t.Errorf("%d changes, want at most %d", res.Version, maxSpans)
	}
	if w.text(body) != strings.Repeat("xyb", n) {
		t.Error("the text is not what was asked for")
	}
	w.must(&core.AskUndo{Buffer: body})
	if w.text(body) != strings.Repeat("ab", n) {
		t.Error("one undo does not take it back")
	}
	w.verify()
}

// A text for +Recovered may be larger than one op takes.
func TestRecoverLargeText(t *testing.T) {
	w := newWorld(t)
	_, body := w.file("/f", "text")
	w.must(&core.AskEdit{Buffer: body, Edits: spans(0, 4, "other")})
	w.author = core.Author{Attachment: 3, Actor: "human:bob"}
	lost := strings.Repeat("lost\n", core.LoadMaxBytes/2)
	res := w.must(&core.AskEdit{Buffer: body, OnConflict: core.ConflictRecover,
		Edits: spans(0, 4, lost)})
	if got := w.text(w.Window(res.Window).Body); !strings.HasSuffix(got, ":\n"+lost) {
		t.Errorf("%d bytes recovered, want %d at the end of them", len(got), len(lost))
	}
	if got := w.text(body); got != "other" {
		t.Errorf("text %q", got)
	}
	w.verify()
}
