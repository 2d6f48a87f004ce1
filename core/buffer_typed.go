package core

import "unicode/utf8"

// A flood of keys, and the log of a day's work, is runs of single runes, each inserted right behind
// the one before in one undo group. They are applied as one insertion: an entry then costs a fifth.

// typedRun returns how many of the ops, from the first on, are such a run; 0 if the first one is
// none.
func typedRun(ops []Op) int {
	first := &ops[0]
	if first.Group == 0 {
		return 0 // each begins a group of its own
	}
	n := 0
	for n < len(ops) {
		o := &ops[n]
		if o.Kind != OpEdit || o.Q0 != first.Q0+n || o.Q1 != o.Q0 || o.Group != first.Group ||
			o.Version != first.Version+Version(n) || !oneRune(o.Text) {
			break
		}
		n++
	}
	return n
}

// oneRune reports whether s is one rune of valid UTF-8, which joins with nothing around it.
func oneRune(s string) bool {
	if len(s) == 1 {
		return s[0] < utf8.RuneSelf
	}
	_, size := utf8.DecodeRuneInString(s)
	return size > 1 && size == len(s)
}

// typed applies a run, and does what edit would do for each op of it. It reports false, and does
// nothing, if one of them is not to be applied: edit says which, and why.
func (d *bufferDraft) typed(run []Op) bool {
	first, n := &run[0], len(run)
	fits := d.draft.Bytes()+n*utf8.UTFMax <= MaxTextBytes
	if d.Kind == BufferInvalid || d.editable(first.Version) != nil || !fits ||
		first.Q0 < 0 || first.Q0 > d.draft.Runes() || first.Group > Group(d.Version)+1 {
		return false
	}
	d.keys = d.keys[:0]
	for i := range run {
		d.keys = append(d.keys, run[i].Text...)
	}
	d.draft.Replace(first.Q0, first.Q0, string(d.keys))
	d.moveViews(first.Q0, 0, n)
	d.history.pushRun(&Change{Version: d.Version, Kind: ChangeEdit, Q0: first.Q0, NI: 1,
		Group: first.Group, Actor: d.actor}, n)
	d.Version += Version(n)
	return true
}
