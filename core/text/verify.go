package text

import (
	"fmt"
	"unicode/utf8"
)

// Verify checks the numbered invariants of the package and names the first that is broken. It reads
// the whole text and is for tests.
func (t Text) Verify() error {
	if t.root == nil {
		if t.sum != (sum{}) {
			return fmt.Errorf("invariant 3: empty text has sum %v", t.sum)
		}
		return nil
	}
	if err := verify(t.root, t.sum, true); err != nil {
		return err
	}
	flat := t.AppendTo(nil)
	if got, want := t.sum.runes, utf8.RuneCount(flat); got != want {
		return fmt.Errorf("invariant 4: got %d runes, want %d", got, want)
	}
	at := 0
	whole := walk(t.root, 0, t.sum.bytes, func(b []byte) bool {
		at += len(b)
		return floor(flat, at) == at
	})
	if !whole {
		return fmt.Errorf("invariant 4: a rune crosses the leaf border at byte %d", at)
	}
	return nil
}

func verify(n *node, want sum, root bool) error {
	if n.height == 0 {
		return verifyLeaf(n, want, root)
	}
	if len(n.kids) != len(n.sums) || len(n.kids) > maxKids {
		return fmt.Errorf("invariant 3: %d children, %d sums", len(n.kids), len(n.sums))
	}
	if len(n.kids) < 2 || !root && len(n.kids) < minKids {
		return fmt.Errorf("invariant 2: node of height %d has %d children", n.height, len(n.kids))
	}
	var got sum
	for i, k := range n.kids {
		if k.height != n.height-1 {
			return fmt.Errorf("invariant 1: height %d under height %d", k.height, n.height)
		}
		if err := verify(k, n.sums[i], false); err != nil {
			return err
		}
		got = got.plus(n.sums[i])
	}
	if got != want {
		return fmt.Errorf("invariant 3: height %d: got %v, want %v", n.height, got, want)
	}
	return nil
}

func verifyLeaf(n *node, want sum, root bool) error {
	if len(n.b) == 0 {
		return fmt.Errorf("invariant 1: empty leaf")
	}
	if len(n.b) > maxLeaf || !root && len(n.b) < minLeaf {
		return fmt.Errorf("invariant 2: leaf of %d bytes", len(n.b))
	}
	if got := count(n.b); got != want {
		return fmt.Errorf("invariant 3: leaf: got %v, want %v", got, want)
	}
	return nil
}
