package edit

import (
	"apex/core"
)

// Cut returns the bundle that moves a view's dot into the snarf buffer.
func Cut(s core.Session, by core.Author, v core.View) (core.Bundle, error) {
	return onPane(s, by, v, (*evaluation).cut)
}

// Snarf returns the bundle that copies a view's dot into the snarf buffer.
func Snarf(s core.Session, by core.Author, v core.View) (core.Bundle, error) {
	return onPane(s, by, v, (*evaluation).snarf)
}

// PasteSnarf returns the bundle that replaces a view's dot by the snarf buffer and selects it.
func PasteSnarf(s core.Session, by core.Author, v core.View) (core.Bundle, error) {
	return onPane(s, by, v, func(e *evaluation, p *pane) error {
		l, err := layout(s)
		if err == nil {
			e.put(p, l.Snarf)
		}
		return err
	})
}

// Undo returns the bundle that takes back the author's last step in a view's text, or with redo
// brings back the last that was taken back, and selects what changed.
func Undo(s core.Session, by core.Author, v core.View, redo bool) (core.Bundle, error) {
	return onPane(s, by, v, func(e *evaluation, p *pane) error {
		ops, err := undoOps(p, by, redo, false)
		if err == nil {
			e.Add(p.id.Shard(), ops...)
		}
		return err
	})
}

func onPane(
	s core.Session, by core.Author, v core.View, do func(*evaluation, *pane) error,
) (core.Bundle, error) {
	p, err := paneOf(s, v)
	if err != nil {
		return core.Bundle{}, err
	}
	e := &evaluation{Session: s, author: by}
	e.Author = by
	if err := do(e, &p); err != nil {
		return core.Bundle{}, err
	}
	return checked(s, e.Bundle)
}
