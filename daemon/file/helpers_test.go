package file

import (
	"bytes"
	"errors"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// place is a directory with a file in it and a state directory beside it.
type place struct {
	dir, state, path string
}

func newPlace(t testing.TB) place {
	t.Helper()
	return placeIn(t, t.TempDir())
}

func placeIn(t testing.TB, top string) place {
	t.Helper()
	top, err := filepath.EvalSymlinks(top)
	if err != nil {
		t.Fatal(err)
	}
	p := place{dir: filepath.Join(top, "home"), state: filepath.Join(top, "state")}
	p.path = filepath.Join(p.dir, "f")
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p place) options(expect []byte) SaveOptions {
	h := Sum(expect)
	return SaveOptions{Expect: &h, IntentDir: p.state}
}

// chunked yields data in pieces of uneven length, as a rope does.
func chunked(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		rest := data
		for n := 1; len(rest) > 0; n = n*3 + 1 {
			k := min(n, len(rest))
			if !yield(rest[:k]) {
				return
			}
			rest = rest[k:]
		}
	}
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t testing.TB, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s: got %s, want %s", path, short(got), short(want))
	}
}

func short(b []byte) string {
	if len(b) > 60 {
		b = append(bytes.Clone(b[:60]), "..."...)
	}
	return string(b)
}

// wantNames checks that a directory holds just these names; a missing one holds none.
func wantNames(t testing.TB, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if g, w := strings.Join(got, " "), strings.Join(want, " "); g != w {
		t.Fatalf("%s: got %q, want %q", dir, g, w)
	}
}

func wantCode(t testing.TB, err error, want Code) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != want {
		t.Fatalf("got error %v, want code %s", err, want)
	}
	return e
}

func mustSave(t testing.TB, p place, path string, before, after []byte, want How) Saved {
	t.Helper()
	got, err := Save(path, chunked(after), p.options(before))
	if err != nil {
		t.Fatal(err)
	}
	if got.How != want || got.Hash != Sum(after) {
		t.Fatalf("got %v (%s) hash %s, want %v hash %s", got.How, got.Why, got.Hash, want, Sum(after))
	}
	if (got.Why != "") != (want == InPlace) {
		t.Fatalf("%v: why %q", got.How, got.Why)
	}
	return got
}

func random(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
