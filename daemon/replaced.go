package daemon

import (
	"fmt"

	"apex/core"
	"apex/core/edit"
	"apex/proto"
)

// keepReplaced keeps unsaved text in a window of its own that Get is about to replace, where that is
// more than undo is sure to keep, and says so.
func (s *session) keepReplaced(e *core.RunExec, with string) (said string, err error) {
	b := e.Buffer
	if b.Text.Bytes() <= core.UndoKeepsBytes || !b.Dirty() {
		return "", nil
	}
	replaced := 0
	for _, x := range edit.Change(b, with) {
		replaced += b.Text.ByteOffset(x.Q1) - b.Text.ByteOffset(x.Q0)
	}
	if replaced <= core.UndoKeepsBytes {
		return "", nil
	}
	s.mu.Lock()
	name := edit.RecoveredName(s.a)
	s.mu.Unlock()
	text := fmt.Appendf(nil, "-- unsaved text of %s at version %d, which Get by %s replaced:\n", b.Name,
		b.Version, e.Author.Actor)
	text = b.Text.AppendRange(text, 0, b.Text.Runes())
	_, err = s.openText(opener{Author: e.Author}, &proto.Open{Name: name, Text: text, HasText: true})
	return "; what was unsaved is in " + name, err
}
