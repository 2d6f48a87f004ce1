package edit

import "apex/core"

// Evaluate is the core.Evaluator that the daemon and every UI run: it turns a proposal into the
// bundle that makes its change. Repeated intents and expected epochs are the caller's to check
// first; the rest of the outcome table is here. The Result's entries, epoch and, for edits, hash
// are the caller's to fill in: they are known when the bundle has been applied.
//
// A bundle needs the lease of every shard that it appends to; where one is led by somebody else,
// the answer is not_leader and nothing is changed.
func Evaluate(s core.Session, ids core.Minter, p *core.Proposal) (core.Bundle, core.Result) {
	if p.Ask == nil {
		return core.Bundle{}, core.Failed(badf("a proposal that asks for nothing"))
	}
	e := &evaluation{Session: s, ids: ids, author: p.Author, at: p.At}
	res, err := e.evaluate(p.Ask)
	if err != nil {
		return core.Bundle{}, core.Failed(err)
	}
	res.Shard = p.Ask.Target()
	if res.Outcome == "" {
		res.Outcome = core.Applied
	}
	if e.Empty() {
		return core.Bundle{}, res
	}
	e.mark(res.Shard)
	if err := checkBundle(s, &e.Bundle); err != nil {
		return core.Bundle{}, core.Failed(err)
	}
	e.Author, e.Intent, e.Target = p.Author, p.Intent, res.Shard
	return e.Bundle, res
}

// evaluation is a bundle in the making, and what it is made of.
type evaluation struct {
	core.Session
	core.Bundle
	ids    core.Minter
	author core.Author
	at     core.Millis // when the daemon got the proposal; 0: never
}

func (e *evaluation) evaluate(ask core.Ask) (core.Result, error) {
	switch a := ask.(type) {
	case *core.AskEdit:
		return e.edit(a)
	case *core.AskSet:
		return e.set(a)
	case *core.AskUndo:
		return e.undo(a)
	case *core.AskClean:
		return e.clean(a)
	case *core.AskStale:
		return e.stale(a)
	case *core.AskRename:
		return e.rename(a)
	case *core.AskSelect:
		return e.selectDot(a)
	case *core.AskWindow:
		return e.window(e.stamped(a))
	case *core.AskShow:
		return e.show(a)
	case *core.AskDelete:
		return e.remove(a)
	case *core.AskExec:
		return e.exec(a)
	case *core.AskStatus:
		return e.status(a)
	case *core.AskSnarf:
		return e.setSnarf(a)
	}
	return core.Result{}, badf("a proposal of an unknown kind %T", ask)
}

// mark sees to it that the target's shard has an entry, which carries the intent: where there is
// none, one that states again what is.
func (e *evaluation) mark(target core.Shard) {
	for _, p := range e.Parts {
		if p.Shard == target {
			return
		}
	}
	switch target.Kind {
	case core.KindLayout:
		e.Add(target, core.Of(&core.Focus{View: e.Layout().Focus}))
	case core.KindBuffer:
		e.Add(target, core.Of(&core.Rename{Name: e.Buffer(core.BufferID(target.ID)).Name}))
	case core.KindWindow:
		settings := e.Window(core.WindowID(target.ID)).Settings
		e.Add(target, core.Of(&settings))
	}
}

func (e *evaluation) newID() core.ID { return e.ids.NewID() }

// buffer returns a buffer that the caller knows.
func buffer(s core.Session, id core.BufferID) (*core.Buffer, error) {
	if b := s.Buffer(id); b != nil && b.Kind != core.BufferInvalid {
		return b, nil
	}
	if m := s.Meta(); m != nil && m.Has(id.Shard()) {
		return nil, core.Errorf(core.CodeUnavailable, "buffer %v is not known here yet", id)
	}
	return nil, core.Errorf(core.CodeNotFound, "no buffer %v", id)
}

// window returns a window that the caller knows.
func window(s core.Session, id core.WindowID) (*core.Window, error) {
	if w := s.Window(id); w != nil && w.Body != 0 && !w.Deleted {
		return w, nil
	}
	if m := s.Meta(); m != nil && m.Has(id.Shard()) {
		return nil, core.Errorf(core.CodeUnavailable, "window %v is not known here yet", id)
	}
	return nil, core.Errorf(core.CodeNotFound, "no window %v", id)
}

// layout returns the layout that the caller knows.
func layout(s core.Session) (*core.Layout, error) {
	if l := s.Layout(); l != nil {
		return l, nil
	}
	return nil, core.Errorf(core.CodeUnavailable, "the layout is not known here yet")
}

func badf(format string, args ...any) error {
	return core.Errorf(core.CodeBadRequest, format, args...)
}
