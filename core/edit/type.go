package edit

import (
	"strings"
	"unicode/utf8"

	"apex/core"
	"apex/core/text"
)

// Type returns the bundle that replaces a view's dot by what was typed and puts the caret behind
// it. A newline becomes what most lines of the text end with, and copies the line's indentation
// where the window says so. Undo takes back a word with the blanks after it at a time: what is
// typed goes on in the undo group of what was typed right before the caret, until a word begins
// or a line ends.
func Type(s core.Session, by core.Author, v core.View, typed string) (core.Bundle, error) {
	p, err := paneOf(s, v)
	if err != nil {
		return core.Bundle{}, err
	}
	if len(typed) > maxTypedBytes || !utf8.ValidString(typed) {
		typed = strings.ReplaceAll(typed, "\n", lineEnd(p.Text, p.q0))
		return p.insert(s, by, typed)
	}
	k := keying{pane: &p, draft: p.Text.Edit(), version: p.Version, caret: p.q0,
		last: p.before(p.q0)}
	k.group = p.typedGroup(by)
	set := p.settings(s)
	for _, r := range typed {
		switch {
		case r != '\n':
			k.key(string(r), r)
		case set.NoIndent:
			k.key(lineEnd(p.Text, p.q0), r)
		default:
			k.key(lineEnd(p.Text, p.q0)+indentBefore(k.draft.Text(), k.caret), r)
		}
	}
	return k.bundle(s, by)
}

// maxTypedBytes is how much at once is still typing; more is a paste.
const maxTypedBytes = 1024

// keying is keys becoming Edits.
type keying struct {
	*pane
	draft   *text.Draft
	version core.Version
	caret   int
	last    rune // before the caret; 0 at the beginning
	group   core.Group
	ops     []core.Op
}

// key types s, for the rune r, in place of the dot if it is the first.
func (k *keying) key(s string, r rune) {
	q1 := k.caret
	if len(k.ops) == 0 {
		q1 = k.q1
	}
	if k.last == '\n' || classOf(k.last) == blank && classOf(r) != blank {
		k.group = 0
	}
	if k.group == 0 {
		k.group = core.Group(k.version) + 1
	}
	k.ops = append(k.ops, core.Edit(k.version, k.caret, q1, s, k.group))
	grew := k.draft.Replace(k.caret, q1, s)
	k.caret = min(max(0, q1+grew), k.draft.Runes())
	k.version++
	k.last = r
}

func (k *keying) bundle(s core.Session, by core.Author) (core.Bundle, error) {
	b := core.Bundle{Author: by}
	if len(k.ops) > 0 {
		b.Add(k.id.Shard(), append(k.ops, core.Select(k.view, k.caret, k.caret))...)
	}
	return checked(s, b)
}

// checked returns b if the session's reader may commit it.
func checked(s core.Session, b core.Bundle) (core.Bundle, error) {
	if err := checkBundle(s, &b); err != nil {
		return core.Bundle{}, err
	}
	return b, nil
}

// before returns the rune before q, 0 at the beginning.
func (p *pane) before(q int) rune {
	if q == 0 {
		return 0
	}
	r, _ := p.Text.RuneAt(q - 1)
	return r
}

// typedGroup returns the undo group that typing at the caret goes on in, 0 for a new one.
func (p *pane) typedGroup(by core.Author) core.Group {
	c, ok := p.Newest()
	if !ok || c.Kind != core.ChangeEdit || c.Actor != by.Actor || p.q0 != p.q1 {
		return 0
	}
	// One rune a version is what keys make.
	if c.NI != c.Run+1 || c.Q0+c.NI != p.q0 {
		return 0
	}
	return c.Group
}

// insert replaces the dot by a text as one undo step, the caret behind it.
func (p *pane) insert(s core.Session, by core.Author, typed string) (core.Bundle, error) {
	b := core.Bundle{Author: by}
	r := replace(p.Text, p.Version, 0, []core.Span{{Q0: p.q0, Q1: p.q1, Text: typed}})
	if len(r.ops) > 0 {
		b.Add(p.id.Shard(), append(r.ops, core.Select(p.view, r.q1, r.q1))...)
	}
	return checked(s, b)
}

// lineEndBytes is how much of a large text says what its lines end with: what is around the caret.
const lineEndBytes = 256 << 10

// lineEnd returns what most lines around rune q end with.
func lineEnd(t text.Text, q int) string {
	b0, b1 := 0, t.Bytes()
	if b1 > lineEndBytes {
		at := t.ByteOffset(q)
		b0, b1 = max(0, at-lineEndBytes/2), min(b1, at+lineEndBytes/2)
	}
	lf, crlf := 0, 0
	var last byte
	for c := range t.ChunksRange(b0, b1) {
		s := string(c)
		lf += strings.Count(s, "\n")
		crlf += strings.Count(s, "\r\n")
		if last == '\r' && s[0] == '\n' {
			crlf++
		}
		last = s[len(s)-1]
	}
	if crlf > lf-crlf {
		return "\r\n"
	}
	return "\n"
}

// indentBefore returns the blanks that q's line begins with, as far as they are before q.
func indentBefore(t text.Text, q int) string {
	start := LineStart(t, q)
	return t.Substring(start, start+textIndent(t, start, q))
}

// maxPasteBytes is how much of a paste goes in one bundle, so that a large one fits in frames.
const maxPasteBytes = 4 << 20

// Paste returns the bundles that replace a view's dot by a text of any size, byte for byte, and put
// the caret behind it. Together they are one undo step; they are committed in order, with nothing
// in between.
func Paste(s core.Session, by core.Author, v core.View, pasted string) ([]core.Bundle, error) {
	p, err := paneOf(s, v)
	if err != nil {
		return nil, err
	}
	if p.Text.Bytes()+len(pasted) > core.MaxTextBytes {
		return nil, core.Errorf(core.CodeTooLarge, "text beyond %d bytes", core.MaxTextBytes)
	}
	var out []core.Bundle
	t, version, q1 := p.Text, p.Version, p.q1
	group := core.Group(version) + 1
	for q := p.q0; pasted != "" || q < q1; {
		n := firstPart(pasted, maxPasteBytes)
		r := replace(t, version, group, []core.Span{{Q0: q, Q1: q1, Text: pasted[:n]}})
		b := core.Bundle{Author: by}
		b.Add(p.id.Shard(), append(r.ops, core.Select(v, r.q1, r.q1))...)
		if err := checkBundle(s, &b); err != nil {
			return nil, err
		}
		out = append(out, b)
		pasted = pasted[n:]
		t, version, q, q1 = r.text, r.version(version), r.q1, r.q1
	}
	return out, nil
}

// firstPart returns how many of the first n bytes of s end where a rune begins.
func firstPart(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for k := 0; k < utf8.UTFMax && !utf8.RuneStart(s[n]); k++ {
		n--
	}
	return n
}
