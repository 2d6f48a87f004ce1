package text

// Builder makes a text of pieces that arrive one after the other, without copying them: the text
// keeps the pieces, all but what lies around their borders. The zero Builder is ready for use. It
// belongs to one goroutine.
type Builder struct {
	leaves []tree
	edge   []byte // a copy of what follows the leaves; begins at a rune border
	bytes  int
}

// edgeBytes is how much of a piece's end is kept back and copied, so that the leaf across the
// border is of a legal size whatever follows.
const edgeBytes = minLeaf

// Add appends a piece, which must not be written from then on. One byte of it that stays in the
// text keeps all of it in memory, so a large text had better come in many pieces.
func (b *Builder) Add(piece []byte) {
	b.bytes += len(piece)
	if piece = b.bridge(piece); len(piece) == 0 {
		return
	}
	cut := floor(piece, max(0, len(piece)-edgeBytes))
	if cut < minLeaf {
		cut = 0
	}
	if cut > 0 {
		b.leaves = appendLeaves(b.leaves, piece[:cut:cut])
	}
	b.edge = append(make([]byte, 0, bulkLeaf+len(piece)-cut), piece[cut:]...)
}

// bridge makes the leaf that lies across the border of what came before and a piece, and returns
// what is left of the piece. That begins at a rune border.
func (b *Builder) bridge(piece []byte) []byte {
	if len(b.edge) == 0 {
		return piece
	}
	k := min(len(piece), max(0, bulkLeaf-len(b.edge)))
	// An encoding that began before may go on in the piece.
	k += continuing(piece[k:])
	b.edge = append(b.edge, piece[:k]...)
	if piece = piece[k:]; len(piece) > 0 {
		b.leaves = appendLeaves(b.leaves, b.edge)
		b.edge = nil
	}
	return piece
}

// Bytes is the length of what was added, in bytes.
func (b *Builder) Bytes() int { return b.bytes }

// Text gives the text of the pieces. The Builder must not be used afterwards.
func (b *Builder) Text() Text {
	whole := grow(b.leaves)
	if len(b.edge) > 0 {
		whole = join(nil, whole, grow(appendLeaves(nil, b.edge)))
	}
	*b = Builder{}
	return Text{whole}
}
