package cli

import (
	"bufio"
	"encoding/json"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"apex/cmd/apex/cli/entry"
	"apex/core/text"
)

// replayed is what a line of follow says of a buffer.
type replayed struct {
	Shard  string
	Seq    uint64
	Op     string
	Gap    *entry.Range
	Fields struct {
		entry.Text
		Q0, Q1 int
		Edits  []struct {
			entry.Text
			Q0, Q1 int
		}
	}
}

// cmdReplay makes a buffer's text from what follow printed, checking that its numbers have no gap
// and no duplicate: replay FILE SHARD > OUT is written to stdout's place by comparing with a file:
// replay FOLLOWED SHARD WANT.
func cmdReplay(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replay FOLLOWED SHARD WANT")
	}
	t := text.New(nil)
	next := uint64(1)
	lines := bufio.NewScanner(strings.NewReader(ts.ReadFile(args[0])))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var r replayed
		ts.Check(json.Unmarshal(lines.Bytes(), &r))
		if r.Shard != args[1] {
			continue
		}
		if r.Gap != nil || r.Seq != next {
			ts.Fatalf("entry %d, gap %v; want %d", r.Seq, r.Gap, next)
		}
		next++
		switch r.Op {
		case "buffer_new", "load":
			t = t.Replace(t.Runes(), t.Runes(), string(bytesOf(r.Fields.Text)))
		case "edit":
			t = t.Replace(r.Fields.Q0, r.Fields.Q1, string(bytesOf(r.Fields.Text)))
		case "undo":
			for _, e := range r.Fields.Edits {
				t = t.Replace(e.Q0, e.Q1, string(bytesOf(e.Text)))
			}
		}
	}
	ts.Check(lines.Err())
	if got, want := t.String(), ts.ReadFile(args[2]); got != want {
		ts.Fatalf("replayed %q, want %q", got, want)
	}
}

func bytesOf(t entry.Text) []byte {
	if t.Text != nil {
		return []byte(*t.Text)
	}
	return t.Base64
}
