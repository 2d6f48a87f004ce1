package core

import (
	"math"
	"unsafe"

	"apex/core/codec"
)

// OpKind numbers the ops. Numbers are on disk and on the wire: appended, never reused.
type OpKind uint16

// The ops, by the kind of shard that takes them.
const (
	OpInvalid OpKind = 0

	OpSessionNew    OpKind = 1
	OpSessionRename OpKind = 2
	OpSessionEnd    OpKind = 3

	OpIdentity     OpKind = 10
	OpLabel        OpKind = 11
	OpShardNew     OpKind = 12
	OpShardDel     OpKind = 13
	OpAttach       OpKind = 14
	OpDetach       OpKind = 15
	OpResume       OpKind = 16
	OpLeaseRequest OpKind = 17
	OpLeaseRelease OpKind = 18
	OpLeaseGrant   OpKind = 19
	OpLeaseReclaim OpKind = 20
	OpPlace        OpKind = 21
	OpProcStart    OpKind = 22
	OpProcExit     OpKind = 23
	OpProcDel      OpKind = 24
	OpImported     OpKind = 25
	OpLeaseTTL     OpKind = 28

	OpArrange      OpKind = 40
	OpSnarf        OpKind = 41
	OpFocus        OpKind = 42
	OpLayoutExec   OpKind = 43
	OpLayoutStatus OpKind = 44

	OpWindowNew OpKind = 60
	OpSettings  OpKind = 61
	OpFlag      OpKind = 62
	OpExec      OpKind = 63
	OpStatus    OpKind = 64
	OpWindowDel OpKind = 65

	OpBufferNew OpKind = 80
	OpLoad      OpKind = 81
	OpLoaded    OpKind = 82
	OpEdit      OpKind = 83
	OpUndo      OpKind = 84
	OpClean     OpKind = 85
	OpStale     OpKind = 86
	OpRename    OpKind = 87
	OpViewAdd   OpKind = 88
	OpViewDel   OpKind = 89
	OpSelect    OpKind = 90
	OpOrigin    OpKind = 91
	OpMarkSet   OpKind = 92
	OpMarkDel   OpKind = 93

	OpDiskChanged OpKind = 94
	OpMerged      OpKind = 95

	OpTermNew      OpKind = 100
	OpTermRows     OpKind = 101
	OpTermCursor   OpKind = 102
	OpTermModes    OpKind = 103
	OpTermResize   OpKind = 104
	OpTermTitle    OpKind = 105
	OpTermCwd      OpKind = 106
	OpTermMarks    OpKind = 107
	OpTermProgress OpKind = 108
	OpTermBell     OpKind = 109
	OpTermHistory  OpKind = 110
	OpTermExit     OpKind = 111
	OpTermClip     OpKind = 112
)

// Op is one change of one shard. The ops that a keystroke makes have their fields inline, so that
// a batch of thousands is one slice; every other op is a Body.
type Op struct {
	Kind    OpKind
	Version Version // Edit: the version that it is made against
	Q0, Q1  int     // Edit: runes [Q0, Q1) go. Select: the dot. Origin: Q0 is the first rune shown
	Group   Group   // Edit: the undo group that it joins; 0 begins one
	View    View    // Select, Origin
	Text    string  // Edit: what comes at Q0; any bytes
	Body    Body    // every other op
}

// Body is an op that is not on the keystroke path.
type Body interface {
	kind() OpKind
	shardKind() ShardKind
	fields(*codec.Fields) // in order, for both directions
}

// Edit replaces runes [q0, q1) by s, made against version v, in undo group g.
func Edit(v Version, q0, q1 int, s string, g Group) Op {
	return Op{Kind: OpEdit, Version: v, Q0: q0, Q1: q1, Text: s, Group: g}
}

// Select sets a view's dot to runes [q0, q1).
func Select(v View, q0, q1 int) Op { return Op{Kind: OpSelect, View: v, Q0: q0, Q1: q1} }

// Origin sets the first rune that a view shows.
func Origin(v View, q int) Op { return Op{Kind: OpOrigin, View: v, Q0: q} }

// Of makes an op of a body.
func Of(b Body) Op { return Op{Kind: b.kind(), Body: b} }

// fits says which kind of shard takes the op.
func (o *Op) fits() ShardKind {
	if o.Body != nil {
		return o.Body.shardKind()
	}
	return KindBuffer
}

// append appends the op: an array of its kind and its fields.
func (o *Op) append(b []byte) []byte {
	switch o.Kind {
	case OpEdit:
		b = append(b, 0x86, 0x18, byte(OpEdit))
		b = codec.AppendUint(b, uint64(o.Version))
		b = codec.AppendUint(b, uint64(o.Q0))
		b = codec.AppendUint(b, uint64(o.Q1-o.Q0))
		b = codec.AppendBytes(b, o.Text)
		return codec.AppendUint(b, uint64(o.Group))
	case OpSelect:
		b = append(b, 0x85, 0x18, byte(OpSelect))
		b = codec.AppendUint(b, uint64(o.View.Kind))
		b = codec.AppendUint(b, uint64(o.View.ID))
		b = codec.AppendUint(b, uint64(o.Q0))
		return codec.AppendUint(b, uint64(o.Q1-o.Q0))
	case OpOrigin:
		b = append(b, 0x84, 0x18, byte(OpOrigin))
		b = codec.AppendUint(b, uint64(o.View.Kind))
		b = codec.AppendUint(b, uint64(o.View.ID))
		return codec.AppendUint(b, uint64(o.Q0))
	}
	return codec.AppendFields(b, func(f *codec.Fields) {
		k := o.Kind
		codec.Num(f, &k)
		o.Body.fields(f)
	})
}

// read reads one op. The text of an Edit aliases the cursor's bytes, which are never changed once
// a frame has been received.
func (o *Op) read(c *codec.Cursor) {
	start := *c
	n := c.ArrayMin(1)
	o.Kind = OpKind(c.UintMax(math.MaxUint16))
	switch o.Kind {
	case OpEdit:
		o.need(c, n, 6)
		o.Version = Version(c.Uint())
		o.Q0 = c.Int()
		o.Q1 = addLen(c, o.Q0, c.Int())
		o.Text = alias(c.Bytes())
		o.Group = Group(c.Uint())
		c.SkipN(n - 6)
	case OpSelect:
		o.need(c, n, 5)
		o.View = View{ViewKind(c.UintMax(math.MaxUint8)), ID(c.Uint())}
		o.Q0 = c.Int()
		o.Q1 = addLen(c, o.Q0, c.Int())
		c.SkipN(n - 5)
	case OpOrigin:
		o.need(c, n, 4)
		o.View = View{ViewKind(c.UintMax(math.MaxUint8)), ID(c.Uint())}
		o.Q0 = c.Int()
		o.Q1 = o.Q0
		c.SkipN(n - 4)
	default:
		if o.Body = newBody(o.Kind); o.Body == nil {
			c.Fail("unknown op %d", o.Kind)
			return
		}
		*c = start
		codec.ReadFields(c, func(f *codec.Fields) {
			var k OpKind
			codec.Num(f, &k)
			o.Body.fields(f)
		})
	}
}

// readTyped reads an Edit whose fields are all in front of it, as every Edit of this version's are.
// It says no, and reads nothing, where it takes a closer look: read gives that, and says what is
// wrong.
func (o *Op) readTyped(c *codec.Cursor) bool {
	b := c.Unread()
	if len(b) < 3 || b[0] != 0x86 || b[1] != 0x18 || b[2] != byte(OpEdit) {
		return false
	}
	version, at := codec.UintAt(b, 3)
	q0, at := codec.UintAt(b, at)
	gone, at := codec.UintAt(b, at)
	if at == 0 || at == len(b) || b[at]&0xe0 != 0x40 || q0 > math.MaxInt32 || gone > math.MaxInt32 {
		return false
	}
	size := int(b[at] & 0x1f)
	from := at + 1
	if size > 23 || from+size > len(b) {
		return false
	}
	group, at := codec.UintAt(b, from+size)
	if at == 0 {
		return false
	}
	o.Kind, o.Version, o.Group = OpEdit, Version(version), Group(group)
	o.Q0, o.Q1 = int(q0), int(q0+gone)
	o.Text = alias(b[from : from+size])
	c.Advance(at)
	return true
}

func (o *Op) need(c *codec.Cursor, got, want int) {
	if got < want {
		c.Fail("op %d has %d fields, want %d", o.Kind, got, want)
	}
}

func addLen(c *codec.Cursor, q, n int) int {
	if n > math.MaxInt-q {
		c.Fail("range of %d runes at %d", n, q)
		return q
	}
	return q + n
}

func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
