package entry

import "apex/core"

type bufferNewFields struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Loading bool   `json:"loading"`
	Text
}

func bufferNew(o *core.BufferNew) any {
	return bufferNewFields{Kind(o.Kind), o.Name, o.Loading, TextOf(o.Text)}
}

type loadedFields struct {
	Hash string `json:"hash"`
}

type editFields struct {
	Version uint64 `json:"version"`
	Q0      int    `json:"q0"`
	Q1      int    `json:"q1"`
	Group   uint64 `json:"group"`
	Text
}

func edit(o *core.Op) any {
	return editFields{uint64(o.Version), o.Q0, o.Q1, uint64(o.Group), TextOf(o.Text)}
}

type undoFields struct {
	Version uint64       `json:"version"`
	Redo    bool         `json:"redo"`
	Target  uint64       `json:"target"`
	Edits   []spanFields `json:"edits"`
}

type spanFields struct {
	Q0 int `json:"q0"`
	Q1 int `json:"q1"`
	Text
}

func undo(o *core.Undo) any {
	return undoFields{uint64(o.Version), o.Redo, uint64(o.Target), spansOf(o.Edits)}
}

func spansOf(spans []core.Span) []spanFields {
	out := []spanFields{}
	for _, e := range spans {
		out = append(out, spanFields{e.Q0, e.Q1, TextOf(e.Text)})
	}
	return out
}

type cleanFields struct {
	Version uint64 `json:"version"`
	Disk    string `json:"disk"`
	Bytes   int    `json:"bytes"`
}

type staleFields struct {
	Disk string `json:"disk"`
}

type diskChangedFields struct {
	Disk    *string `json:"disk"` // null: there is no file
	Missing bool    `json:"missing"`
}

type mergedFields struct {
	Version uint64       `json:"version"`
	Disk    string       `json:"disk"`
	Bytes   int          `json:"bytes"`
	Apart   []spanFields `json:"apart"`
}

type nameFields struct {
	Name string `json:"name"`
}

type viewFields struct {
	View string `json:"view"`
}

type viewAddFields struct {
	View   string `json:"view"`
	Q0     int    `json:"q0"`
	Q1     int    `json:"q1"`
	Origin int    `json:"origin"`
}

type selectFields struct {
	View string `json:"view"`
	Q0   int    `json:"q0"`
	Q1   int    `json:"q1"`
}

type originFields struct {
	View string `json:"view"`
	Q0   int    `json:"q0"`
}

type markFields struct {
	Name string `json:"name"`
	Q0   int    `json:"q0"`
	Q1   int    `json:"q1"`
}
