package coretest

import (
	"fmt"

	"apex/core"
	"apex/core/edit"

	"github.com/cockroachdb/datadriven"
)

// proposeDisk makes what the daemon proposes when it has looked at a file on disk, which holds the
// input: propose NAME taken|merged|seen|refused|gone|saved FILE.
func (e *Env) proposeDisk(d *datadriven.TestData, b *core.Buffer, id core.BufferID) core.Ask {
	input := d.Input
	hash := core.SumText(func(yield func([]byte) bool) { yield([]byte(input)) })
	disk := core.DiskState{Hash: hash, Bytes: len(input), Name: b.Name}
	set := &core.AskSet{Buffer: id, HasBase: true, Base: b.Version, Disk: &disk}
	switch d.CmdArgs[1].Key {
	case "taken":
		set.Edits = edit.Change(b, input)
		return set
	case "merged":
		base, _ := b.Base()
		merged := edit.Merge(base.String(), b.Text.String(), input)
		set.Edits, set.Force = edit.Change(b, merged.Text), true
		after := core.Buffer{Text: b.Text.Replace(0, b.Text.Runes(), merged.Text)}
		disk.Apart = edit.Change(&after, input)
		return set
	case "saved":
		return &core.AskClean{Buffer: id, Version: b.Version, Disk: disk}
	case "gone":
		return &core.AskStale{Buffer: id, Seen: true, Missing: true}
	}
	return &core.AskStale{Buffer: id, Disk: hash, Name: b.Name, Seen: d.CmdArgs[1].Key == "seen"}
}

// onDisk prints what a buffer knows of its file: ondisk FILE.
func (e *Env) onDisk(d *datadriven.TestData) (string, error) {
	b := e.World.Auth.Buffer(e.files[d.CmdArgs[0].Key])
	base := "none"
	if t, ok := b.Base(); ok {
		base = quoted(t.String())
	}
	return fmt.Sprintf("dirty %v stale %v warned %v missing %v base %s", b.Dirty(), b.Stale, b.Warned,
		b.Missing, base), nil
}
