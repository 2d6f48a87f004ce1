package proto

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"apex/core"
)

func readSchema(t testing.TB) *schema {
	t.Helper()
	text, err := os.ReadFile("apex.cddl")
	if err != nil {
		t.Fatal(err)
	}
	return parseCDDL(string(text))
}

// Every rule is defined once and used, and every message has one that begins with its number.
func TestSchemaIsWhole(t *testing.T) {
	s := readSchema(t)
	used := map[string]bool{"frame": true}
	for _, name := range s.order {
		s.rules[name].names(func(n string) {
			used[n] = true
			if s.rules[n] == nil && prelude[n] == nil {
				t.Errorf("rule %s names %s, which is not defined", name, n)
			}
		})
	}
	for _, name := range s.order {
		if !used[name] {
			t.Errorf("rule %s is not used", name)
		}
	}
	for _, k := range Kinds() {
		g := s.rules[k.Name]
		if g == nil {
			t.Errorf("%s has no rule", k.Name)
			continue
		}
		array := g.alternatives[0][0].types[0]
		if first := array.inner.alternatives[0][0].types[0].literal; first != uint64(k.Number) {
			t.Errorf("rule %s begins with %v, want %d", k.Name, first, k.Number)
		}
	}
}

// Every frame that there is a sample of is what the schema says, and what the rule of its own
// says.
func TestSamplesMatchSchema(t *testing.T) {
	s := readSchema(t)
	for _, m := range samples() {
		item := frameOf(t, m.message)[headBytes:]
		rule, _, _ := strings.Cut(m.name, " ")
		if !s.matches("frame", item) || !s.matches(rule, item) {
			t.Errorf("%s does not match the schema: %x", m.name, item)
		}
	}
}

// The checker itself refuses what differs in one place.
func TestSchemaRefuses(t *testing.T) {
	s := readSchema(t)
	for _, m := range []struct{ name, rule, item string }{
		{"one item more", "bye", "\x82\x08\x00"},
		{"another number", "bye", "\x81\x09"},
		{"bool for uint", "session-list", "\x83\x18\x21\xf4\xa0"},
		{"unknown key", "ping", "\x83\x18\x31\x00\xa1\x01\x00"},
		{"number in an ephemeral message", "here", "\x86\x09\x01\x01\x00\x00\x00"},
		{"shard kind 8", "release", "\x82\x05\x81\x82\x08\x00"},
		{"hash of 2 bytes", "stale-op", "\x82\x18\x56\x42ab"},
		{"no batch", "deliver", "\x82\x0a\x80"},
		{"batch that is not one", "deliver", "\x82\x0a\x81\x41\x00"},
		{"text for bytes", "load-op", "\x82\x18\x51\x61a"},
	} {
		if s.matches(m.rule, []byte(m.item)) {
			t.Errorf("%s: %s matches %x", m.name, m.rule, m.item)
		}
	}
}

// Every message of the table has a sample, and so has every op that core defines.
func TestSamplesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range samples() {
		name, _, _ := strings.Cut(m.name, " ")
		seen[name] = true
	}
	for _, k := range Kinds() {
		if !seen[k.Name] {
			t.Errorf("%s has no sample", k.Name)
		}
	}
	ops := map[core.OpKind]bool{core.OpInvalid: true}
	for _, b := range append(opSamples(), lateOpSamples()...) {
		for _, o := range b.Ops {
			ops[o.Kind] = true
		}
	}
	for name, n := range constants(t, "../core/op.go", "Op") {
		if !ops[core.OpKind(n)] {
			t.Errorf("core.%s (%d) has no sample and perhaps no rule in apex.cddl", name, n)
		}
	}
}

// constants reads the integer constants of a Go file whose names begin with prefix.
func constants(t *testing.T, file, prefix string) map[string]int {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(v.Names[0].Name, prefix) || len(v.Values) != 1 {
			return true
		}
		if lit, ok := v.Values[0].(*ast.BasicLit); ok {
			out[v.Names[0].Name], _ = strconv.Atoi(lit.Value)
		}
		return true
	})
	if len(out) == 0 {
		t.Fatalf("%s has no constants %s...", file, prefix)
	}
	return out
}
