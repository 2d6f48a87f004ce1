package edit

import (
	"strings"
	"testing"

	"apex/core"
)

// tenMB is a text of 10 MB whose words a pattern finds 100,000 times.
func tenMB() string {
	const line = "a line of text that holds a word and is a hundred bytes long, " +
		"as lines of prose and code often are.\n"
	return strings.Repeat(line, 100_000)
}

// BenchmarkKey is what a key costs until its bundle is there, and with the leader's apply.
func BenchmarkKey(b *testing.B) {
	w := newWorld(b)
	id, body := w.file("/f", "")
	w.commit(core.Bundle{Parts: []core.Part{{Shard: body.Shard(),
		Ops: []core.Op{core.Edit(0, 0, 0, tenMB(), 0), core.Select(id.Body(), 5_000_000,
			5_000_000)}}}})
	b.Run("bundle", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, err := Type(w, ann, id.Body(), "x"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("newline", func(b *testing.B) {
		for range b.N {
			if _, err := Type(w, ann, id.Body(), "\n"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("applied", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			bundle, err := Type(w, ann, id.Body(), "x")
			if err != nil {
				b.Fatal(err)
			}
			w.commit(bundle)
		}
	})
	b.Run("proposal", func(b *testing.B) {
		for range b.N {
			p := &core.Proposal{Author: ann, Ask: &core.AskEdit{Buffer: body,
				Base: w.Buffer(body).Version, Edits: []core.Span{{Q0: 100, Q1: 110,
					Text: "0123456789"}}}}
			if _, res := Evaluate(w, w, p); res.Outcome != core.Applied {
				b.Fatal(res.Err)
			}
		}
	})
}

// BenchmarkReplaceAll replaces 100,000 words in 10 MB.
func BenchmarkReplaceAll(b *testing.B) {
	w := newWorld(b)
	id, body := w.file("/f", "")
	w.commit(core.Bundle{Parts: []core.Part{{Shard: body.Shard(),
		Ops: []core.Op{core.Edit(0, 0, 0, tenMB(), 0)}}}})
	for _, s := range []Search{{Text: "word"}, {Text: "w[a-z]*d", Regexp: true}} {
		f, err := Compile(s)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(s.Text, func(b *testing.B) {
			for range b.N {
				n := w.Buffer(body).Text.Runes()
				if _, n, err := ReplaceAll(w, ann, id.Body(), f, "term", 0, n); err != nil ||
					n != 100_000 {
					b.Fatalf("%d replaced: %v", n, err)
				}
			}
		})
	}
}
