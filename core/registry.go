package core

import (
	"slices"

	"apex/core/codec"
)

// Entry is one session in the registry.
type Entry struct {
	Session SessionID
	Label   string
}

// Registry is the daemon's index of sessions, ordered by label.
type Registry struct {
	Sessions []Entry
}

// Find returns the session with a label.
func (r *Registry) Find(label string) (SessionID, bool) {
	i := slices.IndexFunc(r.Sessions, func(e Entry) bool { return e.Label == label })
	if i < 0 {
		return SessionID{}, false
	}
	return r.Sessions[i].Session, true
}

func (r *Registry) apply(b *Batch) (state, error) {
	n := &Registry{Sessions: slices.Clone(r.Sessions)}
	for i := range b.Ops {
		if err := n.applyOp(&b.Ops[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(n.Sessions, func(a, b Entry) int { return compareText(a.Label, b.Label) })
	return n, nil
}

func (r *Registry) applyOp(o *Op) error {
	switch o := o.Body.(type) {
	case *SessionNew:
		if r.index(o.Session) >= 0 {
			return Errorf(CodeExists, "session %v exists", o.Session)
		}
		if err := r.checkLabel(o.Label); err != nil {
			return err
		}
		r.Sessions = append(r.Sessions, Entry{o.Session, o.Label})
	case *SessionRename:
		i := r.index(o.Session)
		if i < 0 {
			return Errorf(CodeNotFound, "no session %v", o.Session)
		}
		if o.Label == r.Sessions[i].Label {
			return nil
		}
		if err := r.checkLabel(o.Label); err != nil {
			return err
		}
		r.Sessions[i].Label = o.Label
	case *SessionEnd:
		i := r.index(o.Session)
		if i < 0 {
			return Errorf(CodeNotFound, "no session %v", o.Session)
		}
		r.Sessions = slices.Delete(r.Sessions, i, i+1)
	}
	return nil
}

func (r *Registry) index(s SessionID) int {
	return slices.IndexFunc(r.Sessions, func(e Entry) bool { return e.Session == s })
}

func (r *Registry) checkLabel(label string) error {
	if err := CheckLabel(label); err != nil {
		return err
	}
	if _, taken := r.Find(label); taken {
		return Errorf(CodeExists, "session %q exists", label)
	}
	return nil
}

// CheckLabel refuses a label that is not 1 to 64 letters, digits, '-', '_' or '.'.
func CheckLabel(label string) error {
	ok := len(label) >= 1 && len(label) <= MaxLabelBytes
	for _, c := range []byte(label) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			c == '-' || c == '_' || c == '.')
	}
	if !ok {
		return badf("session label %q: want 1-%d letters, digits, '-', '_' or '.'", label, MaxLabelBytes)
	}
	return nil
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (e *Entry) fields(f *codec.Fields) {
	f.Fixed(e.Session[:])
	f.String(&e.Label)
}

func (r *Registry) fields(f *codec.Fields) {
	codec.List(f, &r.Sessions, func(f *codec.Fields, e *Entry) { e.fields(f) })
}

func (r *Registry) encode(e *encoder)      { e.fields(r.fields) }
func (*Registry) encodeHistory(e *encoder) {}

func readRegistry(c *codec.Cursor) *Registry {
	r := &Registry{}
	codec.ReadFields(c, r.fields)
	return r
}
