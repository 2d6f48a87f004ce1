package addr

import (
	"errors"
	"strings"
	"testing"

	"apex/core/text"
)

// sample has lines that begin at runes 0, 6, 17, 18 and 27, and 35 runes.
const sample = "alpha\nbeta gamma\n\ndelta 你好\nbeta end"

func evaluate(t *testing.T, s, addr string, dot Range) (Range, error) {
	t.Helper()
	a, err := Parse(addr)
	if err != nil {
		return Range{}, err
	}
	return a.Eval(text.FromString(s), dot)
}

func TestEval(t *testing.T) {
	t.Parallel()
	type R = Range
	mid := R{8, 10} // "ta" of the first beta
	for _, c := range []struct {
		addr string
		dot  R
		want R
	}{
		// Simple addresses.
		{"", mid, mid},
		{".", mid, mid},
		{"0", mid, R{0, 0}},
		{"1", mid, R{0, 6}},
		{"2", mid, R{6, 17}},
		{"3", mid, R{17, 18}},
		{"5", mid, R{27, 35}},
		{"$", mid, R{35, 35}},
		{"#0", mid, R{0, 0}},
		{"#7", mid, R{7, 7}},
		{"#", mid, R{1, 1}},
		{"#35", mid, R{35, 35}},
		{"/beta/", mid, R{27, 31}},
		{"?beta?", R{35, 35}, R{27, 31}},
		{"/你/", mid, R{24, 25}},

		// Defaults of , and ;.
		{",", mid, R{0, 35}},
		{";", mid, R{0, 35}},
		{",2", mid, R{0, 17}},
		{"2,", mid, R{6, 35}},
		{"2,3", mid, R{6, 18}},
		{"#3,#5", mid, R{3, 5}},
		{".,", mid, R{8, 35}},
		{",.", mid, R{0, 10}},
		{"1,2,3", mid, R{0, 18}},
		{"3,2", mid, R{17, 17}}, // the end of line 2 isn't before the beginning of line 3
		{"0,$", mid, R{0, 35}},
		{" 2 , 3 ", mid, R{6, 18}},

		// In a,b both are from dot; in a;b the second is from the first, which is dot for it.
		{"/beta/,/gamma/", R{0, 0}, R{6, 16}},
		{"/beta/,/beta/", R{0, 0}, R{6, 10}},
		{"/beta/;/beta/", R{0, 0}, R{6, 31}},
		{"#3,+#2", R{1, 1}, R{3, 3}},
		{"#3;+#2", R{1, 1}, R{3, 5}},
		{"2;.", R{0, 0}, R{6, 17}},
		{"1;+;+", R{0, 0}, R{0, 18}},

		// Lines forwards: what begins after a newline counts from the line before it.
		{"+", R{0, 0}, R{0, 6}},
		{"+", R{0, 6}, R{6, 17}},
		{"+", R{2, 2}, R{6, 17}},
		{"+1", mid, R{17, 18}},
		{"+2", mid, R{18, 27}},
		{"++", mid, R{18, 27}},
		{"+0", mid, R{10, 17}},
		{"+0", R{0, 6}, R{6, 6}},
		{"+0", R{0, 0}, R{0, 0}},
		{"2+", mid, R{17, 18}},
		{"2+2", mid, R{18, 27}},
		{"0+1", mid, R{0, 6}},
		{"2 3", mid, R{27, 35}},

		// Lines backwards: -0 is to the beginning of the line, and before line 1 is 0.
		{"-", mid, R{0, 6}},
		{"-1", mid, R{0, 6}},
		{"-2", mid, R{0, 0}},
		{"-", R{2, 2}, R{0, 0}},
		{"-0", mid, R{6, 8}},
		{"--", R{20, 20}, R{6, 17}},
		{"$-", mid, R{18, 27}},
		{"$-0", mid, R{27, 35}},
		{"3-", mid, R{6, 17}},
		{"+-", mid, R{6, 17}},
		{"-+", mid, R{6, 17}},
		{"-0+0", mid, R{8, 17}},
		{".-", mid, R{0, 6}},

		// Runes.
		{"+#2", mid, R{12, 12}},
		{"-#2", mid, R{6, 6}},
		{"2-#0", mid, R{6, 6}},
		{"2+#0", mid, R{17, 17}},
		{"2-#0+#4", mid, R{10, 10}},
		{"#4+#3", mid, R{7, 7}},
		{"#4#3", mid, R{7, 7}},
		{"$-#1", mid, R{34, 34}},

		// Searches, and their direction after a sign.
		{"-/beta/", R{30, 35}, R{6, 10}},
		{"+/beta/", mid, R{27, 31}},
		{"+?beta?", R{30, 35}, R{6, 10}},
		{"-?beta?", mid, R{27, 31}},
		{"$?beta?", mid, R{27, 31}},
		{"0/beta/", mid, R{6, 10}},
		{"/alpha//beta/", mid, R{6, 10}},
		{"/beta/+", R{0, 0}, R{17, 18}},
		{"/beta/-", R{0, 0}, R{0, 6}},
		{"/gamma/-/a/", R{0, 0}, R{9, 10}},
		{"3/e/", mid, R{19, 20}},

		// Searches go on at the other end.
		{"/alpha/", mid, R{0, 5}},
		{"?end?", mid, R{32, 35}},
		{"?gamma?", mid, R{11, 16}},
		{"/ta/", R{8, 10}, R{21, 23}},
		{"/ta/", R{29, 31}, R{8, 10}},

		// Assertions see what is there; an empty match where the search begins doesn't count.
		{"/^/", R{0, 0}, R{6, 6}},
		{"/^/", R{6, 6}, R{17, 17}},
		{"/^/", R{7, 7}, R{17, 17}},
		{"/$/", R{5, 5}, R{16, 16}},
		{"/^$/", R{0, 0}, R{17, 17}},
		{"?^?", mid, R{6, 6}},
		{"?^?", R{6, 6}, R{0, 0}},
		{"?^?", R{0, 0}, R{27, 27}},
		{"/x*/", R{35, 35}, R{0, 0}},

		// Sam's expressions: leftmost and longest, classes within a line.
		{"/be|beta/", R{0, 0}, R{6, 10}},
		{"/[^a]+/", R{4, 5}, R{6, 9}},
		{"/a.*/", R{9, 9}, R{9, 16}},
		{`/ma\n\nde/`, R{0, 0}, R{14, 20}},
		{"?.*?", R{8, 8}, R{6, 8}},
		{"/gam", R{0, 0}, R{11, 14}},
	} {
		got, err := evaluate(t, sample, c.addr, c.dot)
		if err != nil || got != c.want {
			t.Errorf("%q from %v: got %v %v, want %v", c.addr, c.dot, got, err, c.want)
		}
	}
}

// TestEvalNewlineAtEnd is about the empty line after a last newline.
func TestEvalNewlineAtEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		addr string
		want Range
	}{
		{"2", Range{2, 4}},
		{"3", Range{4, 4}},
		{"$", Range{4, 4}},
		{"2+", Range{4, 4}},
		{"$+", Range{4, 4}},
		{"$+0", Range{4, 4}},
		{"$-0", Range{4, 4}},
		{"$-", Range{2, 4}},
		{"$-2", Range{0, 2}},
		{"$-3", Range{0, 0}},
	} {
		got, err := evaluate(t, "a\nb\n", c.addr, Range{})
		if err != nil || got != c.want {
			t.Errorf("%q: got %v %v, want %v", c.addr, got, err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		addr string
		code Code
		text string
	}{
		{"x", CodeSyntax, `unexpected 'x' at byte 0`},
		{"12x", CodeSyntax, `unexpected 'x' at byte 2`},
		{"1你", CodeSyntax, `unexpected '你' at byte 1`},
		{"1\x00", CodeSyntax, `unexpected '\x00' at byte 1`},
		{"+.", CodeSyntax, `'.' after another address`},
		{"1$", CodeSyntax, `'$' after another address`},
		{",,", CodeSyntax, `nothing between ',' and ','`},
		{"1;,2", CodeSyntax, `nothing between ';' and ','`},
		{"//", CodeSyntax, `empty pattern`},
		{"/", CodeSyntax, `empty pattern`},
		{"/(/", CodeSyntax, "error parsing regexp: missing closing ): `(`"},
		{"/a\nb/", CodeSyntax, `unexpected '\n' at byte 2`},
		{strings.Repeat("+", MaxBytes+1), CodeSyntax, "4097 bytes long, more than 4096"},
		{"6", CodeRange, "no line 6 in a text of 5"},
		{"$+2", CodeRange, "no line 7 in a text of 5"},
		{"-3", CodeRange, "no 3 lines before line 2"},
		{"#36", CodeRange, "no rune 36 in a text of 35"},
		{"0-#1", CodeRange, "no rune -1 in a text of 35"},
		{"99999999999999999999", CodeRange, "no line 2305843009213693951 in a text of 5"},
		{"#18446744073709551617", CodeRange, "no rune 2305843009213693951 in a text of 35"},
		{"#99999999999999999999", CodeRange, "no rune 2305843009213693951 in a text of 35"},
		{"/^ta/", CodeNoMatch, `no match for "^ta"`},
		{"/omega/", CodeNoMatch, `no match for "omega"`},
		{"?omega?", CodeNoMatch, `no match for "omega"`},
		{`/\Aalpha\z/`, CodeNoMatch, `no match for "\\Aalpha\\z"`},
		{"4,2", CodeOrder, "ends at rune 17, before it begins at 18"},
	} {
		_, err := evaluate(t, sample, c.addr, Range{8, 10})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.20q: got %v, want an *Error", c.addr, err)
			continue
		}
		if e.Code != c.code || e.Text != c.text {
			t.Errorf("%.20q: got %v: %s, want %v: %s", c.addr, e.Code, e.Text, c.code, c.text)
		}
	}
	for _, dot := range []Range{{-1, 0}, {2, 1}, {0, 36}} {
		_, err := evaluate(t, sample, ".", dot)
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeRange {
			t.Errorf("dot %v: got %v, want out of range", dot, err)
		}
	}
}

func TestDelimiters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		addr string
		want Range
	}{
		{`/a\/b/`, Range{0, 3}},
		{`/a\/b/+#0`, Range{3, 3}},
		{`?c\??`, Range{10, 10}}, // \? is the operator ? again, as in sam
		{`?c[?]?`, Range{}},
		{`/\\x/`, Range{4, 6}},
		{`/\./`, Range{6, 7}},
	} {
		got, err := evaluate(t, `a/b \x.	c?`, c.addr, Range{})
		if c.want == (Range{}) {
			if err == nil {
				t.Errorf("%q: got %v, want a syntax error", c.addr, got)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%q: got %v %v, want %v", c.addr, got, err, c.want)
		}
	}
}

func TestSplitFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, file, addr string }{
		{"main.go", "main.go", ""},
		{"", "", ""},
		{"main.go:12", "main.go", "12"},
		{"main.go:12:", "main.go", "12"},
		{"main.go:12:5", "main.go", "12-#0+#4"},
		{"main.go:12:5:", "main.go", "12-#0+#4"},
		{"main.go:12:1", "main.go", "12-#0"},
		{"main.go:12:0", "main.go", "12-#0"},
		{"main.go:/func main/", "main.go", "/func main/"},
		{"main.go:/case x:/+1", "main.go", "/case x:/+1"},
		{"main.go:?:12?", "main.go", "?:12?"},
		{"main.go:#123", "main.go", "#123"},
		{"main.go:#12,#15", "main.go", "#12,#15"},
		{"main.go:12,15", "main.go", "12,15"},
		{"main.go:$", "main.go", "$"},
		{"main.go:0/x/", "main.go", "0/x/"},
		{"/a b/c:3", "/a b/c", "3"},
		{":12", "", "12"},
		{"a:b", "a:b", ""},
		{"a:b:12", "a:b", "12"},
		{"a:b:12:5", "a:b", "12-#0+#4"},
		{"a:12:b", "a:12:b", ""},
		{"main.go:", "main.go:", ""},
		{"main.go::", "main.go::", ""},
		{"main.go:12:5:7", "main.go:12", "5-#0+#6"},
		{"note: 12", "note: 12", ""},
		{"http://x.org/a", "http://x.org/a", ""},
		{"http://x.org:80", "http://x.org", "80"},
		{"host:/etc/passwd", "host:/etc/passwd", ""},
		{"host:/etc", "host:/etc", ""},
		{"main.go:99999999999999999999", "main.go", "99999999999999999999"},
		{"main.go:1:99999999999999999999", "main.go:1", "99999999999999999999"},
	} {
		file, addr := SplitFile(c.in)
		if file != c.file || addr != c.addr {
			t.Errorf("%q: got %q %q, want %q %q", c.in, file, addr, c.file, c.addr)
		}
		if _, err := Parse(addr); err != nil {
			t.Errorf("%q: %v", c.in, err)
		}
	}
}

func TestColumnIsInTheLine(t *testing.T) {
	t.Parallel()
	_, addr := SplitFile("x:4:7")
	got, err := evaluate(t, sample, addr, Range{})
	if want := (Range{24, 24}); err != nil || got != want {
		t.Errorf("line 4 column 7: got %v %v, want %v", got, err, want)
	}
}
