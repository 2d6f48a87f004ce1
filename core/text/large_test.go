package text

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLargeTrees cuts and joins texts of very different heights, which small texts can't have.
func TestLargeTrees(t *testing.T) {
	t.Parallel()
	unit := "the quick brown 狐狸 jumps\n"
	big := strings.Repeat(unit, bulkKids*maxKids*bulkLeaf/len(unit))
	start := FromString(big)
	rapid.Check(t, func(t *rapid.T) {
		flat, x := []byte(big), start
		t.Repeat(map[string]func(*rapid.T){
			"slice": func(t *rapid.T) {
				q0, q1 := genRange(t, x.Runes())
				b0, b1 := x.ByteOffset(q0), x.ByteOffset(q1)
				if b1-b0 < 2*maxLeaf {
					return // keep the tree high
				}
				x, flat = x.Slice(q0, q1), flat[b0:b1]
			},
			"join": func(t *rapid.T) {
				q0, q1 := genRange(t, x.Runes())
				part := x.Slice(q0, q1)
				if x.Bytes() > 2*len(big) {
					return
				}
				if rapid.Bool().Draw(t, "before") {
					x, flat = part.Concat(x), slices.Concat(part.AppendTo(nil), flat)
				} else {
					x, flat = x.Concat(part), slices.Concat(flat, part.AppendTo(nil))
				}
			},
			"cut out": func(t *rapid.T) {
				q0, q1 := genRange(t, x.Runes())
				b0, b1 := x.ByteOffset(q0), x.ByteOffset(q1)
				if len(flat)-(b1-b0) < 2*maxLeaf {
					return
				}
				x, flat = x.Replace(q0, q1, ""), slices.Concat(flat[:b0], flat[b1:])
			},
			"scatter": func(t *rapid.T) {
				d := x.Edit()
				for range 8 {
					q0, _ := genRange(t, d.Runes())
					b0 := Text{d.tree}.ByteOffset(q0)
					s := strings.Repeat("scatter ", rapid.IntRange(0, 300).Draw(t, "times"))
					d.Replace(q0, q0, s)
					flat = slices.Concat(flat[:b0], []byte(s), flat[b0:])
				}
				x = d.Text()
			},
		})
		if err := x.Verify(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x.AppendTo(nil), flat) {
			t.Fatal("text differs")
		}
	})
}
