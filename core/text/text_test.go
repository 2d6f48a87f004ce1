package text

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// runesOf gives the encodings of the runes of b as utf8.DecodeRune finds them: the naive text.
func runesOf(b []byte) []string {
	var out []string
	for len(b) > 0 {
		_, n := utf8.DecodeRune(b)
		out = append(out, string(b[:n]))
		b = b[n:]
	}
	return out
}

// pieces are what broken text is made of: whole runes, heads and tails of encodings, surrogates,
// overlong forms and line ends.
var pieces = []string{
	"a", "\n", "\r\n", "\x00", "\ufeff", "é", "你", "🙂",
	"\xc3", "\xa9", "\xe4", "\xbd", "\xa0", "\xe4\xbd", "\xbd\xa0", "\xf0", "\x9f", "\x99\x82",
	"\xf0\x9f", "\xf0\x9f\x99", "\x80", "\x80\x80\x80\x80", "\xed\xa0\x80", "\xc0\x80", "\xf8",
	"\xff", "\xf4\x90",
}

func genPiece() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		p := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), "")
		if rapid.IntRange(0, 3).Draw(t, "long") > 0 {
			return p
		}
		n := rapid.IntRange(1, 900).Draw(t, "times")
		return strings.Repeat(p, n)
	})
}

func genRange(t *rapid.T, n int) (q0, q1 int) {
	q0 = rapid.IntRange(0, n).Draw(t, "q0")
	if rapid.Bool().Draw(t, "near") {
		return q0, min(n, q0+rapid.IntRange(0, 4).Draw(t, "len"))
	}
	return q0, rapid.IntRange(q0, n).Draw(t, "q1")
}

// checkText compares everything that x says about itself with the naive text.
func checkText(t *rapid.T, x Text, want []byte) {
	t.Helper()
	if err := x.Verify(); err != nil {
		t.Fatal(err)
	}
	if got := x.AppendTo(nil); !bytes.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	runes := runesOf(want)
	counted := sum{len(want), len(runes), bytes.Count(want, newline)}
	if got := (sum{x.Bytes(), x.Runes(), x.Newlines()}); got != counted {
		t.Fatalf("got %+v, want %+v of %q", got, counted, want)
	}
	q0, q1 := genRange(t, len(runes))
	cut := strings.Join(runes[q0:q1], "")
	b0 := len(strings.Join(runes[:q0], ""))
	if got := x.Substring(q0, q1); got != cut {
		t.Fatalf("Substring(%d, %d): got %q, want %q", q0, q1, got, cut)
	}
	sl := x.Slice(q0, q1)
	if err := sl.Verify(); err != nil {
		t.Fatalf("Slice(%d, %d): %v", q0, q1, err)
	}
	if !sl.Equal(FromString(cut)) {
		t.Fatalf("Slice(%d, %d): got %q, want %q", q0, q1, sl, cut)
	}
	var chunks []byte
	for c := range x.ChunksRange(b0, b0+len(cut)) {
		chunks = append(chunks, c...)
	}
	if string(chunks) != cut {
		t.Fatalf("ChunksRange: got %q, want %q", chunks, cut)
	}
	checkPlace(t, x, want, runes, q0)
	checkReaders(t, x, runes, q0)
}

func checkPlace(t *rapid.T, x Text, flat []byte, runes []string, q int) {
	t.Helper()
	before := strings.Join(runes[:q], "")
	if got := x.ByteOffset(q); got != len(before) {
		t.Fatalf("ByteOffset(%d): got %d, want %d", q, got, len(before))
	}
	if got, want := x.LineOf(q), strings.Count(before, "\n"); got != want {
		t.Fatalf("LineOf(%d): got %d, want %d", q, got, want)
	}
	wantR, wantN := utf8.DecodeRune(flat[len(before):])
	if r, n := x.RuneAt(q); r != wantR || n != wantN {
		t.Fatalf("RuneAt(%d): got %q %d, want %q %d", q, r, n, wantR, wantN)
	}
	size := 0
	if q < len(runes) {
		size = len(runes[q])
	}
	for i := range max(1, size) {
		if got := x.RuneOffset(len(before) + i); got != q {
			t.Fatalf("RuneOffset(%d): got %d, want %d", len(before)+i, got, q)
		}
	}
	line := rapid.IntRange(0, x.Newlines()).Draw(t, "line")
	want := 0
	for n := line; n > 0; want++ {
		if runes[want] == "\n" {
			n--
		}
	}
	if got := x.LineStart(line); got != want {
		t.Fatalf("LineStart(%d): got %d, want %d", line, got, want)
	}
}

func checkReaders(t *rapid.T, x Text, runes []string, q int) {
	t.Helper()
	r := x.Reader(q)
	for i, want := range runes[q:] {
		if r.Offset() != q+i {
			t.Fatalf("Reader.Offset: got %d, want %d", r.Offset(), q+i)
		}
		wantC, wantN := utf8.DecodeRuneInString(want)
		if c, n, err := r.ReadRune(); c != wantC || n != wantN || err != nil {
			t.Fatalf("Reader at %d: got %q %d %v, want %q", q+i, c, n, err, want)
		}
	}
	if _, _, err := r.ReadRune(); err == nil {
		t.Fatal("Reader goes on after the end")
	}
	b := x.BackReader(q)
	for i, want := range slices.Backward(runes[:q]) {
		wantC, wantN := utf8.DecodeRuneInString(want)
		if c, n, err := b.ReadRune(); c != wantC || n != wantN || err != nil || b.Offset() != i {
			t.Fatalf("BackReader at %d: got %q %d %v, want %q", i, c, n, err, want)
		}
	}
	if _, _, err := b.ReadRune(); err == nil {
		t.Fatal("BackReader goes on before the beginning")
	}
}

// model is a draft beside the naive text, with the snapshots taken of both.
type model struct {
	draft *Draft
	flat  []byte
	taken []Text
	flats [][]byte
	last  int // where the last edit was, for edits that stay near
}

func (m *model) replace(t *rapid.T, q0, q1 int, s string) {
	runes := runesOf(m.flat)
	b0 := len(strings.Join(runes[:q0], ""))
	b1 := b0 + len(strings.Join(runes[q0:q1], ""))
	m.flat = slices.Concat(m.flat[:b0], []byte(s), m.flat[b1:])
	grown := m.draft.Replace(q0, q1, s)
	if want := utf8.RuneCount(m.flat) - len(runes); grown != want {
		t.Fatalf("Replace(%d, %d, %q): grew by %d, want %d", q0, q1, s, grown, want)
	}
	m.last = q0
}

func (m *model) snapshot() Text {
	x := m.draft.Text()
	m.taken, m.flats = append(m.taken, x), append(m.flats, bytes.Clone(m.flat))
	return x
}

func TestDraftAgainstBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := genPiece().Draw(t, "start")
		m := &model{draft: FromString(start).Edit(), flat: []byte(start)}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				if err := (Text{m.draft.tree}).Verify(); err != nil {
					t.Fatal(err)
				}
				if got := (Text{m.draft.tree}).String(); got != string(m.flat) {
					t.Fatalf("got %q, want %q", got, m.flat)
				}
			},
			"replace": func(t *rapid.T) {
				q0, q1 := genRange(t, m.draft.Runes())
				m.replace(t, q0, q1, genPiece().Draw(t, "s"))
			},
			"type": func(t *rapid.T) {
				at := min(m.last, m.draft.Runes())
				for range rapid.IntRange(1, 40).Draw(t, "keys") {
					p := rapid.SampledFrom(pieces).Draw(t, "key")
					m.replace(t, at, at, p)
					at = min(at+utf8.RuneCountInString(p), m.draft.Runes())
				}
			},
			"erase": func(t *rapid.T) {
				at := min(m.last, m.draft.Runes())
				for range rapid.IntRange(1, 40).Draw(t, "keys") {
					if at == 0 {
						break
					}
					m.replace(t, at-1, at, "")
					at = min(at-1, m.draft.Runes())
				}
			},
			"snapshot": func(t *rapid.T) { checkText(t, m.snapshot(), m.flat) },
			"slice": func(t *rapid.T) {
				q0, q1 := genRange(t, m.draft.Runes())
				want := m.draft.Substring(q0, q1)
				x := m.draft.Slice(q0, q1)
				m.taken, m.flats = append(m.taken, x), append(m.flats, []byte(want))
			},
			"other": func(t *rapid.T) {
				x := m.snapshot()
				q0, q1 := genRange(t, x.Runes())
				m.draft = x.Replace(q0, q1, "other\n").Edit()
				m.flat = []byte(x.Substring(0, q0) + "other\n" + x.Substring(q1, x.Runes()))
			},
		})
		for i, x := range m.taken {
			checkText(t, x, m.flats[i])
		}
	})
}

func TestConcat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := genPiece().Draw(t, "a"), genPiece().Draw(t, "b")
		x, y := FromString(a), FromString(b)
		checkText(t, x.Concat(y), []byte(a+b))
		checkText(t, x, []byte(a))
		checkText(t, y, []byte(b))
	})
}

func TestBuildSizes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{
		0, 1, minLeaf, maxLeaf, maxLeaf + 1, slabBytes - 1, slabBytes, slabBytes + 1,
		slabBytes + minLeaf, 17 * maxLeaf, 3*slabBytes + 7,
	} {
		for _, piece := range []string{"a", "你", "\xbd", "\xe4\xbd", "x\xf0\x9f"} {
			want := strings.Repeat(piece, n/len(piece)+1)[:n]
			x := FromString(want)
			if err := x.Verify(); err != nil {
				t.Errorf("%d bytes of %q: %v", n, piece, err)
			}
			if x.String() != want {
				t.Errorf("%d bytes of %q: text differs", n, piece)
			}
		}
	}
}

func TestBrokenEncodingsJoin(t *testing.T) {
	t.Parallel()
	fill := strings.Repeat("x", maxLeaf)
	for _, c := range []struct {
		name          string
		before, after string
		del           int // runes removed between before and after
		insert        string
		grown         int
	}{
		{"tail completes head", "\xe4\xbd", "", 0, "\xa0", -1},
		{"head meets tail", "", "\xbd\xa0", 0, "\xe4", -1},
		{"middle joins both", "\xe4", "\xa0", 0, "\xbd", -1},
		{"four bytes", "\xf0\x9f", "\x82", 0, "\x99", -2},
		{"deletion joins", "\xe4\xbd", "\xa0", 5, "", -7},
		{"whole rune between", "\xe4\xbd", "\xa0", 5, "é", -4},
		{"no fourth byte", "\xe4\xbd\xa0", "\xa0", 0, "\xa0", 1},
	} {
		for _, pad := range []string{"", fill} {
			x := FromString(pad + c.before + strings.Repeat("-", c.del) + c.after + pad)
			q0 := FromString(pad + c.before).Runes()
			d := x.Edit()
			if got := d.Replace(q0, q0+c.del, c.insert); got != c.grown {
				t.Errorf("%s: grew by %d, want %d", c.name, got, c.grown)
			}
			y := d.Text()
			if err := y.Verify(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if want := pad + c.before + c.insert + c.after + pad; y.String() != want {
				t.Errorf("%s: got %q, want %q", c.name, y, want)
			}
		}
	}
}

func TestOutOfRangePanics(t *testing.T) {
	t.Parallel()
	x := FromString("ab\n")
	for name, f := range map[string]func(){
		"replace":    func() { x.Replace(2, 4, "") },
		"reversed":   func() { x.Replace(2, 1, "") },
		"negative":   func() { x.Slice(-1, 1) },
		"substring":  func() { x.Substring(0, 4) },
		"byte":       func() { x.ByteOffset(4) },
		"rune":       func() { x.RuneOffset(4) },
		"line start": func() { x.LineStart(2) },
		"line of":    func() { x.LineOf(4) },
		"chunks":     func() { x.ChunksRange(0, 4) },
		"reader":     func() { x.Reader(4) },
		"rune at":    func() { x.RuneAt(-1) },
	} {
		func() {
			defer func() {
				if p, ok := recover().(string); !ok || !strings.HasPrefix(p, "text: ") {
					t.Errorf("%s: got panic %v, want one of this package", name, p)
				}
			}()
			f()
		}()
	}
}

// The fast count agrees with the standard library on all that text may hold, whole and cut.
func TestRuneCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(genPiece().Draw(t, "a") + genPiece().Draw(t, "b"))
		if rapid.Bool().Draw(t, "noise") {
			b = append(b, rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes")...)
		}
		if got, want := runeCount(b), utf8.RuneCount(b); got != want {
			t.Fatalf("%q: got %d runes, want %d", b, got, want)
		}
	})
}
