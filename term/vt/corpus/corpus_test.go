package corpus

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

func TestKinds(t *testing.T) {
	const n = 100_000
	for _, k := range Kinds() {
		a, b := k.Make(n), k.Make(n)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two calls differ", k.Name)
		}
		if len(a) < n || len(a) > n+8192 {
			t.Errorf("%s: got %d bytes, want about %d", k.Name, len(a), n)
		}
		if !utf8.Valid(a) {
			t.Errorf("%s: not UTF-8", k.Name)
		}
	}
}
