package edit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"apex/core"
	"apex/core/text"

	"pgregory.net/rapid"
)

// typist is a window that keys go to.
type typist struct {
	*world
	id   core.WindowID
	body core.BufferID
}

func newTypist(t tester, s string) *typist {
	w := newWorld(t)
	id, body := w.file("/f", s)
	return &typist{w, id, body}
}

func (k *typist) do(b core.Bundle, err error) {
	k.Helper()
	if err != nil {
		k.Fatalf("%v", err)
	}
	k.commit(b)
}

func (k *typist) at(q0, q1 int) {
	k.Helper()
	k.commit(core.Bundle{Parts: []core.Part{{Shard: k.body.Shard(),
		Ops: []core.Op{core.Select(k.id.Body(), q0, q1)}}}})
}

func (k *typist) keys(s string) { k.Helper(); k.do(Type(k, k.author, k.id.Body(), s)) }

func (k *typist) erase(m Motion) { k.Helper(); k.do(Erase(k, k.author, k.id.Body(), m)) }

func (k *typist) undo(redo bool) { k.Helper(); k.do(Undo(k, k.author, k.id.Body(), redo)) }

// shown is the text with the dot in angle brackets.
func (k *typist) shown() string {
	d := k.dot(k.id.Body(), k.body)
	t := k.Buffer(k.body).Text
	return t.Substring(0, d[0]) + "<" + t.Substring(d[0], d[1]) + ">" + t.Substring(d[1], t.Runes())
}

func (k *typist) want(what, s string) {
	k.Helper()
	if got := k.shown(); got != s {
		k.Fatalf("%s: %q, want %q", what, got, s)
	}
}

// one is clusters of one rune each.
func one(s string) int { _, n := utf8.DecodeRuneInString(s); return n }

func TestTypeUndoneByWords(t *testing.T) {
	k := newTypist(t, "")
	for _, r := range "one two" {
		k.keys(string(r))
	}
	k.keys("\nthree")
	k.want("typed", "one two\nthree<>")
	k.undo(false)
	k.want("undo", "one two\n<>")
	k.undo(false)
	k.want("undo", "one <>")
	k.undo(false)
	k.want("undo", "<>")
	k.undo(true)
	k.undo(true)
	k.want("redo", "one <two\n>")
	k.verify()
}

func TestTypeReplacesTheDot(t *testing.T) {
	k := newTypist(t, "one two")
	k.at(0, 3)
	k.keys("1")
	k.keys("!")
	k.want("typed", "1!<> two")
	k.undo(false)
	k.want("undo", "<one> two")
	k.at(3, 3)
	k.keys("x")
	k.at(0, 0)
	k.keys("y")
	k.undo(false)
	k.want("another place is another step", "<>onex two")
	k.verify()
}

func TestTypeNewline(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no lines", "ab", "ab\n<>"},
		{"lf", "a\nb\n", "a\nb\n\n<>"},
		{"crlf", "a\r\nb\r\n", "a\r\nb\r\n\r\n<>"},
		{"most are crlf", "a\r\nb\r\nc\n", "a\r\nb\r\nc\n\r\n<>"},
		{"most are lf", "a\r\nb\nc\n", "a\r\nb\nc\n\n<>"},
		{"indented", "a\n\t  b", "a\n\t  b\n\t  <>"},
		{"indented crlf", "a\r\n  b", "a\r\n  b\r\n  <>"},
	}
	for _, c := range tests {
		k := newTypist(t, c.text)
		n := k.Buffer(k.body).Text.Runes()
		k.at(n, n)
		k.keys("\n")
		k.want(c.name, c.want)
	}
	k := newTypist(t, "\tx")
	k.at(1, 1)
	k.keys("\n")
	k.want("only the blanks before the caret", "\t\n\t<>x")
	b, err := Run(k, k, k.author, k.id.Body(), "Indent off")
	k.do(b, err)
	k.keys("\n")
	k.want("Indent off", "\t\n\t\n<>x")
}

func TestErase(t *testing.T) {
	k := newTypist(t, "one two  three")
	k.at(7, 7)
	for range 3 {
		k.erase(Left(one))
	}
	k.want("backspace", "one <>  three")
	k.erase(Right(one))
	k.want("delete", "one <> three")
	k.undo(false)
	k.want("one step", "one <two > three")
	k.at(7, 7)
	k.erase(WordLeft)
	k.want("word", "one <>  three")
	k.erase(LineEnd)
	k.want("to the end", "one <>")
	k.at(0, 3)
	k.erase(Left(one))
	k.want("the dot", "<> ")
	k.erase(Left(one))
	k.want("nothing before", "<> ")
	k.do(EraseLines(k, k.author, k.id.Body()))
	k.want("the line", "<>")
	k.verify()
}

func TestPasteIsExactAndOneStep(t *testing.T) {
	k := newTypist(t, "ab")
	k.at(1, 1)
	big := strings.Repeat("你\xff\r\n\x00", 1<<20) // larger than a bundle takes
	bundles, err := Paste(k, k.author, k.id.Body(), big)
	if err != nil || len(bundles) < 2 {
		t.Fatalf("%d bundles, %v", len(bundles), err)
	}
	for _, b := range bundles {
		k.commit(b)
	}
	if k.text(k.body) != "a"+big+"b" {
		t.Fatal("the text is not what was pasted")
	}
	if d := k.dot(k.id.Body(), k.body); d[0] != d[1] || d[0] != 1+utf8.RuneCountInString(big) {
		t.Errorf("dot %v, want the caret behind what was pasted", d)
	}
	k.undo(false)
	if got := k.text(k.body); got != "ab" {
		t.Errorf("undone in one step: %d bytes, want ab", len(got))
	}
	k.verify()
}

func TestCutAndPaste(t *testing.T) {
	k := newTypist(t, "one two")
	k.at(0, 4)
	k.do(Cut(k, k.author, k.id.Body()))
	k.want("cut", "<>two")
	k.do(Cut(k, k.author, k.id.Body()))
	if k.Layout().Snarf != "one " {
		t.Errorf("an empty cut: snarf %q", k.Layout().Snarf)
	}
	k.at(3, 3)
	k.do(PasteSnarf(k, k.author, k.id.Body()))
	k.want("paste", "two<one >")
	k.do(PasteSnarf(k, k.author, k.id.Tag()))
	if got := k.tag(k.id); !strings.HasSuffix(got, "one ") {
		t.Errorf("paste in the tag: %q", got)
	}
	k.verify()
}

func TestIndent(t *testing.T) {
	tests := []struct {
		name, text string
		q0, q1     int
		out        bool
		want       string
	}{
		{"the line of a caret", "a\nb", 0, 0, false, "<\ta\n>b"},
		{"lines of a dot", "a\n\nb\nc", 0, 4, false, "<\ta\n\n\tb\n>c"},
		{"spaces where there are spaces", "x\n    y\n  z\n", 0, 1, false, "<  x\n>    y\n  z\n"},
		{"out by a tab", "\t\ta\n", 3, 3, true, "<\ta\n>"},
		{"out by what is there", "    b\n a\n", 0, 8, true, "<b\na\n>"},
		{"nothing to take", "a\n", 0, 1, true, "<a>\n"},
	}
	for _, c := range tests {
		k := newTypist(t, c.text)
		k.at(c.q0, c.q1)
		k.do(Indent(k, k.author, k.id.Body(), c.out))
		k.want(c.name, c.want)
	}
}

// Keys, erasing, pastes and undo give what a string gives, and undoing everything the beginning.
func TestTypingAgainstString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.StringOfN(rapid.SampledFrom([]rune("ab \n\t你")), 0, 30, -1).Draw(t, "start")
		k := newTypist(t, start)
		want := []rune(start)
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			q0 := rapid.IntRange(0, len(want)).Draw(t, "q0")
			q1 := min(len(want), q0+rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(t, "n"))
			if rapid.Bool().Draw(t, "move") {
				k.at(q0, q1)
			}
			d := k.dot(k.id.Body(), k.body)
			splice := func(q0, q1 int, s string) {
				want = append(append(append([]rune(nil), want[:q0]...), []rune(s)...), want[q1:]...)
			}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0, 1:
				s := rapid.StringOfN(rapid.SampledFrom([]rune("xy z你")), 1, 4, -1).Draw(t, "keys")
				k.keys(s)
				splice(d[0], d[1], s)
			case 2:
				k.erase(Left(one))
				if d[0] == d[1] {
					d[0] = max(0, d[0]-1)
				}
				splice(d[0], d[1], "")
			default:
				bundles, err := Paste(k, k.author, k.id.Body(), "p\nq")
				if err != nil {
					t.Fatalf("%v", err)
				}
				for _, b := range bundles {
					k.commit(b)
				}
				splice(d[0], d[1], "p\nq")
			}
			if got := k.text(k.body); got != string(want) {
				t.Fatalf("text %q, want %q", got, string(want))
			}
		}
		for {
			b, err := Undo(k, k.author, k.id.Body(), false)
			if core.CodeOf(err) == core.CodeNotFound {
				break
			}
			k.do(b, err)
		}
		if got := k.text(k.body); got != start {
			t.Fatalf("all undone %q, want %q", got, start)
		}
		k.verify()
	})
}

func TestMotions(t *testing.T) {
	pairs := func(s string) int { // clusters of a letter and the marks behind it, and of CR LF
		if strings.HasPrefix(s, "\r\n") {
			return 2
		}
		n := one(s)
		for strings.HasPrefix(s[n:], "\u0301") {
			n += len("\u0301")
		}
		return n
	}
	tests := []struct {
		name   string
		text   string
		m      Motion
		q, len int // from, to
	}{
		{"left", "abc", Left(one), 2, 1},
		{"left at the beginning", "abc", Left(one), 0, 0},
		{"left of a cluster", "ae\u0301\u0301b", Left(pairs), 4, 1},
		{"left over crlf", "a\r\nb", Left(pairs), 3, 1},
		{"right of a cluster", "ae\u0301b", Right(pairs), 1, 3},
		{"right over crlf", "a\r\nb", Right(pairs), 1, 3},
		{"right at the end", "abc", Right(one), 3, 3},
		{"right of a broken byte", "\xffa", Right(func(string) int { return 0 }), 0, 1},
		{"word left", "one two", WordLeft, 7, 4},
		{"word left over blanks", "one  two", WordLeft, 5, 0},
		{"word left over marks", "a += b", WordLeft, 5, 2},
		{"word right", "one two", WordRight, 0, 3},
		{"word right over blanks and lines", "one \n two", WordRight, 3, 9},
		{"word right at the end", "one", WordRight, 3, 3},
		{"line start", "ab\ncd", LineStart, 4, 3},
		{"line end", "ab\ncd", LineEnd, 0, 2},
		{"line end crlf", "ab\r\ncd", LineEnd, 0, 2},
		{"line end between cr and lf", "ab\r\ncd", LineEnd, 3, 3},
		{"line end of an empty line", "\r\n\r\n", LineEnd, 2, 2},
		{"line end of the last line", "ab\ncd", LineEnd, 3, 5},
		{"home to the first letter", "\t ab", SmartHome, 3, 2},
		{"home to the line's start", "\t ab", SmartHome, 2, 0},
		{"home and back", "x\n\t ab", SmartHome, 2, 4},
	}
	for _, c := range tests {
		if got := c.m(text.FromString(c.text), c.q); got != c.len {
			t.Errorf("%s: %d, want %d", c.name, got, c.len)
		}
	}
}
