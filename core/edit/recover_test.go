package edit

import (
	"strings"
	"testing"

	"apex/core"
)

// TestRecoverKeepsWhatWasTyped checks that a fenced leader's text is not taken for superseded
// because its author removed later what it had replaced.
func TestRecoverKeepsWhatWasTyped(t *testing.T) {
	w := newWorld(t)
	_, body := w.file("/home/ann/f", "abc\n")
	base := w.Buffer(body).Version
	w.must(&core.AskEdit{Buffer: body, Base: base, Edits: []core.Span{{Q0: 0, Q1: 2}}})
	ask := &core.AskEdit{Buffer: body, Base: base, Edits: []core.Span{{Q0: 0, Q1: 1, Text: "typed"}}}
	if res := w.ask(ask); res.Outcome != core.NeedsMerge {
		t.Fatalf("as an edit: %v, want a conflict", res)
	}
	ask.OnConflict = core.ConflictRecover
	res := w.must(ask)
	if got := w.text(w.Window(res.Window).Body); !strings.Contains(got, "typed") {
		t.Fatalf("recovered %q, want what was typed in it", got)
	}
	w.verify()
}
