package edit

import (
	"strings"
	"testing"

	"apex/core/text"
)

// mark reads a text in which | is where the click is.
func clickIn(t *testing.T, s string) (text.Text, int) {
	t.Helper()
	before, after, ok := strings.Cut(s, "|")
	if !ok {
		t.Fatalf("no | in %q", s)
	}
	return text.FromString(before + after), text.FromString(before).Runes()
}

func TestDoubleClick(t *testing.T) {
	tests := []struct{ click, want string }{
		{"one tw|o three", "two"},
		{"|one two", "one"},
		{"one two|", "two"},
		{"a_1你|é b", "a_1你é"},
		{"one  | two", ""},
		{"f(|a, (b))", "a, (b)"},
		{"f(a, (b)|)", "a, (b)"},
		{"{|a\nb}", "a\nb"},
		{"x = \"|a b\" y", "a b"},
		{"x = \"a b|\" y", "a b"},
		{"don|'t", "don"},
		{"open (| only", ""},
		{"if a <| b", ""},
		{"\n|\nx", "\n"},
		{"|+ a\nb", "+ a\n"},
		{"a +|\nb", "a +\n"},
		{"a\n|", ""},
		{"|", ""},
	}
	for _, c := range tests {
		tx, q := clickIn(t, c.click)
		q0, q1 := DoubleClick(tx, q)
		if got := tx.Substring(q0, q1); got != c.want {
			t.Errorf("%q: %q, want %q", c.click, got, c.want)
		}
	}
}

func TestBracket(t *testing.T) {
	tests := []struct {
		click string
		want  int
	}{
		{"|(a(b))", 5}, {"(|a(b))", 5}, {"(a(b)|)", 0}, {"(a(b))|", 0}, {"(a|b)", -1}, {"(|", -1},
	}
	for _, c := range tests {
		tx, q := clickIn(t, c.click)
		got, ok := Bracket(tx, q)
		if ok != (c.want >= 0) || ok && got != c.want {
			t.Errorf("%q: %d %v, want %d", c.click, got, ok, c.want)
		}
	}
}

func TestRefAt(t *testing.T) {
	tests := []struct{ click, name, addr, all string }{
		{"see core/op|.go for it", "core/op.go", "", "core/op.go"},
		{"core/op.go:1|2: undefined", "core/op.go", "12", "core/op.go:12"},
		{"core/|op.go:12:5: undefined", "core/op.go", "12-#0+#4", "core/op.go:12:5"},
		{"(|op.go:7)", "op.go", "7", "op.go:7"},
		{"op|.go:/func main/ x", "op.go", "/func main/", "op.go:/func main/"},
		{"op|.go:#12,#15 x", "op.go", "#12,#15", "op.go:#12,#15"},
		{"op|.go:3,$ x", "op.go", "3,$", "op.go:3,$"},
		{"the end of op.g|o.", "op.go", "", "op.go"},
		{"the end: op.g|o: it", "op.go", "", "op.go"},
		{"a  |  b", "", "", ""},
		{"/usr/inc|lude", "/usr/include", "", "/usr/include"},
		{"word|", "word", "", "word"},
	}
	for _, c := range tests {
		tx, q := clickIn(t, c.click)
		r := RefAt(tx, q, 0, 0)
		if r.Name != c.name || r.Addr != c.addr || r.Text(tx) != c.all {
			t.Errorf("%q: %q %q %q, want %q %q %q", c.click, r.Name, r.Addr, r.Text(tx), c.name,
				c.addr, c.all)
		}
	}
	tx := text.FromString("a name with blanks.txt here")
	if r := RefAt(tx, 5, 2, 22); r.Name != "name with blanks.txt" {
		t.Errorf("in the dot: %q", r.Name)
	}
}

func TestCommandAt(t *testing.T) {
	tx := text.FromString("name Del |fmt Look x")
	for _, c := range []struct {
		q, dot0, dot1 int
		want          string
	}{
		{6, 0, 0, "Del"}, {10, 0, 0, "|fmt"}, {16, 14, 20, "Look x"}, {6, 14, 20, "Del"},
	} {
		q0, q1 := CommandAt(tx, c.q, c.dot0, c.dot1)
		if got := tx.Substring(q0, q1); got != c.want {
			t.Errorf("at %d: %q, want %q", c.q, got, c.want)
		}
	}
}
