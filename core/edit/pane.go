package edit

import (
	"apex/core"
)

// BufferOf returns the buffer that a view shows.
func BufferOf(s core.Session, v core.View) (core.BufferID, error) {
	switch v.Kind {
	case core.ViewBody, core.ViewTag:
		id, _ := v.Window()
		w, err := window(s, id)
		if err != nil {
			return 0, err
		}
		if v.Kind == core.ViewTag {
			return w.Tag, nil
		}
		return w.Body, nil
	case core.ViewColumn:
		return core.BufferID(v.ID), nil
	case core.ViewTop:
		l, err := layout(s)
		if err != nil {
			return 0, err
		}
		return l.Top, nil
	}
	return 0, badf("view %v shows nothing", v)
}

// pane is a text under a view, as keys and commands work on it.
type pane struct {
	view core.View
	id   core.BufferID
	*core.Buffer
	q0, q1 int // the dot
}

// paneOf returns a text that may be changed, with the dot that a view has on it.
func paneOf(s core.Session, v core.View) (pane, error) {
	id, err := BufferOf(s, v)
	if err != nil {
		return pane{}, err
	}
	b, err := editable(s, id)
	if err != nil {
		return pane{}, err
	}
	st, ok := b.View(v)
	if !ok {
		return pane{}, core.Errorf(core.CodeUnavailable, "buffer %v has no view %v yet", id, v)
	}
	return pane{v, id, b, st.Q0, st.Q1}, nil
}

// settings returns how the pane's window shows its text.
func (p *pane) settings(s core.Session) core.Settings {
	if id, ok := p.view.Window(); ok && s.Window(id) != nil {
		return s.Window(id).Settings
	}
	return core.Settings{TabWidth: core.DefaultTabWidth, NoIndent: true}
}
