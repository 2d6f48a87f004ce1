package edit

import (
	"apex/core"
	"apex/core/text"
)

// hashOf is the hash of a text's bytes, as buffers and disks are compared by.
func hashOf(s string) core.Hash {
	return core.SumText(func(yield func([]byte) bool) { yield([]byte(s)) })
}

// afterUndo is the text after an undo entry.
func afterUndo(b *core.Buffer, u *core.Undo) text.Text {
	d := b.Text.Edit()
	for _, e := range u.Edits {
		d.Replace(e.Q0, e.Q1, e.Text)
	}
	return d.Text()
}
