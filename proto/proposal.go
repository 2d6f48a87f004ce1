package proto

import (
	"apex/core"
	"apex/core/codec"
)

// askKind numbers what a proposal may ask: appended, never reused.
type askKind uint8

const (
	askEdit   askKind = 1
	askSet    askKind = 2
	askUndo   askKind = 3
	askClean  askKind = 4
	askStale  askKind = 5
	askRename askKind = 6
	askSelect askKind = 7
	askWindow askKind = 8
	askShow   askKind = 9
	askDelete askKind = 10
	askExec   askKind = 11
	askStatus askKind = 12
	askSnarf  askKind = 13
)

func newAsk(k askKind) core.Ask {
	switch k {
	case askEdit:
		return new(core.AskEdit)
	case askSet:
		return new(core.AskSet)
	case askUndo:
		return new(core.AskUndo)
	case askClean:
		return new(core.AskClean)
	case askStale:
		return new(core.AskStale)
	case askRename:
		return new(core.AskRename)
	case askSelect:
		return new(core.AskSelect)
	case askWindow:
		return new(core.AskWindow)
	case askShow:
		return new(core.AskShow)
	case askDelete:
		return new(core.AskDelete)
	case askExec:
		return new(core.AskExec)
	case askStatus:
		return new(core.AskStatus)
	case askSnarf:
		return new(core.AskSnarf)
	}
	return nil
}

// kindOfAsk returns an ask's number, or 0 for one that has none.
func kindOfAsk(a core.Ask) askKind {
	switch a.(type) {
	case *core.AskEdit:
		return askEdit
	case *core.AskSet:
		return askSet
	case *core.AskUndo:
		return askUndo
	case *core.AskClean:
		return askClean
	case *core.AskStale:
		return askStale
	case *core.AskRename:
		return askRename
	case *core.AskSelect:
		return askSelect
	case *core.AskWindow:
		return askWindow
	case *core.AskShow:
		return askShow
	case *core.AskDelete:
		return askDelete
	case *core.AskExec:
		return askExec
	case *core.AskStatus:
		return askStatus
	case *core.AskSnarf:
		return askSnarf
	}
	return 0
}

// proposalFields describes a proposal; its Ask is an array of the ask's number and fields.
func proposalFields(f *codec.Fields, p *core.Proposal) {
	f.Fixed(p.Intent[:])
	authorFields(f, &p.Author)
	epoch(f, &p.ExpectedEpoch)
	f.Struct(func(f *codec.Fields) {
		kind := kindOfAsk(p.Ask)
		codec.Num(f, &kind)
		if f.Reading() {
			if p.Ask = newAsk(kind); p.Ask == nil {
				f.Fail("unknown ask %d", kind)
				return
			}
		}
		askFields(f, p.Ask)
	})
	if f.Optional(); f.Reading() || p.At != 0 { // older builds had none
		codec.Num(f, &p.At)
	}
}

func askFields(f *codec.Fields, a core.Ask) {
	switch a := a.(type) {
	case *core.AskEdit:
		askEditFields(f, a)
	case *core.AskSet:
		askSetFields(f, a)
	case *core.AskUndo:
		codec.Num(f, &a.Buffer)
		f.Bool(&a.Redo)
		f.Bool(&a.All)
	case *core.AskClean:
		codec.Num(f, &a.Buffer)
		codec.Num(f, &a.Version)
		diskFields(f, &a.Disk)
	case *core.AskStale:
		codec.Num(f, &a.Buffer)
		f.Fixed(a.Disk[:])
		if f.Optional(); f.Reading() || a.Name != "" || a.Seen || a.Missing { // older builds had none
			f.String(&a.Name)
		}
		if f.Reading() || a.Seen || a.Missing {
			f.Bool(&a.Seen)
			f.Bool(&a.Missing)
		}
	case *core.AskRename:
		codec.Num(f, &a.Buffer)
		f.String(&a.Name)
	case *core.AskSelect:
		codec.Num(f, &a.Buffer)
		viewFields(f, &a.View)
		codec.Num(f, &a.Q0)
		codec.Num(f, &a.Q1)
		f.Bool(&a.Show)
	case *core.AskWindow:
		askWindowFields(f, a)
	case *core.AskShow:
		codec.Num(f, &a.Window)
	case *core.AskDelete:
		codec.Num(f, &a.Window)
		f.Bool(&a.Force)
	case *core.AskExec:
		codec.Num(f, &a.Window)
		f.String(&a.Command)
		shardFields(f, &a.Shard)
		if f.Optional(); f.Reading() || a.NoWait { // older builds had none
			f.Bool(&a.NoWait)
		}
	case *core.AskStatus:
		codec.Num(f, &a.Window)
		seq(f, &a.Status.Of)
		f.String((*string)(&a.Status.Code))
		f.String(&a.Status.Message)
	case *core.AskSnarf:
		f.String(&a.Text)
	}
}

func askEditFields(f *codec.Fields, a *core.AskEdit) {
	codec.Num(f, &a.Buffer)
	codec.Num(f, &a.Base)
	num(f, &a.OnConflict, core.ConflictRecover)
	bounded(f, maxSpans, &a.Edits, spanFields)
	viewFields(f, &a.Select)
}

func askSetFields(f *codec.Fields, a *core.AskSet) {
	codec.Num(f, &a.Buffer)
	codec.Num(f, &a.Base)
	f.Bool(&a.HasBase)
	f.String(&a.Text)
	nullable(f, &a.Disk, diskFields)
	f.Bool(&a.Force)
	if f.Optional(); f.Reading() || len(a.Edits) > 0 { // older builds had none
		bounded(f, maxSpans, &a.Edits, spanFields)
	}
}

func askWindowFields(f *codec.Fields, a *core.AskWindow) {
	codec.Num(f, &a.Body)
	f.String(&a.Name)
	codec.Num(f, &a.Kind)
	f.String(&a.Text)
	codec.Num(f, &a.Select.Q0)
	codec.Num(f, &a.Select.Q1)
	f.String(&a.Select.Text)
	f.Bool(&a.Reuse)
	f.Bool(&a.Append)
	f.Bool(&a.Focus)
	if f.Optional(); f.Reading() || a.Term != 0 { // older builds had none
		codec.Num(f, &a.Term)
	}
}

func diskFields(f *codec.Fields, d *core.DiskState) {
	f.Fixed(d.Hash[:])
	codec.Num(f, &d.Bytes)
	if f.Optional(); f.Reading() || d.Name != "" || len(d.Apart) > 0 { // older builds had none
		f.String(&d.Name)
	}
	if f.Reading() || len(d.Apart) > 0 {
		bounded(f, maxSpans, &d.Apart, spanFields)
	}
}
