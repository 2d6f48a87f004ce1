package edit

import (
	"slices"
	"strings"
	"testing"

	"apex/core"

	"pgregory.net/rapid"
)

// FuzzAskEdit evaluates edits against an older version of a text of any bytes.
func FuzzAskEdit(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkAskEdit)) }

func TestAskEditAgainstBytes(t *testing.T) { rapid.Check(t, checkAskEdit) }

// checkAskEdit compares what a proposal does with replacing the bytes where the ranges are now;
// that those are the right places is for the tests of core.Delta.
func checkAskEdit(t *rapid.T) {
	pieces := rapid.SampledFrom([]string{"", "a", "bc\n", "你", "\xe4", "\xbd", "\xa0",
		"\xe4\xbd", "\xf0\x9f\x98", "\x80"})
	drawn := func(label string) string {
		return strings.Join(rapid.SliceOfN(pieces, 0, 6).Draw(t, label), "")
	}
	w := newWorld(t)
	_, body := w.file("/f", drawn("start"))
	buffer := func() *core.Buffer { return w.Buffer(body) }
	draw := func(n int) []core.Span {
		var out []core.Span
		for q := 0; q <= n && len(out) < 4; q += rapid.IntRange(0, 2).Draw(t, "gap") {
			end := min(n, q+rapid.IntRange(0, 3).Draw(t, "length"))
			out = append(out, core.Span{Q0: q, Q1: end, Text: drawn("text")})
			q = end
			if rapid.Bool().Draw(t, "enough") {
				break
			}
		}
		return out
	}
	edits := draw(buffer().Text.Runes())
	w.author.Actor = "agent:x"
	for range rapid.IntRange(0, 4).Draw(t, "later") {
		w.must(&core.AskEdit{Buffer: body, Base: buffer().Version,
			Edits: draw(buffer().Text.Runes())})
	}
	w.author = ann
	delta, ok := buffer().Since(0)
	if !ok {
		t.Fatalf("no delta since the beginning")
	}
	before, version := buffer().Text, buffer().Version
	moved, rest := move(&delta, edits)
	policy := core.OnConflict(rapid.IntRange(0, 1).Draw(t, "policy"))
	res := w.ask(&core.AskEdit{Buffer: body, OnConflict: policy, Edits: edits})
	w.verify()
	may := len(rest) == 0 && (policy == core.ConflictRebase || version == 0)
	if (res.Outcome == core.Applied) != may || res.Err != nil {
		t.Fatalf("outcome %q %v, want applied %v", res.Outcome, res.Err, may)
	}
	want := before.String()
	if may {
		want = string(splice(before, 0, before.Runes(), moved))
	}
	if got := buffer().Text.String(); got != want {
		t.Fatalf("%v on %q: %q, want %q", moved, before.String(), got, want)
	}
	if buffer().Version == version {
		return
	}
	outcome := core.Superseded
	if slices.ContainsFunc(moved, inserts) {
		outcome = core.NeedsMerge
	}
	again := w.ask(&core.AskEdit{Buffer: body, Base: version, Edits: moved})
	if again.Outcome != outcome || buffer().Text.String() != want {
		t.Fatalf("made again: %q %v, want %q", again.Outcome, again.Err, outcome)
	}
	w.must(&core.AskUndo{Buffer: body})
	if got := buffer().Text.String(); got != before.String() {
		t.Fatalf("undone %q, want %q", got, before.String())
	}
}
