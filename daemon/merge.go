package daemon

import (
	"fmt"

	"apex/core"
	"apex/core/edit"
	"apex/core/text"
	"apex/daemon/file"
)

const (
	// mergeTries bounds how often a text is merged that changes at the same time.
	mergeTries = 8
	// apartMaxBytes bounds what is kept of how the disk's text differs from the merged one, for the
	// next merge. It is in the buffer's state, beside its text: beyond it the next merge does without.
	apartMaxBytes = 4 << 20
)

// merge takes in what the disk holds beside what is unsaved, as one step of whoever asked for it.
// Afterwards the disk's text is known, and Put saves over it.
func (s *session) merge(e *core.RunExec) (string, error) {
	b, id := e.Buffer, e.Exec.Buffer
	for range mergeTries {
		switch {
		case b == nil:
			return "", core.Errorf(core.CodeNotFound, "the text is gone")
		case b.Kind != core.BufferFile:
			return "", core.Errorf(core.CodeBadRequest, "only a file's text is merged")
		}
		path := s.absolute(e, b.Name)
		c, err := file.Open(path, core.MaxTextBytes)
		switch {
		case err != nil:
			return "", fileError(err)
		case c.New:
			return "", core.Errorf(core.CodeNotFound, "%s: no such file: Put makes it", path)
		case c.Dir:
			return "", core.Errorf(core.CodeBadRequest, "%s: is a directory", path)
		}
		ask, said := mergeAsk(id, b, &c)
		author := e.Author
		if _, edits := ask.(*core.AskSet); !edits {
			author = diskAuthor
		}
		r := s.local(core.Proposal{Author: author, Ask: ask})
		if r.Err != nil {
			return "", r.Err
		}
		if r.Outcome != core.NeedsMerge {
			return path + ": " + said, nil
		}
		s.mu.Lock()
		b = s.a.Buffer(id)
		s.mu.Unlock()
	}
	return "", core.Errorf(core.CodeConflict, "the text changed while it was merged: try again")
}

// mergeAsk is what makes a buffer's text that of a merge with what its file holds, and what to say of
// it.
func mergeAsk(id core.BufferID, b *core.Buffer, c *file.Content) (core.Ask, string) {
	disk := core.DiskState{Hash: core.Hash(c.Hash), Bytes: len(c.Data), Name: b.Name}
	if b.OnDisk && b.Disk == disk.Hash {
		return &core.AskStale{Buffer: id, Disk: disk.Hash, Name: b.Name, Seen: true},
			"nothing to merge: the disk holds what was last read or saved"
	}
	merged, said := merging(b, string(c.Data))
	disk.Apart = apart(merged, string(c.Data))
	edits := edit.Change(b, merged)
	if len(edits) == 0 {
		return &core.AskClean{Buffer: id, Version: b.Version, Disk: disk}, said
	}
	return &core.AskSet{Buffer: id, HasBase: true, Base: b.Version, Edits: edits, Disk: &disk,
		Force: true}, said
}

// merging merges a buffer's text with what its file holds.
func merging(b *core.Buffer, disk string) (merged, said string) {
	base, known := b.Base()
	var m edit.Merging
	if known {
		m = edit.Merge(base.String(), b.Text.String(), disk)
	} else {
		m = edit.MergeUnrelated(b.Text.String(), disk)
	}
	switch {
	case !known:
		return m.Text, fmt.Sprintf("what it was before both changes is not kept any more: all that "+
			"differs is marked, %s", conflicts(m.Conflicts))
	case m.Conflicts > 0:
		return m.Text, "merged, " + conflicts(m.Conflicts)
	}
	return m.Text, "merged"
}

func conflicts(n int) string {
	if n == 1 {
		return "1 conflict, between <<<<<<< and >>>>>>>"
	}
	return fmt.Sprintf("%d conflicts, between <<<<<<< and >>>>>>>", n)
}

// apart is how what the disk holds differs from a text. Where that is too much to be kept, an edit
// that changes nothing says only that it does.
func apart(merged, disk string) []core.Span {
	spans := edit.Change(&core.Buffer{Text: text.FromString(merged)}, disk)
	size := 0
	for _, s := range spans {
		size += len(s.Text)
	}
	if size > apartMaxBytes {
		return []core.Span{{}}
	}
	return spans
}
