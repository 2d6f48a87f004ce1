package proto

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"apex/core"
	"apex/core/codec"
)

// array makes an item: an array of items that are encoded already.
func array(items ...[]byte) []byte {
	return append(codec.AppendArray(nil, len(items)), bytes.Join(items, nil)...)
}

func num1(v uint64) []byte     { return codec.AppendUint(nil, v) }
func str(s string) []byte      { return codec.AppendBytes(nil, s) }
func list(n int) []byte        { return codec.AppendArray(nil, n) }
func join1(b ...[]byte) []byte { return bytes.Join(b, nil) }

// batchItem makes a batch's bytes with one field changed.
func batchItem(change func(*core.Batch)) []byte {
	b := core.Batch{Shard: buf.Shard(), Attachment: 1, Epoch: 2, First: 1, Author: author(),
		Ops: []core.Op{core.Edit(0, 0, 0, "x", 0)}}
	change(&b)
	return b.Append(nil)
}

// bad are items that must be refused, whatever they come as.
func bad() []struct {
	name string
	from Side
	item []byte
	code core.Code
} {
	const b, large = core.CodeBadRequest, core.CodeTooLarge
	deliver := func(batch []byte) []byte {
		return array(num1(10), array(codec.AppendBytes(nil, batch)))
	}
	window := core.Of(&core.WindowDel{})
	return []struct {
		name string
		from Side
		item []byte
		code core.Code
	}{
		{"nothing", FromClient, nil, b},
		{"random bytes", FromClient, []byte("\x91\x03\xffhello, world"), b},
		{"no array", FromClient, num1(1), b},
		{"map for an array", FromClient, []byte{0xa1, 1, 2}, b},
		{"empty array", FromClient, list(0), b},
		{"number is text", FromClient, array([]byte{0x61, 'x'}), b},
		{"number is negative", FromClient, array([]byte{0x20}), b},
		{"number in a long form", FromClient, []byte{0x81, 0x18, 0x08}, b},
		{"number of 64 bits", FromClient, array(num1(1 << 63)), b},
		{"number 0", FromClient, array(num1(0)), b},
		{"unknown number", FromClient, array(num1(31)), b},
		{"unknown number in the table's reach", FromDaemon, array(num1(127)), b},
		{"the daemon's message from a client", FromClient, array(num1(uint64(nDraining))), b},
		{"the client's message from the daemon", FromDaemon, array(num1(uint64(nBye))), b},
		{"request from the daemon", FromDaemon, array(num1(uint64(nPing)), num1(1), []byte{0xa0}), b},
		{"first frame in the middle", FromDaemon, []byte("\x85\x64apex\x01\x01\x60\x01"), b},
		{"rest behind the item", FromClient, append(array(num1(8)), 0), b},
		{"too few fields", FromClient, array(num1(2)), b},
		{"indefinite array", FromClient, []byte{0x9f, 0x08, 0xff}, b},
		{"tag", FromClient, []byte{0xc0, 0x81, 0x08}, b},
		{"array longer than the frame", FromClient, []byte{0x82, 0x02, 0x9a, 0xff, 0xff, 0xff, 0xff}, b},
		{"deep nesting", FromClient,
			join1([]byte{0x82, 0x08}, bytes.Repeat([]byte{0x81}, 1<<16)), b},
		{"deep nesting in a request", FromClient,
			join1([]byte{0x83, 0x18, 0x27, 0x01, 0xa1, 0x01}, bytes.Repeat([]byte{0x81}, 1<<16)), b},
		{"deep nesting where it is skipped", FromClient,
			join1([]byte{0x84, 0x18, 0x31, 0x01, 0xa0}, bytes.Repeat([]byte{0x81}, 1<<16)), b},
		{"invalid UTF-8 in a text string", FromClient, []byte("\x83\x18\x27\x01\xa1\x02\x61\xff"), b},
		{"a key twice", FromClient, []byte("\x83\x18\x27\x01\xa2\x02\x41a\x02\x41b"), b},
		{"body is null", FromClient, []byte("\x83\x18\x31\x01\xf6"), b},
		{"body is an array", FromClient, []byte("\x83\x18\x31\x01\x80"), b},
		{"body is missing", FromClient, []byte("\x82\x18\x31\x01"), b},
		{"number for a string", FromClient, []byte("\x83\x18\x27\x01\xa1\x02\x05"), b},
		{"number in a long form in a body", FromClient, []byte("\x83\x18\x28\x01\xa1\x04\x18\x05"), b},
		{"number too large for a field", FromClient,
			[]byte("\x83\x18\x28\x01\xa1\x04\x1b\xff\xff\xff\xff\xff\xff\xff\xff"), b},
		{"negative offset", FromClient, []byte("\x83\x18\x28\x01\xa1\x04\x20"), b},
		{"range upside down", FromClient, []byte("\x83\x18\x28\x01\xa2\x04\x05\x05\x04"), b},
		{"open of nothing", FromClient, []byte("\x83\x18\x25\x01\xa0"), b},
		{"log of no shard", FromClient, []byte("\x83\x18\x30\x01\xa0"), b},
		{"peek at too many lines", FromClient, []byte("\x83\x18\x2c\x01\xa1\x03\x1a\x00\xff\xff\xff"), b},
		{"shard kind 9", FromClient, array(num1(4), array(array(num1(9), num1(1)))), b},
		{"shard kind 261", FromClient, array(num1(4), array(array(num1(261), num1(1)))), b},
		{"buffer without an id", FromClient, array(num1(4), array(array(num1(5), num1(0)))), b},
		{"layout with an id", FromClient, array(num1(4), array(array(num1(3), num1(7)))), b},
		{"unknown ask", FromClient, array(num1(6), num1(1), array(codec.AppendBytes(nil, fill(16, 0)),
			num1(0), str("x"), num1(0), array(num1(99)))), b},
		{"intent of 15 bytes", FromClient,
			array(num1(6), num1(1), array(codec.AppendBytes(nil, fill(15, 0)),
				num1(0), str("x"), num1(0), array(num1(9), num1(1)))), b},
		{"result that says nothing", FromDaemon, itemAnyway(&core.ProposeResult{}), b},
		{"error without a code", FromDaemon,
			array(num1(96), num1(1), array(str(""), str("x"), []byte{0xa0})), b},

		{"append of nothing", FromClient, array(num1(1), list(0), list(0), list(0)), b},
		{"deliver of nothing", FromDaemon, array(num1(10), list(0)), b},
		{"here with a number", FromClient,
			array(num1(9), num1(5), num1(1), num1(1), num1(0), num1(0)), b},
		{"here with number 0", FromClient,
			array(num1(9), num1(0), num1(1), num1(1), num1(0), num1(0)), b},
		{"presence with a number", FromDaemon, array(num1(22), num1(5), list(0)), b},
		{"batch without a number", FromDaemon,
			deliver(batchItem(func(b *core.Batch) { b.First = 0 })), b},
		{"batch without ops", FromDaemon, deliver(batchItem(func(b *core.Batch) { b.Ops = nil })), b},
		{"op on the wrong shard", FromDaemon,
			deliver(batchItem(func(b *core.Batch) { b.Ops[0] = window })), b},
		{"epoch over 2^53", FromDaemon,
			deliver(batchItem(func(b *core.Batch) { b.Epoch = core.MaxEpoch + 1 })), b},
		{"attachment over 2^23", FromDaemon,
			deliver(batchItem(func(b *core.Batch) { b.Attachment = core.MaxAttachment + 1 })), b},
		{"batch that is cut", FromDaemon, deliver(batchItem(func(*core.Batch) {})[:20]), b},
		{"batch with a rest", FromDaemon, deliver(append(batchItem(func(*core.Batch) {}), 0)), b},
		{"batch that is an array", FromDaemon,
			array(num1(10), array(batchItem(func(*core.Batch) {}))), b},
		{"more entries than a frame may have", FromDaemon, tooManyOps(), large},
	}
}

// itemAnyway encodes what Append takes and Decode refuses.
func itemAnyway(m Message) []byte {
	f, err := Append(nil, m)
	if err != nil {
		panic(err)
	}
	return f[headBytes:]
}

func tooManyOps() []byte {
	batch := batchItem(func(b *core.Batch) {
		b.Ops = make([]core.Op, core.MaxBatchOps)
		for i := range b.Ops {
			b.Ops[i] = core.Origin(core.TopView, 0)
		}
	})
	var batches [][]byte
	for range maxFrameOps/core.MaxBatchOps + 1 {
		batches = append(batches, codec.AppendBytes(nil, batch))
	}
	return array(num1(10), array(batches...))
}

// Each ends in a coded error, and in nothing else.
func TestBadItems(t *testing.T) {
	for _, tt := range bad() {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Decode(tt.from, tt.item)
			e := new(core.Error)
			if !errors.As(err, &e) || e.Code != tt.code || m != nil {
				t.Fatalf("got %v, %v, want %s", m, err, tt.code)
			}
			if strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("%q is more than a line", err)
			}
		})
	}
}

// A frame that is cut anywhere is refused.
func TestCutItems(t *testing.T) {
	for _, m := range samples() {
		item := frameOf(t, m.message)[headBytes:]
		for n := range item {
			got, err := decodeAny(m.message, m.from, item[:n:n])
			if core.CodeOf(err) != core.CodeBadRequest {
				t.Errorf("%s cut to %d of %d: got %v, %v", m.name, n, len(item), got, err)
			}
		}
	}
}

// costLimit is how much more memory than its own length a frame may cost: an op of 6 bytes is a
// struct of a hundred. Past it a peer could make the other side grow by sending little.
const costLimit = 32

// What a hostile frame of 1 MiB costs is bounded: a claimed count allocates nothing, and lists end
// at their bound.
func TestHostileFramesAreCheap(t *testing.T) {
	const size = 1 << 20
	many := func(head []byte, count int, each []byte) []byte {
		return join1(head, list(count), bytes.Repeat(each, count))
	}
	op := core.Origin(core.TopView, 0)
	ops := batchItem(func(b *core.Batch) {
		b.Ops = make([]core.Op, core.MaxBatchOps)
		for i := range b.Ops {
			b.Ops[i] = op
		}
	})
	batch := codec.AppendBytes(nil, batchItem(func(*core.Batch) {}))
	rows := []byte{0x83, 0x18, byte(core.OpTermRows), 0x00}
	for _, tt := range []struct {
		name string
		from Side
		item []byte
	}{
		{"shards", FromClient, many([]byte{0x82, 0x04}, size/3, []byte{0x82, 0x03, 0x00})},
		{"empty arrays for shards", FromClient, many([]byte{0x82, 0x04}, size, []byte{0x80})},
		{"batches", FromDaemon, many([]byte{0x82, 0x0a}, size/len(batch), batch)},
		{"empty batches", FromDaemon, many([]byte{0x82, 0x0a}, size, []byte{0x40})},
		{"ops", FromDaemon, array(num1(10), array(codec.AppendBytes(nil, ops)))},
		{"files", FromClient, many([]byte{0x83, 0x18, 0x25, 0x01, 0xa1, 0x02}, size, []byte{0xa0})},
		{"files, as many as may be", FromClient,
			many([]byte{0x83, 0x18, 0x25, 0x01, 0xa1, 0x02}, maxItems, []byte{0xa0})},
		{"keys", FromClient, join1([]byte{0x83, 0x18, 0x31, 0x01, 0xba, 0x00, 0x08, 0x00, 0x00},
			bytes.Repeat([]byte{0x01}, size))},
		{"peers", FromDaemon, many([]byte{0x83, 0x16, 0xf6}, size, []byte{0x80})},
		{"rows", FromDaemon, showItem(many(rows, size, []byte{0x83, 0x01, 0xf5, 0x80}))},
		{"rows, as many as may be", FromDaemon, showItem(many(rows, core.TermRowsMax,
			[]byte{0x83, 0x01, 0xf5, 0x80}))},
		{"empty runs", FromDaemon, showItem(many(rows, 1, many([]byte{0x83, 0x01, 0xf4}, size,
			[]byte{0x80})))},
		{"runs, as many as may be", FromDaemon, showItem(many(rows, size/8000,
			many([]byte{0x83, 0x01, 0xf4}, core.TermColsMax, []byte{0x82, 0x01, 0x41, 'x'})))},
		{"skipped fields", FromClient, join1([]byte{0x82, 0x08}, list(size), make([]byte, size))},
	} {
		cost := allocated(func() { Decode(tt.from, tt.item) })
		if limit := uint64(costLimit*len(tt.item) + 1<<16); cost > limit {
			t.Errorf("%s: %d bytes cost %d, at most %d", tt.name, len(tt.item), cost, limit)
		}
	}
}

// showItem is a frame with one op on a terminal.
func showItem(op []byte) []byte {
	const bell = "\x82\x18\x6d\x00" // that stands in for it
	b := core.Batch{Shard: trm.Shard(), First: 1, Ops: []core.Op{core.Of(&core.TermBell{})}}
	batch := bytes.TrimSuffix(b.Append(nil), []byte(bell))
	return array(num1(uint64(nShow)), array(codec.AppendBytes(nil, join1(batch, op))))
}

// The table's predicate: messages that carry entries are numbered, and no others.
func TestChannels(t *testing.T) {
	for _, k := range Kinds() {
		carries := k.Number == nAppend || k.Number == nDeliver || k.Number == nShow
		if k.Channel.Numbered() != carries {
			t.Errorf("%s is %v, numbered %v", k.Name, k.Channel, k.Channel.Numbered())
		}
		if err := k.admit(0); (err == nil) == k.Channel.Numbered() {
			t.Errorf("%s without a number: %v", k.Name, err)
		}
		if err := k.admit(1); (err == nil) != k.Channel.Numbered() {
			t.Errorf("%s with a number: %v", k.Name, err)
		}
		for _, s := range []core.Shard{core.MetaShard, buf.Shard(), trm.Shard()} {
			right := k.Number == nShow
			if s.Kind.Journaled() {
				right = k.Channel == Durable
			}
			if err := k.carries(s); carries && (err == nil) != right {
				t.Errorf("%s with an entry of %v: %v", k.Name, s, err)
			}
		}
		if Lookup(k.Number).Name != k.Name || k.Number.String() != k.Name {
			t.Errorf("number %d is %v, want %s", k.Number, k.Number, k.Name)
		}
	}
	if Lookup(0) != nil || Lookup(maxNumber+1) != nil || Lookup(1<<63) != nil {
		t.Error("numbers outside the table are in it")
	}
}

// Errors keep code, message and details; core finds the code through them.
func TestErrors(t *testing.T) {
	details := &Error{Code: core.CodeBusy, Message: "later", Details: Details{RetryAfter: 20}}
	for _, tt := range []struct {
		in   error
		want *Error
	}{
		{nil, nil},
		{errors.New("odd"), &Error{Code: core.CodeInternal, Message: "odd"}},
		{core.Errorf(core.CodeFenced, "held"), &Error{Code: core.CodeFenced, Message: "held"}},
		{errors.Join(details), details},
	} {
		got := ToError(tt.in)
		if (got == nil) != (tt.want == nil) {
			t.Fatalf("%v: got %v", tt.in, got)
		}
		if got == nil {
			continue
		}
		if got.Code != tt.want.Code || got.Message != tt.want.Message ||
			got.Details.RetryAfter != tt.want.Details.RetryAfter || core.CodeOf(got) != tt.want.Code {
			t.Errorf("%v: got %+v, want %+v", tt.in, got, tt.want)
		}
	}
	p := Place{Code: core.CodeNotFound, Message: "no such file"}
	if core.CodeOf(p.Err()) != core.CodeNotFound || (&Place{}).Err() != nil {
		t.Errorf("place: %v, %v", p.Err(), (&Place{}).Err())
	}
	if r := Fail(7, details); r.ID != 7 || r.Err != details || r.Reply != nil {
		t.Errorf("got %+v", r)
	}
}

// A request that can be read and makes no sense has an answer; one that can't be read has none.
func TestCallError(t *testing.T) {
	for _, tt := range []struct {
		name   string
		item   string
		answer bool
	}{
		{"offset below 0", "\x83\x18\x28\x07\xa1\x04\x20", true},
		{"no shard", "\x83\x18\x30\x07\xa0", true},
		{"no shard and a rest", "\x83\x18\x30\x07\xa0\x00", false},
		{"text for an offset", "\x83\x18\x28\x07\xa1\x04\x41a", false},
		{"cut", "\x83\x18\x30\x07", false},
	} {
		_, err := Decode(FromClient, []byte(tt.item))
		e := new(CallError)
		if got := errors.As(err, &e); got != tt.answer || core.CodeOf(err) != core.CodeBadRequest {
			t.Errorf("%s: got %v, answered %v, want %v", tt.name, err, got, tt.answer)
		}
		if tt.answer && (e.ID != 7 || Fail(e.ID, err).Err.Code != core.CodeBadRequest) {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
}
