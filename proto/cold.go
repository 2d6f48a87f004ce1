package proto

import (
	"reflect"

	"apex/core"
	"apex/core/codec"
)

// numbers finds a message's number by its type; a *core.Deliver has two. It is only read.
var numbers = func() map[reflect.Type]Number {
	m := make(map[reflect.Type]Number, len(kinds))
	for i := range kinds {
		m[reflect.TypeOf(kinds[i].make())] = kinds[i].Number
	}
	return m
}()

// numberOf returns the number of a message or body, or 0.
func numberOf(m any) Number {
	if d, ok := m.(*core.Deliver); ok {
		return deliverNumber(d)
	}
	return numbers[reflect.TypeOf(m)]
}

// deliverNumber tells entries that a disk holds from those of which only the newest count.
func deliverNumber(m *core.Deliver) Number {
	if len(m.Batches) > 0 && !m.Batches[0].Shard.Kind.Journaled() {
		return nShow
	}
	return nDeliver
}

// describe describes a message that is coded neither by hand nor as a call: its number, for an
// ephemeral one the place where others have a sequence number, and its fields.
func (k *Kind) describe(f *codec.Fields, m any) {
	n := k.Number
	codec.Num(f, &n)
	if k.Channel == Ephemeral {
		k.noNumber(f)
	}
	switch m := m.(type) {
	case *core.Follow:
		followFields(f, m)
	case *core.Unfollow:
		shards(f, &m.Shards)
	case *core.Take:
		shards(f, &m.Shards)
		if f.Optional(); f.Reading() || m.TTL != 0 { // older builds had none
			codec.Num(f, &m.TTL)
		}
	case *core.NotTaken:
		shards(f, &m.Shards)
		mustError(f, &m.Err)
	case *core.Release:
		shards(f, &m.Shards)
	case *core.Propose:
		codec.Num(f, &m.ID)
		f.Struct(func(f *codec.Fields) { proposalFields(f, &m.Proposal) })
	case *core.Answer:
		codec.Num(f, &m.Call)
		f.Struct(func(f *codec.Fields) { resultFields(f, &m.Result) })
		f.Bool(&m.Follows)
	case *core.Refused:
		shards(f, &m.Shards)
		mustError(f, &m.Err)
	case *core.Asked:
		shards(f, &m.Shards)
	case *core.Evaluate:
		codec.Num(f, &m.Call)
		f.Struct(func(f *codec.Fields) { proposalFields(f, &m.Proposal) })
	case *core.ProposeResult:
		codec.Num(f, &m.ID)
		f.Struct(func(f *codec.Fields) { resultFields(f, &m.Result) })
	case *core.Resync:
		shards(f, &m.Shards)
	case *core.Failure:
		mustError(f, &m.Err)
	case *core.Diverged:
		namedShard(f, &m.Shard)
		seq(f, &m.Seq)
	case described:
		m.fields(f)
	case *core.Bye, *core.Renew, *core.Draining:
	default:
		panic("proto: no description of " + k.Name)
	}
}

// noNumber describes the place of an ephemeral message's sequence number: null.
func (k *Kind) noNumber(f *codec.Fields) {
	f.Raw(codec.AppendNull, func(c *codec.Cursor) {
		if c.Null() {
			return
		}
		if err := k.admit(core.Seq(c.Uint())); err != nil {
			c.Fail("%v", err)
			return
		}
		c.Fail("want null where numbered messages have their number")
	})
}

// mustError describes an error that must be there.
func mustError(f *codec.Fields, p **core.Error) {
	if f.Reading() {
		*p = new(core.Error)
	} else if *p == nil {
		*p = &core.Error{Code: core.CodeInternal, Message: "unknown"}
	}
	f.Struct(func(f *codec.Fields) { coreErrorFields(f, *p) })
}
