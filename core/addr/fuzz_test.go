package addr

import (
	"errors"
	"strings"
	"testing"

	"apex/core/text"
)

func FuzzEval(f *testing.F) {
	for _, s := range []string{
		"", "1,2", "/a+/;-?b?", "$-#3+#1", "0+-/x\\/y/", "#99999999999999999999", "?[^a]?",
	} {
		f.Add(s, "one\ntwo\xff\n\nab你", uint(3), uint(1))
	}
	f.Fuzz(func(t *testing.T, s, flat string, q0, length uint) {
		a, err := Parse(s)
		checkError(t, err, CodeSyntax)
		if err != nil {
			return
		}
		if a.String() != s {
			t.Fatalf("String: got %q, want %q", a, s)
		}
		x := text.FromString(flat)
		dot := Range{Q0: int(q0 % uint(x.Runes()+1))}
		dot.Q1 = dot.Q0 + int(length%uint(x.Runes()-dot.Q0+1))
		r, err := a.Eval(x, dot)
		checkError(t, err, CodeRange, CodeNoMatch, CodeOrder)
		if r.Q0 < 0 || r.Q1 < r.Q0 || r.Q1 > x.Runes() {
			t.Fatalf("%q: got %v of %d runes", s, r, x.Runes())
		}
	})
}

func checkError(t *testing.T, err error, codes ...Code) {
	t.Helper()
	if err == nil {
		return
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %T, want an *Error", err)
	}
	for _, c := range codes {
		if e.Code == c {
			return
		}
	}
	t.Fatalf("got %v, want one of %v", e, codes)
}

func FuzzSplitFile(f *testing.F) {
	for _, s := range []string{"a.go:12:5:", "a:b:/c:d/", "x:?y?", ":::", "a:1,2;3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		file, addr := SplitFile(s)
		if !strings.HasPrefix(s, file) {
			t.Fatalf("%q: file %q isn't its beginning", s, file)
		}
		if addr == "" && file != s {
			t.Fatalf("%q: got file %q and no address", s, file)
		}
		if _, err := Parse(addr); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
	})
}
