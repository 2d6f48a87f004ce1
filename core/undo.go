package core

import "slices"

// PlanUndo works out the edits that take back the actor's last step, or with redo bring back the
// one it last took back. With all, anybody's step counts. Later steps of others stay: the edits
// are moved past them. Where one of them overlaps, the answer is a conflict; where there is no
// step, not found.
func (b *Buffer) PlanUndo(actor string, redo, all bool) (*Undo, error) {
	if b.Loading {
		return nil, Errorf(CodeBusy, "the buffer is still loading")
	}
	target, changes := b.findStep(actor, redo, all)
	if target == 0 {
		return nil, Errorf(CodeNotFound, "nothing to %s", undoWord(redo))
	}
	changes = annihilate(changes)
	changes, ok := bubble(changes, target)
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

// findStep returns the group to take back and the changes from its first on, oldest first.
//
// Going from the newest change back, a group that nothing in effect took back is in effect; one in
// effect that is itself an undo or a redo puts its target out of effect. Undo takes the newest
// group in effect that is no undo. Redo takes the newest undo in effect, unless the actor made an
// edit after it: that ends what can be brought back.
func (b *Buffer) findStep(actor string, redo, all bool) (Group, []Change) {
	out := map[Group]bool{}
	var target Group
	var changes []Change
	found := 0
	for c := range b.backwards {
		changes = append(changes, *c)
		switch {
		case target != 0:
			if c.Group == target {
				found = len(changes)
			} else if c.Version+Version(c.Run)+1 < Version(target) {
				// Older than the group's first change: nothing of it follows.
				return finish(target, changes[:found])
			}
			continue
		case out[c.Group]:
			continue
		case c.Kind == ChangeUndo || c.Kind == ChangeRedo:
			out[c.Target] = true
		}
		mine := all || c.Actor == actor
		if mine && redo && c.Kind == ChangeEdit {
			return 0, nil
		}
		if mine && redo == (c.Kind == ChangeUndo) {
			target, found = c.Group, len(changes)
		}
	}
	return finish(target, changes[:found])
}

func finish(target Group, newestFirst []Change) (Group, []Change) {
	slices.Reverse(newestFirst)
	return target, newestFirst
}

// annihilate drops the pairs of a group and the undo that took it back, where both are wholly
// among the changes: together they did nothing, so they are no obstacle to older steps.
func annihilate(changes []Change) []Change {
	for i := 0; i < len(changes); i++ {
		c := &changes[i]
		if c.Kind == ChangeEdit || i > 0 && changes[i-1].Group == c.Group {
			continue
		}
		if rest, ok := cancel(changes, c.Target, c.Group, i); ok {
			changes = rest
			i = -1 // indices moved; what remains is shorter
		}
	}
	return changes
}

// cancel moves the changes of group t rightwards to the undo group u, whose first change is at,
// and drops both if they are each other's inverse.
func cancel(changes []Change, t, u Group, at int) ([]Change, bool) {
	end := at
	for end < len(changes) && changes[end].Group == u {
		end++
	}
	head, ok := bubble(slices.Clone(changes[:at]), t)
	n := end - at
	if !ok || len(head) < n {
		return nil, false
	}
	for k := range n {
		x, y := &head[len(head)-1-k], &changes[at+k]
		if x.Group != t || x.Q0 != y.Q0 || x.ND != y.NI || x.NI != y.ND {
			return nil, false
		}
	}
	if len(head) > n && head[len(head)-1-n].Group == t {
		return nil, false
	}
	return append(head[:len(head)-n], changes[end:]...), true
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
