package text

import (
	"bytes"
	"slices"
	"testing"
	"unicode/utf8"
)

// FuzzDraft reads a script of edits: where, how many runes go, how often the piece is repeated, and
// the piece itself, three bytes and one length each.
func FuzzDraft(f *testing.F) {
	f.Add([]byte("\xe4\xbd"), []byte("\x02\x00\x01\x01\xa0"))
	f.Add([]byte("a\nb"), []byte("\x01\x00\xff\x03\xe4\xbd\xa0\x80\xff\x00\x00\x02\x01\x01\xf0"))
	f.Fuzz(func(t *testing.T, flat, script []byte) {
		if len(flat) > 4*maxLeaf || len(script) > 256 {
			return
		}
		d := New(flat).Edit()
		for step := 0; len(script) >= 4; step++ {
			n := min(int(script[3]%8), len(script)-4)
			piece := bytes.Repeat(script[4:4+n], int(script[2]))
			q0 := int(script[0]) * d.Runes() / 255
			q1 := min(d.Runes(), q0+int(script[1]))
			script = script[4+n:]

			old := Text{d.tree}
			b0, b1 := old.ByteOffset(q0), old.ByteOffset(q1)
			flat = slices.Concat(flat[:b0], piece, flat[b1:])
			before := d.Runes()
			if step%3 == 0 {
				d.Text()
			}
			grown := d.Replace(q0, q1, string(piece))
			if want := utf8.RuneCount(flat) - before; grown != want {
				t.Fatalf("grew by %d, want %d", grown, want)
			}
		}
		x := d.Text()
		if err := x.Verify(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x.AppendTo(nil), flat) {
			t.Fatalf("got %q, want %q", x, flat)
		}
	})
}

// FuzzPattern checks that no pattern makes a search leave the text, and that the short cuts of
// word.go find what the machines find.
func FuzzPattern(f *testing.F) {
	for _, s := range []string{"a+b", "^ab$", `\bx.*y`, "(a|b)*c", `\x{fffd}a`, "(?i)k[^a]"} {
		f.Add(s, "xab a\nkb\xffa\nab", uint(2))
	}
	f.Fuzz(func(t *testing.T, expr, flat string, q uint) {
		if len(expr) > 64 || len(flat) > 4*maxLeaf {
			return
		}
		p, err := CompilePattern(expr, SamSyntax, true)
		if err != nil {
			return
		}
		slow := *p
		slow.literal, slow.word, slow.prefix = "", "", ""
		x := FromString(flat)
		q0 := int(q % uint(x.Runes()+1))
		want := x.Find(&slow, q0, x.Runes())
		if got := x.Find(p, q0, x.Runes()); !slices.Equal(got, want) {
			t.Fatalf("Find(%q, %d) in %q: got %v, want %v", expr, q0, flat, got, want)
		}
		if want != nil && (want[0] < q0 || want[1] < want[0] || want[1] > x.Runes()) {
			t.Fatalf("Find(%q, %d) in %q: got %v", expr, q0, flat, want)
		}
		want = x.FindLast(&slow, q0)
		if got := x.FindLast(p, q0); !slices.Equal(got, want) {
			t.Fatalf("FindLast(%q, %d) in %q: got %v, want %v", expr, q0, flat, got, want)
		}
		if want != nil && (want[0] < 0 || want[1] < want[0] || want[1] > q0) {
			t.Fatalf("FindLast(%q, %d) in %q: got %v", expr, q0, flat, want)
		}
	})
}
