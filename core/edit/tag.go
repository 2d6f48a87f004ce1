package edit

import (
	"fmt"
	"path"
	"strings"

	"apex/core"
	"apex/core/text"
)

// The commands that tags begin with, after acme. A tag's text is static: whether its window is
// dirty is for the UI to show, so that it costs no entry.
const (
	ColumnTagText = "New Newcol Delcol Sort "
	TopRowText    = "Newcol Putall Detach End "
)

// TagText is the text of a window's tag: the name, and commands that fit the kind of its body.
func TagText(name string, kind core.BufferKind) string {
	commands := "Del Snarf | Look "
	switch kind {
	case core.BufferFile:
		commands = "Del Snarf Get Undo Put | Look "
	case core.BufferDir:
		commands = "Del Snarf Get | Look "
	}
	return quoteName(name) + " " + commands
}

// TermTagText is the text of the tag of a window on a terminal.
func TermTagText(name string) string { return quoteName(name) + " Del | Look Clear Kill " }

// TagName is the name in a tag's text: what comes before the first blank, or what stands between
// quotes.
func TagName(tag string) string {
	name, _ := cutName(tag)
	return name
}

// cutName returns the name and how many bytes of the tag it takes.
func cutName(tag string) (name string, n int) {
	if !strings.HasPrefix(tag, `"`) {
		n = strings.IndexAny(tag, " \t\n")
		if n < 0 {
			n = len(tag)
		}
		return tag[:n], n
	}
	var out strings.Builder
	for i := 1; i < len(tag); i++ {
		switch c := tag[i]; {
		case c == '"':
			return out.String(), i + 1
		case c == '\\' && i+1 < len(tag):
			i++
			out.WriteByte(unescape(tag[i]))
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), len(tag)
}

// quoteName puts a name that would not end at its first blank in quotes.
func quoteName(name string) string {
	if !strings.ContainsAny(name, " \t\n\"") {
		return name
	}
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
	return `"` + r.Replace(name) + `"`
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	}
	return c
}

// retag puts a name in a window's tag, if the tag is known and led here; a tag that is not says
// the old name until somebody edits it.
func (e *evaluation) retag(w core.WindowID, name string) {
	win := e.Window(w)
	if win == nil || !e.Leads(win.Tag.Shard()) {
		return
	}
	tag := e.Buffer(win.Tag)
	if tag == nil || tag.Loading {
		return
	}
	old, n := cutName(tag.Text.String())
	if old == name {
		return
	}
	r := replace(tag.Text, tag.Version, 0, []core.Span{
		{Q1: tag.Text.RuneOffset(n), Text: quoteName(name)},
	})
	e.Add(win.Tag.Shard(), r.ops...)
}

// renameByTag renames the body of the window whose tag now has a text, if the name in it is
// another one and the body is led here.
func (e *evaluation) renameByTag(tag core.BufferID, now text.Text) {
	for _, v := range e.Buffer(tag).Views() {
		id, ok := v.View.Window()
		if !ok || v.View.Kind != core.ViewTag {
			continue
		}
		join(&e.Bundle, renameTo(e.Session, id, now.String()))
	}
}

// SyncName returns the bundle that gives a window's body the name that its tag says; empty if it
// has it. Typing in a tag renames nothing by itself, or every key would: a UI calls it when the
// caret leaves the tag, and the commands that use the name do.
func SyncName(s core.Session, id core.WindowID) core.Bundle {
	w := s.Window(id)
	if w == nil || s.Buffer(w.Tag) == nil {
		return core.Bundle{}
	}
	return renameTo(s, id, s.Buffer(w.Tag).Text.String())
}

// renameTo returns the bundle that gives a window's body the name in a tag's text.
func renameTo(s core.Session, id core.WindowID, tag string) core.Bundle {
	var out core.Bundle
	w := s.Window(id)
	if w == nil {
		return out
	}
	b := s.Buffer(w.Body)
	name := TagName(tag)
	if b == nil || name == "" || !s.Leads(w.Body.Shard()) {
		return out
	}
	if b.Kind == core.BufferFile || b.Kind == core.BufferDir {
		name = inDir(sessionDir(s), name)
	}
	if name != b.Name && len(name) <= core.MaxNameBytes {
		out.Add(w.Body.Shard(), core.Of(&core.Rename{Name: name}))
	}
	return out
}

// sessionDir is the directory that relative names of the session are in.
func sessionDir(s core.Session) string {
	if m := s.Meta(); m != nil && m.Dir != "" {
		return m.Dir
	}
	return "/"
}

// inDir returns name, or if it is relative, where it is in dir. A last slash, which says that
// the name is a directory's, stays.
func inDir(dir, name string) string {
	if path.IsAbs(name) {
		return name
	}
	full := path.Join(dir, name)
	if strings.HasSuffix(name, "/") && full != "/" {
		full += "/"
	}
	return full
}

// Dir is the directory that relative names executed or looked up in a view are in: where the
// window's file is, else the session's. A terminal's own, if it told one, goes before it.
func Dir(s core.Session, v core.View) string {
	id, ok := v.Window()
	if !ok || s.Window(id) == nil {
		return sessionDir(s)
	}
	return BufferDir(s, s.Buffer(s.Window(id).Body))
}

// BufferDir is the Dir of a window that shows the buffer; of nil the session's.
func BufferDir(s core.Session, b *core.Buffer) string {
	if b == nil || !path.IsAbs(b.Name) {
		return sessionDir(s)
	}
	if b.Kind == core.BufferDir || strings.HasSuffix(b.Name, "/") {
		return path.Clean(b.Name)
	}
	return path.Dir(b.Name)
}

func writef(w *strings.Builder, format string, args ...any) { fmt.Fprintf(w, format, args...) }
