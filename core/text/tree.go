package text

// tree is a whole B-tree: its root, nil when it is empty, and the sum of it.
// The functions below write only nodes that the holder of o owns; a nil o owns none.
type tree struct {
	root *node
	sum  sum
}

// slabBytes is how much text build copies at once. A leaf keeps its whole slab in memory, so a text
// of which little is left must not hold on to much.
const slabBytes = 64 << 10

// build makes a tree of a copy of b, which begins and ends at rune borders.
func build(b []byte) tree {
	if len(b) == 0 {
		return tree{}
	}
	level := make([]tree, 0, len(b)/bulkLeaf+2)
	for len(b) > 0 {
		cut := min(len(b), slabBytes)
		if len(b)-cut < minLeaf {
			cut = len(b)
		}
		cut = floor(b, cut)
		slab := make([]byte, cut)
		copy(slab, b)
		level = appendLeaves(level, slab)
		b = b[cut:]
	}
	return grow(level)
}

// grow makes a tree of leaves, which are of legal sizes.
func grow(level []tree) tree {
	if len(level) == 0 {
		return tree{}
	}
	for height := 1; len(level) > 1; height++ {
		level = group(level, height)
	}
	return level[0]
}

// appendLeaves cuts b into leaves of about one size. It keeps slices of b, so b must not be written
// afterwards. Their capacity reaches to the end of b, which tells Chunks that the next leaf lies
// right behind; nobody owns them, so nobody appends to them.
func appendLeaves(out []tree, b []byte) []tree {
	n := 1
	if len(b) > maxLeaf {
		n = (len(b) + bulkLeaf - 1) / bulkLeaf
	}
	nodes := make([]node, n)
	for i := range nodes {
		cut := len(b)
		if left := n - i; left > 1 {
			cut = floor(b, len(b)/left)
		}
		nodes[i].b = b[:cut]
		out = append(out, tree{&nodes[i], count(b[:cut])})
		b = b[cut:]
	}
	return out
}

// group puts trees of height-1 under as few nodes as is useful, each with about as many children.
func group(kids []tree, height int) []tree {
	n := 1
	if len(kids) > maxKids {
		n = (len(kids) + bulkKids - 1) / bulkKids
	}
	out := make([]tree, n)
	for i := range out {
		cut := len(kids) / (n - i)
		out[i] = parent(nil, height, kids[:cut])
		kids = kids[cut:]
	}
	return out
}

// parent makes a node of at most maxKids trees of height-1.
func parent(o *token, height int, kids []tree) tree {
	t := tree{root: newInner(o, height)}
	for _, k := range kids {
		t.root.push(k.root, k.sum)
		t.sum = t.sum.plus(k.sum)
	}
	return t
}

// kid gives child i of the root as a tree.
func (t tree) kid(i int) tree { return tree{t.root.kids[i], t.root.sums[i]} }

// some makes a tree of children i to j of the root.
func (t tree) some(o *token, i, j int) tree {
	switch j - i {
	case 0:
		return tree{}
	case 1:
		return t.kid(i)
	}
	out := tree{root: newInner(o, t.root.height)}
	for ; i < j; i++ {
		out.root.push(t.root.kids[i], t.root.sums[i])
		out.sum = out.sum.plus(t.root.sums[i])
	}
	return out
}

// split cuts t at byte b, a rune border. t must not be used afterwards if the holder of o owns
// nodes of it: they may be in the parts.
func split(o *token, t tree, b int) (left, right tree) {
	switch {
	case b == 0:
		return tree{}, t
	case b == t.sum.bytes:
		return t, tree{}
	case t.root.height == 0:
		return splitLeaf(t, b)
	}
	i, before := t.root.childAtByte(b)
	left, right = split(o, t.kid(i), b-before.bytes)
	n := len(t.root.kids)
	return join(o, t.some(o, 0, i), left), join(o, right, t.some(o, i+1, n))
}

// splitLeaf shares the bytes of the leaf. The parts have no owner, so nobody writes them, and a
// draft that owned the leaf has no way to it any more.
func splitLeaf(t tree, b int) (left, right tree) {
	l, r := t.root.b[:b:b], t.root.b[b:len(t.root.b):len(t.root.b)]
	var ls, rs sum
	if len(l) < len(r) {
		ls = count(l)
		rs = t.sum.minus(ls)
	} else {
		rs = count(r)
		ls = t.sum.minus(rs)
	}
	return tree{newLeaf(nil, l), ls}, tree{newLeaf(nil, r), rs}
}

// join puts b after a. Their border must be a rune border.
func join(o *token, a, b tree) tree {
	switch {
	case a.root == nil:
		return b
	case b.root == nil:
		return a
	case a.root.height > b.root.height:
		return joinRight(o, a, b)
	case a.root.height < b.root.height:
		return joinLeft(o, a, b)
	case a.root.height == 0:
		return joinLeaves(o, a, b)
	}
	return joinInner(o, a, b)
}

// joinRight joins the lower b to the last child of a.
func joinRight(o *token, a, b tree) tree {
	last := len(a.root.kids) - 1
	mid := join(o, a.kid(last), b)
	return replaceKid(o, a, last, mid, a.sum.plus(b.sum))
}

// joinLeft joins the lower a to the first child of b.
func joinLeft(o *token, a, b tree) tree {
	mid := join(o, a, b.kid(0))
	return replaceKid(o, b, 0, mid, a.sum.plus(b.sum))
}

// replaceKid puts mid in the place of child i of t. mid is a legal child, or one level too high
// and its children are legal.
func replaceKid(o *token, t tree, i int, mid tree, total sum) tree {
	n := t.root
	if mid.root.height < n.height {
		n = n.writable(o)
		n.kids[i], n.sums[i] = mid.root, mid.sum
		return tree{n, total}
	}
	kids := make([]tree, 0, 2*maxKids)
	for j := range n.kids {
		if j != i {
			kids = append(kids, t.kid(j))
			continue
		}
		for k := range mid.root.kids {
			kids = append(kids, mid.kid(k))
		}
	}
	return spread(o, n.height, kids)
}

// spread puts 2 to 2*maxKids trees under one node, or under two and a root.
func spread(o *token, height int, kids []tree) tree {
	if len(kids) <= maxKids {
		return parent(o, height, kids)
	}
	cut := len(kids) / 2
	l, r := parent(o, height, kids[:cut]), parent(o, height, kids[cut:])
	return parent(o, height+1, []tree{l, r})
}

// joinInner joins two inner nodes of one height; either may have few children.
func joinInner(o *token, a, b tree) tree {
	if len(a.root.kids) >= minKids && len(b.root.kids) >= minKids {
		return parent(o, a.root.height+1, []tree{a, b})
	}
	kids := make([]tree, 0, 2*maxKids)
	for i := range a.root.kids {
		kids = append(kids, a.kid(i))
	}
	for i := range b.root.kids {
		kids = append(kids, b.kid(i))
	}
	return spread(o, a.root.height, kids)
}

// joinLeaves joins two leaves; either may be small.
func joinLeaves(o *token, a, b tree) tree {
	l, r := a.root.b, b.root.b
	if len(l) >= minLeaf && len(r) >= minLeaf {
		return parent(o, 1, []tree{a, b})
	}
	total := a.sum.plus(b.sum)
	both := make([]byte, 0, len(l)+len(r)+leafRoom)
	both = append(append(both, l...), r...)
	if len(both) <= maxLeaf {
		return tree{newLeaf(o, both), total}
	}
	cut := floor(both, len(both)/2)
	l, r = both[:cut:cut], both[cut:]
	ls := count(l)
	return parent(o, 1, []tree{
		{newLeaf(o, l), ls},
		{newLeaf(o, r), total.minus(ls)},
	})
}

// replace puts s in the place of bytes b0 to b1 of t, both rune borders, and repairs the borders:
// an unfinished encoding before b0 and continuation bytes after b1 become part of what is inserted,
// so that whatever they form together is counted as one text. See split for the use of t.
func replace(o *token, t tree, b0, b1 int, s string) tree {
	var edge [8]byte
	view := Text{t}
	before := view.appendBytes(edge[:0], max(0, b0-3), b0)
	before = before[len(before)-unfinished(before):]
	after := view.appendBytes(edge[4:4], b1, min(t.sum.bytes, b1+3))
	after = after[:continuing(after)]

	mid := make([]byte, 0, len(before)+len(s)+len(after))
	mid = append(append(append(mid, before...), s...), after...)

	left, rest := split(o, t, b0-len(before))
	_, right := split(o, rest, b1+len(after)-(b0-len(before)))
	return join(o, join(o, left, build(mid)), right)
}
