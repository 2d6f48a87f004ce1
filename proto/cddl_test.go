package proto

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"

	"github.com/fxamacker/cbor/v2"
)

// The part of CDDL (RFC 8610) that apex.cddl uses: literals, names, choices of types and groups,
// arrays, maps with integer keys, occurrences, .size and .cbor.

// schema is a parsed file: its rules by name, and the order that they stand in.
type schema struct {
	rules map[string]*group
	order []string
}

// group is a choice of sequences of entries; a type is a group of one entry.
type group struct{ alternatives [][]entry }

// entry is one place in a group. lits and names are its type's alternatives.
type entry struct {
	min, max int
	key      any // uint64 in maps; nil in arrays, where a key is for the reader
	types    []cddlType
}

// cddlType is one alternative of a type.
type cddlType struct {
	name    string // of a rule or of the prelude
	literal any    // uint64 or string
	kind    byte   // '[', '{' or '(' around inner
	inner   *group
	control string // .size or .cbor
	size    uint64
	nested  string
}

var prelude = map[string]func(any) bool{
	"uint": func(v any) bool { _, ok := v.(uint64); return ok },
	"bstr": func(v any) bool { _, ok := v.([]byte); return ok },
	"tstr": func(v any) bool { _, ok := v.(string); return ok },
	"bool": func(v any) bool { _, ok := v.(bool); return ok },
	"null": func(v any) bool { return v == nil },
}

var cddlToken = regexp.MustCompile(
	`\s+|;[^\n]*|"[^"]*"|\.(?:size|cbor)|[A-Za-z][\w-]*|\d+|//|[=/\[\]{}(),:?*+]`)

type cddlParser struct {
	tokens []string
	at     int
}

// parseCDDL panics with the place of what it can't read.
func parseCDDL(text string) *schema {
	p := &cddlParser{}
	for off := 0; off < len(text); {
		m := cddlToken.FindStringIndex(text[off:])
		if m == nil || m[0] != 0 {
			panic(fmt.Sprintf("cddl: %.20q", text[off:]))
		}
		if tok := text[off : off+m[1]]; tok[0] != ';' && len(bytes.TrimSpace([]byte(tok))) > 0 {
			p.tokens = append(p.tokens, tok)
		}
		off += m[1]
	}
	s := &schema{rules: map[string]*group{}}
	for p.at < len(p.tokens) {
		name := p.next()
		p.want("=")
		if s.rules[name] != nil {
			panic("cddl: rule " + name + " twice")
		}
		s.rules[name] = &group{[][]entry{{p.entry()}}}
		s.order = append(s.order, name)
	}
	return s
}

func (p *cddlParser) peek(n int) string {
	if p.at+n < len(p.tokens) {
		return p.tokens[p.at+n]
	}
	return ""
}

func (p *cddlParser) next() string { p.at++; return p.tokens[p.at-1] }

func (p *cddlParser) want(tok string) {
	if got := p.next(); got != tok {
		panic(fmt.Sprintf("cddl: got %q, want %q, near %q", got, tok, p.tokens[max(0, p.at-6):p.at]))
	}
}

func (p *cddlParser) group(end string) *group {
	g := &group{[][]entry{nil}}
	for {
		switch p.peek(0) {
		case end:
			p.at++
			return g
		case ",":
			p.at++
		case "//":
			p.at++
			g.alternatives = append(g.alternatives, nil)
		default:
			last := len(g.alternatives) - 1
			g.alternatives[last] = append(g.alternatives[last], p.entry())
		}
	}
}

func (p *cddlParser) entry() entry {
	e := entry{min: 1, max: 1}
	const many = 1 << 30
	switch p.peek(0) {
	case "?":
		e.min, p.at = 0, p.at+1
	case "*":
		e.min, e.max, p.at = 0, many, p.at+1
	case "+":
		e.max, p.at = many, p.at+1
	}
	if p.peek(1) == ":" {
		if n, err := strconv.ParseUint(p.peek(0), 10, 64); err == nil {
			e.key = n
		}
		p.at += 2
	}
	for {
		e.types = append(e.types, p.oneType())
		if p.peek(0) != "/" {
			return e
		}
		p.at++
	}
}

func (p *cddlParser) oneType() cddlType {
	tok := p.next()
	var t cddlType
	switch c := tok[0]; {
	case c == '[':
		t = cddlType{kind: c, inner: p.group("]")}
	case c == '{':
		t = cddlType{kind: c, inner: p.group("}")}
	case c == '(':
		t = cddlType{kind: c, inner: p.group(")")}
	case c == '"':
		t = cddlType{literal: tok[1 : len(tok)-1]}
	case c >= '0' && c <= '9':
		n, _ := strconv.ParseUint(tok, 10, 64)
		t = cddlType{literal: n}
	default:
		t = cddlType{name: tok}
	}
	if t.control = p.peek(0); t.control != ".size" && t.control != ".cbor" {
		t.control = ""
		return t
	}
	p.at++
	t.nested = p.next()
	t.size, _ = strconv.ParseUint(t.nested, 10, 64)
	return t
}

// names calls f with every name that g uses.
func (g *group) names(f func(string)) {
	for _, alt := range g.alternatives {
		for _, e := range alt {
			for _, t := range e.types {
				if t.name != "" {
					f(t.name)
				}
				if t.control == ".cbor" {
					f(t.nested)
				}
				if t.inner != nil {
					t.inner.names(f)
				}
			}
		}
	}
}

// matches reports whether the rule describes the one CBOR item.
func (s *schema) matches(rule string, item []byte) bool {
	var v any
	if err := decMode.Unmarshal(item, &v); err != nil {
		return false
	}
	return s.value(cddlType{name: rule}, v)
}

func (s *schema) value(t cddlType, v any) bool {
	switch t.control {
	case ".size":
		b, ok := v.([]byte)
		return ok && uint64(len(b)) == t.size
	case ".cbor":
		b, ok := v.([]byte)
		return ok && cbor.Wellformed(b) == nil && s.matches(t.nested, b)
	}
	switch t.kind {
	case '[':
		items, ok := v.([]any)
		return ok && s.seq(t.inner, items, func(rest []any) bool { return len(rest) == 0 })
	case '{':
		m, ok := v.(map[any]any)
		return ok && s.pairs(t.inner.alternatives[0], m)
	case '(':
		return s.seq(t.inner, []any{v}, func(rest []any) bool { return len(rest) == 0 })
	}
	if t.literal != nil {
		return t.literal == v
	}
	if basic := prelude[t.name]; basic != nil {
		return basic(v)
	}
	for _, u := range s.rules[t.name].alternatives[0][0].types {
		if s.value(u, v) {
			return true
		}
	}
	return false
}

func (s *schema) pairs(entries []entry, m map[any]any) bool {
	found := 0
	for _, e := range entries {
		v, ok := m[e.key]
		if !ok {
			if e.min > 0 {
				return false
			}
			continue
		}
		found++
		if !s.seq(&group{[][]entry{{{min: 1, max: 1, types: e.types}}}}, []any{v},
			func(rest []any) bool { return len(rest) == 0 }) {
			return false
		}
	}
	return found == len(m)
}

// seq matches a prefix of items to g and goes on with what is left.
func (s *schema) seq(g *group, items []any, then func([]any) bool) bool {
	for _, alt := range g.alternatives {
		if s.entries(alt, items, then) {
			return true
		}
	}
	return false
}

func (s *schema) entries(es []entry, items []any, then func([]any) bool) bool {
	if len(es) == 0 {
		return then(items)
	}
	return s.repeat(es[0], 0, items, func(rest []any) bool { return s.entries(es[1:], rest, then) })
}

func (s *schema) repeat(e entry, n int, items []any, then func([]any) bool) bool {
	if n < e.max {
		again := func(rest []any) bool {
			return (len(rest) < len(items) || n+1 >= e.min) && s.repeat(e, n+1, rest, then)
		}
		for _, t := range e.types {
			if g := s.asGroup(t); g != nil {
				if s.seq(g, items, again) {
					return true
				}
			} else if len(items) > 0 && s.value(t, items[0]) && again(items[1:]) {
				return true
			}
		}
	}
	return n >= e.min && then(items)
}

// asGroup returns the group that a name or parentheses stand for, or nil for a type.
func (s *schema) asGroup(t cddlType) *group {
	if t.kind == '(' {
		return t.inner
	}
	if g := s.rules[t.name]; g != nil {
		if types := g.alternatives[0][0].types; len(types) == 1 && types[0].kind == '(' {
			return types[0].inner
		}
	}
	return nil
}
