package term

import (
	"errors"

	"apex/term/record"
	"apex/term/vt"
)

// saveSoon sees to it that what changed is saved in time. The turn is held.
func (t *Terminal) saveSoon() {
	if !t.saving {
		t.saving = true
		t.saves.Reset(saveEvery)
	}
}

// saveLate is the timer's.
func (t *Terminal) saveLate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.save()
	}
}

// save puts the screen and what is new of the history into the record, and lets the holder forget
// the output that made them. The turn is held: a save is a write to memory, of as much as was
// printed since the last. After a failure the output stays with the holder as long as that can
// keep it, and the next save tries again.
func (t *Terminal) save() {
	t.saving = false
	t.saves.Stop()
	err := t.file.Save(t.piece(min(t.keep, t.file.End())), func() *record.Piece { return t.piece(0) })
	if err != nil {
		if !t.failing {
			t.opts.failed(err)
		}
		t.failing = true
		t.saveSoon()
		return
	}
	t.failing = false
	if t.exit != nil { // the next is perhaps never
		if err := errors.Join(t.file.Sync(), t.file.Close()); err != nil {
			t.opts.failed(err)
		}
	}
	t.keep, t.saved = t.file.End(), t.fed
	if t.holder != nil {
		t.holder.SetCovered(t.fed)
	}
}

// piece makes what goes into the record: the screen, and the history from a line on.
func (t *Terminal) piece(from uint64) *record.Piece {
	s := t.screen
	from = max(from, s.HistoryFirst())
	p := &record.Piece{Covered: t.fed, First: s.HistoryFirst(), From: from,
		Screen: s.AppendScreen(nil)}
	if from < s.HistoryEnd() {
		p.Lines = packed(s, from, s.HistoryEnd(), int(min(t.fed-t.saved, saveBytes)))
	}
	return p
}

// packed returns lines of the history in their packed form, all in one piece of memory: in a flood
// there are thousands, several times a second. guess is about as many bytes as they have.
func packed(s *vt.Screen, from, end uint64, guess int) [][]byte {
	b := make([]byte, 0, guess+guess/8)
	ends := make([]int, 0, end-from)
	for n := from; n < end; n++ {
		b = s.AppendLine(b, n)
		ends = append(ends, len(b))
	}
	lines := make([][]byte, len(ends))
	begin := 0
	for i, end := range ends {
		lines[i] = b[begin:end:end]
		begin = end
	}
	return lines
}

// Resize gives the terminal another size. The program is told by the kernel.
func (t *Terminal) Resize(z Size) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	cols, rows := t.screen.Size()
	if cols == z.Cols && rows == z.Rows {
		return nil
	}
	if err := t.screen.Resize(z.Cols, z.Rows); err != nil {
		return err
	}
	// Lines that went back to the screen may come back to the history as others.
	t.keep = min(t.keep, t.screen.HistoryEnd())
	if z.Width > 0 && z.Height > 0 {
		t.screen.SetCellPixels(z.Width/z.Cols, z.Height/z.Rows)
	}
	t.force()
	t.save() // output from here on is for this size, and is read again at the record's
	if t.holder == nil || t.exit != nil {
		return nil
	}
	return t.holder.Resize(z)
}

// Clear forgets the history; what is on the screen stays.
func (t *Terminal) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.Clear()
	t.force()
	t.save() // or output that is read again would bring back what was cleared
}

// SetColours tells in which colours the terminal is seen, for programs that ask.
func (t *Terminal) SetColours(c vt.Colours) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.SetColours(c)
	if t.holder != nil && t.exit == nil && !t.closed {
		t.answer() // a program may want to hear of it
	}
}

// Save brings the record up to what the terminal shows now.
func (t *Terminal) Save() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed && t.exit == nil { // what has ended was saved
		t.save()
	}
}
