package journal

import "strings"

// retire makes history of the generation that was replaced, sets damaged ones aside, and keeps the
// history within its budget. The new generation stands already, so nothing here can fail a
// rotation; what could not be done is tried again after the next one.
func (j *Journal) retire(old *generation) {
	if old != nil {
		_ = old.close()
	}
	j.mu.Lock()
	var damaged []uint64
	for g := range j.damaged {
		damaged = append(damaged, g)
	}
	j.mu.Unlock()
	for _, g := range damaged {
		name := j.path(generationName(g))
		if j.fs.Rename(name, name+damagedSuffix) == nil {
			j.mu.Lock()
			delete(j.damaged, g)
			j.mu.Unlock()
		}
	}
	if len(damaged) > 0 {
		_ = j.fs.SyncDir(j.dir)
	}
	j.prune()
}

// prune removes the oldest generations, and what was cut from them, until the rest fits the budget.
// What damage left is never removed, and not counted: it can't be had again. Nothing at all is
// removed while the current generation is damaged.
func (j *Journal) prune() {
	j.mu.Lock()
	current := j.nextNumber
	if j.current != nil {
		current = j.current.number
	}
	damaged := len(j.damaged) > 0
	j.mu.Unlock()
	files, err := list(j.fs, j.dir)
	if err != nil {
		return
	}
	var budgeted, kept int64
	for _, f := range files {
		switch {
		case f.generation >= current:
		case f.rest == damagedSuffix:
			kept += f.size
		default:
			budgeted += f.size
		}
	}
	for _, f := range files {
		if damaged || budgeted <= max(j.opts.HistoryBytes, 0) || f.generation >= current {
			break
		}
		old := f.rest == "" || strings.HasPrefix(f.rest, tailInfix)
		if old && j.fs.Remove(j.path(f.name)) == nil {
			budgeted -= f.size
		}
	}
	j.mu.Lock()
	j.history = budgeted + kept
	j.mu.Unlock()
}
