package edit

import (
	"apex/core"
)

// undo evaluates AskUndo.
func (e *evaluation) undo(a *core.AskUndo) (core.Result, error) {
	b, err := buffer(e.Session, a.Buffer)
	if err != nil {
		return core.Result{}, err
	}
	u, err := b.PlanUndo(e.author.Actor, a.Redo, a.All)
	if err != nil {
		return core.Result{}, err
	}
	e.Add(a.Buffer.Shard(), core.Of(u))
	if b.Kind == core.BufferTag {
		e.renameByTag(a.Buffer, afterUndo(b, u))
	}
	return core.Result{Version: b.Version + 1}, nil
}

// clean evaluates AskClean. An older version than the one known to be on disk changes nothing, and
// neither does a file that is no longer the buffer's.
func (e *evaluation) clean(a *core.AskClean) (core.Result, error) {
	b, err := editable(e.Session, a.Buffer)
	if err != nil {
		return core.Result{}, err
	}
	if a.Version > b.Version {
		return core.Result{}, badf("clean at version %d, the buffer is at %d", a.Version, b.Version)
	}
	res := core.Result{Version: b.Version}
	if renamed(b, a.Disk.Name) || b.OnDisk && a.Version < b.CleanVersion {
		res.Outcome = core.Superseded
		return res, nil
	}
	e.Add(a.Buffer.Shard(), cleanOp(a.Version, a.Disk))
	return res, nil
}

// renamed reports whether a buffer that meant a file under a name means another one by now.
func renamed(b *core.Buffer, name string) bool { return name != "" && name != b.Name }

func cleanOp(v core.Version, d core.DiskState) core.Op {
	if len(d.Apart) > 0 {
		return core.Of(&core.Merged{Version: v, Disk: d.Hash, Bytes: d.Bytes, Apart: d.Apart})
	}
	return core.Of(&core.Clean{Version: v, Disk: d.Hash, Bytes: d.Bytes})
}

// stale evaluates AskStale. What is on disk may be what the buffer was read from after all, or may
// be that again.
func (e *evaluation) stale(a *core.AskStale) (core.Result, error) {
	b, err := editable(e.Session, a.Buffer)
	if err != nil {
		return core.Result{}, err
	}
	res := core.Result{Version: b.Version}
	if renamed(b, a.Name) {
		res.Outcome = core.Superseded
		return res, nil
	}
	if op, news := diskOp(b, a); news {
		e.Add(a.Buffer.Shard(), op)
	}
	return res, nil
}

// diskOp is what is to be recorded of what the disk holds; not news if that is known.
func diskOp(b *core.Buffer, a *core.AskStale) (op core.Op, news bool) {
	if b.OnDisk && b.Disk == a.Disk && !a.Missing {
		disk := core.DiskState{Hash: b.Disk, Bytes: b.DiskBytes, Apart: b.Apart}
		return cleanOp(b.CleanVersion, disk), b.Stale || b.Missing
	}
	known := b.Stale && b.StaleDisk == a.Disk
	switch {
	case a.Missing:
		return core.Of(&core.DiskChanged{Missing: true}), !b.Missing && (b.OnDisk || b.Stale)
	case a.Seen:
		return core.Of(&core.DiskChanged{Disk: a.Disk}), !known
	}
	return core.Of(&core.Stale{Disk: a.Disk}), !known || !b.Warned
}

// rename evaluates AskRename: the tags of the windows that show the buffer say the name too.
func (e *evaluation) rename(a *core.AskRename) (core.Result, error) {
	b, err := buffer(e.Session, a.Buffer)
	if err != nil {
		return core.Result{}, err
	}
	if len(a.Name) > core.MaxNameBytes {
		return core.Result{}, badf("name of %d bytes, at most %d", len(a.Name), core.MaxNameBytes)
	}
	res := core.Result{Version: b.Version}
	if a.Name == b.Name {
		return res, nil
	}
	e.Add(a.Buffer.Shard(), core.Of(&core.Rename{Name: a.Name}))
	for _, w := range windowsOn(e.Session, a.Buffer) {
		e.retag(w, a.Name)
	}
	return res, nil
}

// selectDot evaluates AskSelect. A window's view that the buffer does not have yet is added: a
// window is made by who leads the layout, its views by who leads the buffers.
func (e *evaluation) selectDot(a *core.AskSelect) (core.Result, error) {
	b, err := editable(e.Session, a.Buffer)
	if err != nil {
		return core.Result{}, err
	}
	if n := b.Text.Runes(); a.Q0 < 0 || a.Q1 < a.Q0 || a.Q1 > n {
		return core.Result{}, badf("dot %d,%d in a text of %d runes", a.Q0, a.Q1, n)
	}
	res := core.Result{Version: b.Version}
	v, ok := b.View(a.View)
	switch {
	case ok && (v.Q0 != a.Q0 || v.Q1 != a.Q1):
		e.Add(a.Buffer.Shard(), core.Select(a.View, a.Q0, a.Q1))
	case !ok && e.shows(a.View, a.Buffer):
		e.Add(a.Buffer.Shard(), core.Of(&core.ViewAdd{View: a.View, Q0: a.Q0, Q1: a.Q1}))
	case !ok:
		return core.Result{}, core.Errorf(core.CodeNotFound, "no view %v on buffer %v", a.View,
			a.Buffer)
	}
	if at := ShowAt(b, v.Origin, a.Q0); a.Show && at != v.Origin {
		e.Add(a.Buffer.Shard(), core.Origin(a.View, at))
	}
	return res, nil
}

// shows reports whether a window shows the buffer in a view.
func (e *evaluation) shows(v core.View, id core.BufferID) bool {
	w, ok := v.Window()
	if !ok || e.Window(w) == nil {
		return false
	}
	if v.Kind == core.ViewTag {
		return e.Window(w).Tag == id
	}
	return e.Window(w).Body == id
}

// Lines around a dot that is scrolled into sight. How many lines a view shows is not known here:
// a dot within showLines of the origin is in sight of most, and a UI corrects what is left.
const (
	showLines = 12
	showAbove = 3
)

// ShowAt returns the origin that shows rune q: origin itself if q is a few lines below it, else
// the beginning of a line a little above q.
func ShowAt(b *core.Buffer, origin, q int) int {
	line := b.Text.LineOf(q)
	if top := b.Text.LineOf(min(origin, b.Text.Runes())); q >= origin && line < top+showLines {
		return origin
	}
	return b.Text.LineStart(max(0, line-showAbove))
}
