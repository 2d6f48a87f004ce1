package proto

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"testing"
	"unicode"

	"apex/core"
	"apex/core/cell"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// byField has the fields that take fewer values than their type.
var byField = map[string]func(*rapid.T) any{
	"core.Welcome.Next": func(t *rapid.T) any { return drawUpTo(t, core.MaxCounter+1) },
	"core.Status.Code":  func(t *rapid.T) any { return core.Code(drawString(t)) },
	"proto.Peek.Lines":  func(t *rapid.T) any { return int(drawUpTo(t, uint64(PeekMaxLines))) },
	"proto.Read.Q0":     func(t *rapid.T) any { return rapid.IntRange(0, 100).Draw(t, "q0") },
	"proto.Read.Q1":     func(t *rapid.T) any { return rapid.IntRange(100, 200).Draw(t, "q1") },

	"proto.TermNew.Cols":     upTo(core.TermColsMax),
	"proto.TermNew.Rows":     upTo(core.TermRowsMax),
	"proto.TermResize.Cols":  upTo(core.TermColsMax),
	"proto.TermResize.Rows":  upTo(core.TermRowsMax),
	"proto.Key.Rune":         upTo(unicode.MaxRune),
	"proto.Key.Shifted":      upTo(unicode.MaxRune),
	"proto.Key.Base":         upTo(unicode.MaxRune),
	"proto.TermRead.From":    drawFrom,
	"proto.TermRead.To":      drawTo,
	"proto.TermWait.Quiet":   drawWait,
	"proto.TermWait.Timeout": drawWait,
	"proto.TermRun.Timeout":  drawWait,
	"proto.Log.Shard": func(t *rapid.T) any {
		return Shard(rapid.Custom(drawShard).Filter(func(s core.Shard) bool {
			return s.Kind.Journaled()
		}).Draw(t, "shard"))
	},
	"proto.EnvSet.Vars": func(t *rapid.T) any { return drawVars(t) },
}

// upTo generates a number from 1 on.
func upTo(most int) func(*rapid.T) any {
	return func(t *rapid.T) any { return rapid.IntRange(1, most).Draw(t, "number") }
}

func drawFrom(t *rapid.T) any { return rapid.Uint64Range(0, 100).Draw(t, "from") }
func drawTo(t *rapid.T) any   { return rapid.Uint64Range(100, 200).Draw(t, "to") }

func drawWait(t *rapid.T) any { return core.Millis(drawUpTo(t, uint64(WaitMax))) }

// drawVars generates variables in their order.
func drawVars(t *rapid.T) []EnvVar {
	names := rapid.MapOf(rapid.StringN(1, 5, 20), rapid.Bool()).Draw(t, "names")
	var out []EnvVar
	for _, n := range slices.Sorted(maps.Keys(names)) {
		out = append(out, EnvVar{Name: n, Value: drawString(t), Unset: names[n]})
	}
	return out
}

func typ[T any]() reflect.Type { return reflect.TypeFor[T]() }

func drawUpTo[T ~uint8 | ~uint64](t *rapid.T, most T) T {
	return T(rapid.Uint64Range(0, uint64(most)).Draw(t, "number"))
}

func drawString(t *rapid.T) string {
	return string(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes"))
}

func drawShard(t *rapid.T) core.Shard {
	k := core.KindRegistry + drawUpTo(t, core.KindNotes-core.KindRegistry)
	if k.Single() {
		return core.Shard{Kind: k}
	}
	return core.Shard{Kind: k, ID: core.ID(rapid.Uint64Min(1).Draw(t, "id"))}
}

func drawResult(t *rapid.T) core.Result {
	r := plain(t, typ[core.Result]()).Interface().(core.Result)
	if r.Err != nil {
		r.Outcome = ""
	} else if r.Outcome == "" {
		r.Outcome = core.Applied
	}
	return r
}

// drawSealed generates a batch of a shard that a disk holds.
func drawSealed(t *rapid.T) *core.Sealed { return drawBatch(t, Durable) }

// drawBatch generates a batch of a shard whose entries a channel carries.
func drawBatch(t *rapid.T, c Channel) *core.Sealed {
	b := rapid.SampledFrom(append(opSamples(), lateOpSamples()...)).Filter(func(s *core.Sealed) bool {
		return s.Shard.Kind.Journaled() == (c == Durable)
	}).Draw(t, "batch").Batch
	b.First = core.Seq(rapid.Uint64Range(1, 1<<40).Draw(t, "first"))
	b.Ops = append(b.Ops[:0:0], b.Ops[rapid.IntRange(0, len(b.Ops)-1).Draw(t, "from"):]...)
	if b.Shard.Kind == core.KindBuffer {
		b.Ops = append(b.Ops, core.Edit(core.Version(rapid.Uint64().Draw(t, "version")),
			5, rapid.IntRange(5, 1<<40).Draw(t, "q1"), drawString(t), 0))
	}
	s, err := core.Open(b.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// value generates a value of type p that may go over the wire. Structs are filled by reflection,
// field by field, so that a field that somebody adds and nobody encodes comes back zero and is
// found.
func value(t *rapid.T, p reflect.Type) reflect.Value {
	var v any
	switch p {
	case typ[core.AttachmentID]():
		v = drawUpTo(t, core.MaxAttachment)
	case typ[core.Epoch]():
		v = drawUpTo(t, core.MaxEpoch)
	case typ[core.Seq]():
		v = drawUpTo(t, maxSeq)
	case typ[core.OnConflict]():
		v = drawUpTo(t, core.ConflictRecover)
	case typ[core.Shard]():
		v = drawShard(t)
	case typ[Shard]():
		v = Shard(drawShard(t))
	case typ[TermInputKind]():
		v = InputText + drawUpTo(t, inputEnd-InputText-1)
	case typ[TermWaitKind]():
		v = WaitExit + drawUpTo(t, waitEnd-WaitExit-1)
	case typ[EnvMode]():
		v = drawUpTo(t, envModeEnd-1)
	case typ[cell.Run]():
		v = rapid.SampledFrom(termRow().Runs).Draw(t, "run")
	case typ[*core.Term]():
		s := termState()
		s.Title, s.Bells = drawString(t), rapid.Uint64().Draw(t, "bells")
		v = s
	case typ[core.Code]():
		v = core.Code("c" + drawString(t))
	case typ[*core.Sealed]():
		v = drawSealed(t)
	case typ[core.Result]():
		v = drawResult(t)
	case typ[core.Ask]():
		return fill1(t, reflect.TypeOf(rapid.SampledFrom(askSamples()).Draw(t, "ask")))
	default:
		return plain(t, p)
	}
	return reflect.ValueOf(v)
}

func plain(t *rapid.T, p reflect.Type) reflect.Value {
	v := reflect.New(p).Elem()
	switch p.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Uint8().Draw(t, "number")))
	case reflect.Uint32:
		v.SetUint(uint64(rapid.Uint32().Draw(t, "number")))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "number"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64Min(0).Draw(t, "number"))
	case reflect.String:
		v.SetString(drawString(t))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			return fill1(t, p)
		}
	case reflect.Slice, reflect.Array:
		n := v.Len()
		if p.Kind() == reflect.Slice {
			n = rapid.IntRange(0, 3).Draw(t, "length")
			v.Set(reflect.MakeSlice(p, n, n))
		}
		for i := range n {
			v.Index(i).Set(value(t, p.Elem()))
		}
	case reflect.Struct:
		v.Set(fill1(t, reflect.PointerTo(p)).Elem())
	default:
		t.Fatalf("no generator of %v", p)
	}
	return v
}

// fill1 returns a pointer of type p to a struct that is generated field by field.
func fill1(t *rapid.T, p reflect.Type) reflect.Value {
	v := reflect.New(p.Elem())
	for i := range v.Elem().NumField() {
		f := p.Elem().Field(i)
		if special := byField[p.Elem().String()+"."+f.Name]; special != nil {
			v.Elem().Field(i).Set(reflect.ValueOf(special(t)))
			continue
		}
		v.Elem().Field(i).Set(value(t, f.Type))
	}
	return v
}

// drawMessage generates a message of a kind.
func drawMessage(t *rapid.T, k Kind) Message {
	m := fill1(t, reflect.TypeOf(k.make())).Interface()
	id := rapid.Uint64().Draw(t, "call")
	switch m := m.(type) {
	case *core.Append:
		m.Batches = append(m.Batches, drawSealed(t))
	case *core.Deliver:
		for i := range m.Batches {
			m.Batches[i] = drawBatch(t, k.Channel)
		}
		m.Batches = append(m.Batches, drawBatch(t, k.Channel))
	case *core.Refused:
		m.Err = fill1(t, typ[*core.Error]()).Interface().(*core.Error)
	case *core.Failure:
		m.Err = fill1(t, typ[*core.Error]()).Interface().(*core.Error)
	case *Open:
		if m.HasText = len(m.Files) == 0; !m.HasText {
			m.Text = nil
		}
	}
	switch m := m.(type) {
	case Request:
		return &Call{ID: id, Request: m}
	case *Error:
		return &Return{ID: id, Err: m}
	case Reply:
		return &Return{ID: id, Reply: m}
	}
	return m
}

// Every message comes back as it was sent, however its fields are set; batches come back with
// exactly the bytes that they were given, from the frame itself.
func TestRoundTrip(t *testing.T) {
	equal := cmpopts.EquateEmpty()
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := drawMessage(t, k)
				frame, err := Append(nil, m)
				if err != nil {
					t.Fatal(err)
				}
				for _, from := range []Side{FromClient, FromDaemon} {
					got, err := Decode(from, frame[headBytes:])
					if k.From&from == 0 {
						if core.CodeOf(err) != core.CodeBadRequest {
							t.Fatalf("from the %v: got %v, want bad_request", from, err)
						}
						continue
					}
					if err != nil {
						t.Fatalf("%v: %x", err, frame)
					}
					if d := cmp.Diff(m, got, equal); d != "" {
						t.Fatalf("sent -, received +:\n%s", d)
					}
					if again, _ := Append(nil, got); !bytes.Equal(again, frame) {
						t.Fatalf("sent again: got %x, want %x", again, frame)
					}
				}
			})
		})
	}
}

// A batch is neither copied nor made anew on its way through.
func TestBatchesAliasTheFrame(t *testing.T) {
	s := opSamples()[4]
	item := frameOf(t, &core.Append{Batches: []*core.Sealed{s}})[headBytes:]
	m, err := Decode(FromClient, item)
	if err != nil {
		t.Fatal(err)
	}
	got := m.(*core.Append).Batches[0].Bytes
	at := bytes.Index(item, s.Bytes)
	if !bytes.Equal(got, s.Bytes) || at < 0 || &got[0] != &item[at] {
		t.Fatalf("bytes %x are not the frame's", got)
	}
	if cap(got) != len(got) {
		t.Errorf("appending to a batch's bytes would write into the frame: %d of %d", len(got), cap(got))
	}
	out := frameOf(t, &core.Deliver{Batches: m.(*core.Append).Batches})
	if !bytes.Contains(out, s.Bytes) {
		t.Errorf("forwarded as %x, want %x inside", out, s.Bytes)
	}
}

// What a later version adds behind an array's fields or to a map is skipped.
func TestUnknownFieldsAreSkipped(t *testing.T) {
	for _, m := range samples() {
		if take, ok := m.message.(*core.Take); ok && take.TTL == 0 {
			continue // whose next field is known
		}
		item := bytes.Clone(frameOf(t, m.message)[headBytes:])
		item[0]++ // one field more, in the array's one-byte head
		item = append(item, 0x82, 0x01, 0x41, 0xff)
		got, err := decodeAny(m.message, m.from, item)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		if d := cmp.Diff(m.message, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s:\n%s", m.name, d)
		}
	}
	// resolve with key 60, which is not known.
	item := []byte("\x83\x18\x27\x05\xa2\x02\x44w1.3\x18\x3c\x81\x00")
	got, err := Decode(FromClient, item)
	want := &Call{ID: 5, Request: &Resolve{Win: "w1.3"}}
	if d := cmp.Diff(Message(want), got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}
