package journal

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"sync"
)

// The header's layout is frozen: a later format changes what payloads mean and raises the version,
// so that any build can tell a newer file from a damaged one.
//
//	offset size
//	     0    2  magic "aj"
//	     2    1  format version
//	     3    1  kind
//	     4    4  payload length in bytes
//	     8    8  generation
//	    16    8  sequence
//	    24    8  stored, nanoseconds since 1970, 0 in a snapshot
//	    32    4  behind: how many records earlier in the same commit
//	    36    4  CRC32C of the payload
//	    40    4  CRC32C of the frame's offset in the file and of the 40 bytes above
//
// Numbers are little-endian. The payload follows. The second sum covers the first, so together they
// cover all of the frame; two of them, because a header that is right although its payload is not
// says where the next frame begins.
//
// The offset is in the sum so that a copy of a frame is not taken for one when a reader searches
// for the next frame after damage: a payload may well hold a piece of this very file, because
// somebody opened it in an editor.
const (
	headerSize    = 44
	formatVersion = 1
	magic0        = 'a'
	magic1        = 'j'

	// maxPayload bounds one frame. The wire's frames end at 16 MiB and a batch is one of them; the
	// rest is room for what the daemon adds.
	maxPayload = 64 << 20
)

// kind says what a frame's payload is. Zero is invalid, as zeros are what an unwritten file holds.
type kind uint8

const (
	kindBegin  kind = 1 // opens a file; payload: base, snapshot bytes (see beginFrame)
	kindPart   kind = 2 // opens one part of the snapshot; payload: data bytes, key
	kindChunk  kind = 3 // a piece of the part's data
	kindEnd    kind = 4 // closes the snapshot; payload: number of parts, base
	kindRecord kind = 5 // one record; sequence is its number
)

// header is a frame's header.
type header struct {
	version    uint8
	kind       kind
	length     uint32 // bytes of payload
	generation uint64
	sequence   uint64 // of a record its number, in a snapshot the frame's place in it, from 1
	stored     int64  // nanoseconds since 1970
	behind     uint32 // records of the same commit that stand before this one
	payloadSum uint32
}

// castagnoli takes longer to make than most commands take in all, and they need none.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

func sum(data []byte) uint32 { return crc32.Checksum(data, castagnoli()) }

// updateSum is the sum of what was summed before followed by data.
func updateSum(before uint32, data []byte) uint32 {
	return crc32.Update(before, castagnoli(), data)
}

// headerSum covers a header's first 40 bytes and, as what the sum starts from, the offset at which
// it stands.
func headerSum(b []byte, off int64) uint32 {
	place := uint32(off) ^ bits.Reverse32(uint32(off>>32))
	return updateSum(place, b[:headerSize-4])
}

// appendHeader appends the header of a frame that will stand at offset off.
func appendHeader(b []byte, h header, off int64) []byte {
	start := len(b)
	b = append(b, magic0, magic1, h.version, byte(h.kind))
	b = binary.LittleEndian.AppendUint32(b, h.length)
	b = binary.LittleEndian.AppendUint64(b, h.generation)
	b = binary.LittleEndian.AppendUint64(b, h.sequence)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.stored))
	b = binary.LittleEndian.AppendUint32(b, h.behind)
	b = binary.LittleEndian.AppendUint32(b, h.payloadSum)
	return binary.LittleEndian.AppendUint32(b, headerSum(b[start:], off))
}

// parseHeader reads the header at the start of b, which stands at offset off of its file. It
// reports false if the bytes are not a header that was written there.
func parseHeader(b []byte, off int64) (header, bool) {
	if len(b) < headerSize || b[0] != magic0 || b[1] != magic1 {
		return header{}, false
	}
	if binary.LittleEndian.Uint32(b[headerSize-4:]) != headerSum(b, off) {
		return header{}, false
	}
	h := header{
		version:    b[2],
		kind:       kind(b[3]),
		length:     binary.LittleEndian.Uint32(b[4:]),
		generation: binary.LittleEndian.Uint64(b[8:]),
		sequence:   binary.LittleEndian.Uint64(b[16:]),
		stored:     int64(binary.LittleEndian.Uint64(b[24:])),
		behind:     binary.LittleEndian.Uint32(b[32:]),
		payloadSum: binary.LittleEndian.Uint32(b[36:]),
	}
	return h, h.length <= maxPayload
}

// size is the frame's length in its file.
func (h header) size() int64 { return headerSize + int64(h.length) }

// begin is the payload of a file's first frame.
type begin struct {
	base     uint64 // the last record that the snapshot covers
	snapshot int64  // bytes from the start of the file to the end of the snapshot
}

const beginSize = 16

func (p begin) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, p.base)
	return binary.LittleEndian.AppendUint64(b, uint64(p.snapshot))
}

func parseBegin(b []byte) (begin, bool) {
	if len(b) != beginSize {
		return begin{}, false
	}
	p := begin{
		base:     binary.LittleEndian.Uint64(b),
		snapshot: int64(binary.LittleEndian.Uint64(b[8:])),
	}
	return p, p.snapshot >= 0
}

// part is the payload of a kindPart frame.
type part struct {
	size int64 // bytes of data in the chunks that follow
	key  string
}

func (p part) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(p.size))
	return append(b, p.key...)
}

func parsePart(b []byte) (part, bool) {
	if len(b) < 8 {
		return part{}, false
	}
	p := part{size: int64(binary.LittleEndian.Uint64(b)), key: string(b[8:])}
	return p, p.size >= 0
}

// end is the payload of a kindEnd frame. It repeats the base, for when the first frame is damaged.
type end struct {
	parts int
	base  uint64
}

func (p end) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(p.parts))
	return binary.LittleEndian.AppendUint64(b, p.base)
}

func parseEnd(b []byte) (end, bool) {
	if len(b) != 16 {
		return end{}, false
	}
	return end{
		parts: int(binary.LittleEndian.Uint64(b)),
		base:  binary.LittleEndian.Uint64(b[8:]),
	}, true
}
