package sim

import "apex/core"

// diskText is what another program puts before a text in its file.
const diskText = "disk\n"

// workDisk lets the daemon find out something of a file on disk: it changed, is gone, holds what was
// saved, what a clean buffer takes in, or what was merged into a dirty one.
func (r *run) workDisk() {
	_, id := r.body(r.Auth)
	b := r.Auth.Buffer(id)
	if id == 0 || b == nil || b.Loading || b.Kind != core.BufferFile {
		return
	}
	had := b.Text.String()
	found := diskText + had
	before := core.Span{Text: diskText}
	state := func(s string) core.DiskState {
		hash := core.SumText(func(yield func([]byte) bool) { yield([]byte(s)) })
		return core.DiskState{Hash: hash, Bytes: len(s), Name: b.Name}
	}
	disk := state(found)
	var ask core.Ask
	switch r.rand.IntN(5) {
	case 0:
		ask = &core.AskStale{Buffer: id, Disk: disk.Hash, Name: b.Name, Seen: r.oneIn(2)}
	case 1:
		ask = &core.AskStale{Buffer: id, Name: b.Name, Seen: true, Missing: true}
	case 2:
		ask = &core.AskClean{Buffer: id, Version: b.Version, Disk: state(had)}
	case 3:
		disk.Apart = []core.Span{before}
		ask = &core.AskClean{Buffer: id, Version: b.Version, Disk: disk}
	default:
		ask = &core.AskSet{Buffer: id, HasBase: true, Base: b.Version, Disk: &disk, Force: r.oneIn(2),
			Edits: []core.Span{before}}
	}
	r.Local(core.Proposal{Intent: r.intent(), Author: core.Author{Actor: "disk"}, Ask: ask})
}
