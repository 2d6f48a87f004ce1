package text

const (
	maxLeaf  = 2048 // bytes in a leaf; bounds the memmove of an edit in place to about 50 ns
	minLeaf  = 512  // bytes in a leaf that isn't the root; far below half, edits rarely rebalance
	bulkLeaf = 1536 // bytes in a leaf made by build; leaves room for the first edits

	maxKids  = 16 // measured: wider nodes cost more to copy than they save in depth
	minKids  = 6  // at most maxKids/2-2, so that an even split of an overflow is legal
	bulkKids = 12 // children of a node made by build

	maxDepth = 20 // inner levels of any tree: minKids^maxDepth leaves exceed every address space

	leafRoom = 128 // spare bytes of a leaf that starts to grow: few copies, little waste
)

// token is the identity of one draft between two snapshots. It has a size so that two are never
// at one address.
type token struct{ _ byte }

// sum counts a stretch of text.
type sum struct{ bytes, runes, lines int }

func (s sum) plus(o sum) sum {
	return sum{s.bytes + o.bytes, s.runes + o.runes, s.lines + o.lines}
}

func (s sum) minus(o sum) sum {
	return sum{s.bytes - o.bytes, s.runes - o.runes, s.lines - o.lines}
}

// node is a leaf (height 0, b) or an inner node (kids and their sums, index by index).
// It may be written only by the draft that holds owner; all others must copy it.
type node struct {
	owner  *token
	height int
	b      []byte
	kids   []*node
	sums   []sum
}

// innerNode gives an inner node its children in the same allocation.
type innerNode struct {
	node
	kidSpace [maxKids]*node
	sumSpace [maxKids]sum
}

func newInner(o *token, height int) *node {
	x := &innerNode{}
	x.owner, x.height = o, height
	x.kids, x.sums = x.kidSpace[:0], x.sumSpace[:0]
	return &x.node
}

func newLeaf(o *token, b []byte) *node { return &node{owner: o, b: b} }

// ownedBy tells whether the holder of o may write n. Nobody holds a nil token.
func (n *node) ownedBy(o *token) bool { return o != nil && n.owner == o }

// writable gives n if the holder of o may write it, else a copy that it may write.
// The bytes of a leaf are copied with room to grow.
func (n *node) writable(o *token) *node {
	if n.ownedBy(o) {
		return n
	}
	if n.height == 0 {
		b := make([]byte, len(n.b), min(len(n.b)+leafRoom, max(maxLeaf, len(n.b))))
		copy(b, n.b)
		return newLeaf(o, b)
	}
	c := newInner(o, n.height)
	c.kids = append(c.kids, n.kids...)
	c.sums = append(c.sums, n.sums...)
	return c
}

func (n *node) push(kid *node, s sum) {
	n.kids = append(n.kids, kid)
	n.sums = append(n.sums, s)
}

// childAtByte gives the child that holds byte b of the node and what lies before that child.
// A border belongs to the child on its right, the end of the node to the last child.
func (n *node) childAtByte(b int) (i int, before sum) {
	for last := len(n.sums) - 1; i < last && b >= before.bytes+n.sums[i].bytes; i++ {
		before = before.plus(n.sums[i])
	}
	return i, before
}

// childAtRune is childAtByte for rune q.
func (n *node) childAtRune(q int) (i int, before sum) {
	for last := len(n.sums) - 1; i < last && q >= before.runes+n.sums[i].runes; i++ {
		before = before.plus(n.sums[i])
	}
	return i, before
}

// childAtLine gives the child that holds the k-th newline of the node, k counted from 1.
func (n *node) childAtLine(k int) (i int, before sum) {
	for last := len(n.sums) - 1; i < last && k > before.lines+n.sums[i].lines; i++ {
		before = before.plus(n.sums[i])
	}
	return i, before
}
