package core

import (
	"slices"

	"apex/core/codec"
)

// maxIntents is how many proposals a shard remembers, so that a repeated one is recognised: a
// proposer that retries does so within seconds, and a busy buffer takes some hundred a second.
const maxIntents = 1024

// intentBlock is how many are kept together: what remembering one more copies.
const intentBlock = 32

// Answered is what a shard remembers of a proposal that was applied to it.
type Answered struct {
	Intent      IntentID
	First, Last Seq
	Version     Version // of the buffer after it; 0 for other shards
}

// intents are the newest proposals that were applied to a shard. It is an immutable value: several
// states may go on from one, as a preview and the batch that is stored in the end do, so nothing
// that another value sees is ever written.
type intents struct {
	full   [][]Answered // blocks of intentBlock, oldest first
	skip   int          // how many of the first block are forgotten
	newest []Answered   // shorter than a block
}

func (t intents) count() int { return len(t.full)*intentBlock - t.skip + len(t.newest) }

// with returns t and one more, without the oldest if that is one too many.
func (t intents) with(a Answered) intents {
	t.newest = append(slices.Clip(t.newest), a)
	if len(t.newest) == intentBlock {
		t.full, t.newest = append(slices.Clip(t.full), t.newest), nil
	}
	if t.count() > maxIntents {
		t.skip++
	}
	if t.skip == intentBlock {
		t.full, t.skip = t.full[1:], 0
	}
	return t
}

// backwards calls yield with each, newest first, until it returns false.
func (t intents) backwards(yield func(*Answered) bool) {
	for i := len(t.newest) - 1; i >= 0; i-- {
		if !yield(&t.newest[i]) {
			return
		}
	}
	for k := len(t.full) - 1; k >= 0; k-- {
		from := 0
		if k == 0 {
			from = t.skip
		}
		for i := intentBlock - 1; i >= from; i-- {
			if !yield(&t.full[k][i]) {
				return
			}
		}
	}
}

// fields describes the intents as one list, oldest first, whatever their blocks.
func (t *intents) fields(f *codec.Fields) {
	var all []Answered
	if !f.Reading() {
		all = make([]Answered, 0, t.count())
		for a := range t.backwards {
			all = append(all, *a)
		}
		slices.Reverse(all)
	}
	codec.List(f, &all, func(f *codec.Fields, a *Answered) {
		f.Fixed(a.Intent[:])
		codec.Num(f, &a.First)
		codec.Num(f, &a.Last)
		codec.Num(f, &a.Version)
	})
	if f.Reading() {
		*t = intents{}
		for _, a := range all {
			*t = t.with(a)
		}
	}
}
