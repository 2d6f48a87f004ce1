package core

import (
	"math"
	"slices"
)

// PlanUndo works out the edits that take back the actor's last step, or with redo bring back the
// one it last took back. With all, anybody's step counts. Later steps of others stay: the edits
// are moved past them. Where one of them overlaps, the answer is a conflict; where there is no
// step, not found.
func (b *Buffer) PlanUndo(actor string, redo, all bool) (*Undo, error) {
	if b.Loading {
		return nil, Errorf(CodeBusy, "the buffer is still loading")
	}
	target, changes, out := b.findStep(actor, redo, all)
	if target == 0 {
		return nil, Errorf(CodeNotFound, "nothing to %s", undoWord(redo))
	}
	changes = annihilate(changes, target, out)
	first := slices.IndexFunc(changes, func(c Change) bool { return c.Group == target })
	changes, ok := bubble(changes[first:], target)
	if !ok {
		return nil, Errorf(CodeConflict, "a later change overlaps the step to %s", undoWord(redo))
	}
	u := &Undo{Version: b.Version, Redo: redo, Target: target}
	for i := len(changes) - 1; i >= 0 && changes[i].Group == target; i-- {
		c := &changes[i]
		u.Edits = append(u.Edits, Span{c.Q0, c.Q0 + c.NI, c.Deleted})
	}
	return u, nil
}

func undoWord(redo bool) string {
	if redo {
		return "redo"
	}
	return "undo"
}

// findStep returns the group to take back, the changes from its first on, oldest first, with
// what is before it as far as later ones took it back, and which groups are out of effect.
//
// Going from the newest change back, a group that nothing in effect took back is in effect; one in
// effect that is itself an undo or a redo puts its target out of effect. Undo takes the newest
// group in effect that is no undo. Redo takes the newest undo in effect, unless the actor made an
// edit after it: that ends what can be brought back.
func (b *Buffer) findStep(actor string, redo, all bool) (Group, []Change, map[Group]bool) {
	out := map[Group]bool{}
	by := map[Group]Group{} // which group took a group back
	var target Group
	var changes []Change
	oldest := Group(math.MaxUint64) // of the groups that undos among the changes took back
	for c := range b.backwards {
		if target != 0 && Group(c.Version)+Group(c.Run)+1 < min(target, oldest) {
			break // older than the first change of all of them
		}
		changes = append(changes, *c)
		if c.Kind != ChangeEdit {
			by[c.Target] = c.Group
			oldest = min(oldest, c.Target)
		}
		if out[c.Group] {
			continue
		}
		if c.Kind != ChangeEdit {
			out[c.Target] = true
		}
		mine := target == 0 && (all || c.Actor == actor)
		if mine && redo && c.Kind == ChangeEdit {
			return 0, nil, nil
		}
		if mine && redo == (c.Kind == ChangeUndo) {
			target = c.Group
		}
	}
	// Somebody may have taken the step back and brought it back: then that is what stands for it.
	for by[target] != 0 {
		target = by[by[target]]
	}
	target, changes = finish(target, changes)
	return target, changes, out
}

// finish puts the changes in order. A step whose beginning is past the kept history is none: half
// of it can't be taken back.
func finish(target Group, newestFirst []Change) (Group, []Change) {
	slices.Reverse(newestFirst)
	first := slices.IndexFunc(newestFirst, func(c Change) bool { return c.Group == target })
	if target == 0 || Group(newestFirst[first].Version)+1 != target {
		return 0, nil
	}
	return target, newestFirst
}

// annihilate drops the pairs of a group and the undo or redo in effect that took it back, where
// both are wholly among the changes: together they did nothing, so they are no obstacle to other
// steps. out are the groups that are out of effect. The group keep is what is to be taken back,
// and stays.
func annihilate(changes []Change, keep Group, out map[Group]bool) []Change {
	left := make([]Change, 0, len(changes))
	for i := 0; i < len(changes); {
		end := i + 1
		for end < len(changes) && changes[end].Group == changes[i].Group {
			end++
		}
		part := changes[i:end]
		i = end
		if g := part[0].Group; part[0].Kind != ChangeEdit && g != keep && !out[g] {
			if rest, ok := cancel(left, part); ok {
				left = rest
				continue
			}
		}
		left = append(left, part...)
	}
	return left
}

// cancel drops from head the changes of the group that undo took back, if moved to its end they
// are undo's inverse.
func cancel(head, undo []Change) ([]Change, bool) {
	t := undo[0].Target
	first, n := len(head), 0
	for i := len(head) - 1; i >= 0; i-- {
		if head[i].Group == t {
			first = i
			n++
		}
		if Group(head[i].Version)+Group(head[i].Run)+1 < t {
			break // older than the group's first change
		}
	}
	if n != len(undo) {
		return nil, false
	}
	part, ok := bubble(slices.Clone(head[first:]), t)
	if !ok {
		return nil, false
	}
	for k := range undo {
		x, y := &part[len(part)-1-k], &undo[k]
		if x.Q0 != y.Q0 || x.ND != y.NI || x.NI != y.ND {
			return nil, false
		}
	}
	return append(head[:first], part[:len(part)-n]...), true
}

// bubble moves the changes of a group to the end, as if they had been made last; not ok if one
// overlaps a change that it has to pass.
func bubble(changes []Change, g Group) ([]Change, bool) {
	end := len(changes)
	for i := len(changes) - 1; i >= 0; i-- {
		if changes[i].Group != g {
			continue
		}
		for k := i; k+1 < end; k++ {
			if !swap(&changes[k], &changes[k+1]) {
				return nil, false
			}
		}
		end--
	}
	return changes, true
}

// swap exchanges two consecutive changes: afterwards *a holds b as it would have been made before
// a, and *b holds a as it would have been made after b. Not ok if they overlap.
func swap(a, b *Change) bool {
	switch {
	case b.Q0 >= a.Q0+a.NI:
		b.Q0 -= a.NI - a.ND
	case b.Q0+b.ND <= a.Q0:
		a.Q0 += b.NI - b.ND
	default:
		return false
	}
	*a, *b = *b, *a
	return true
}
