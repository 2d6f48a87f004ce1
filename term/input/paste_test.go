package input

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Source for line ends and controls: xterm's removeControls and _WriteSelectionData with the
// default of disallowedPasteControls, "BS,DEL,ENQ,EOT,ESC,NUL,STTY". Source for the marks: ctlseqs,
// "Bracketed Paste Mode". CR LF as one CR: kitty's paste without brackets.
func TestPaste(t *testing.T) {
	for _, c := range []struct{ name, text, plain, bracketed string }{
		{"empty", "", "", ""},
		{"text", "héllo 日本 🙂\t", "héllo 日本 🙂\t", "héllo 日本 🙂\t"},
		{"lines", "a\nb\r\nc\rd\n\n\r\n\r\n", "a\rb\rc\rd\r\r\r\r", "a\rb\rc\rd\r\r\r\r"},
		{"end mark", "a\x1b[201~b", "a [201~b", "a [201~b"},
		{"end mark in C1", "a\x9b201~b", "a 201~b", "a 201~b"},
		{"end mark in C1, UTF-8", "a\u009b201~b", "a 201~b", "a 201~b"},
		{"end mark in itself", "\x1b[20\x1b[201~1~", " [20 [201~1~", " [20 [201~1~"},
		{"end mark with a control", "\x1b[2\x000\x001~", " [2 0 1~", " [2\x000\x001~"},
		{"end mark with more parameters", "\x1b[0201;1~", " [0201;1~", " [0201;1~"},
		{"half an end mark", "\x1b[201", " [201", " [201"},
		{"9B within characters", "ě\u2e9b\U0001f69b", "ě\u2e9b\U0001f69b", "ě\u2e9b\U0001f69b"},
		{"9B after broken characters", "\xe2\x9b201~ \xf0\x9f\x9b", "\xe2 201~ \xf0\x9f ",
			"\xe2 201~ \xf0\x9f "},
		{"9B in an overlong form", "\xe0\x82\x9b201~", "\xe0\x82 201~", "\xe0\x82 201~"},
		{"stray bytes", "\xff\x80\xc2", "\xff\x80\xc2", "\xff\x80\xc2"},
		{"broken character before a line end", "\xe2\r\n\xc2\n", "\xe2\r\xc2\r", "\xe2\r\xc2\r"},
		{"interrupt", "rm\x03x", "rm x", "rm x"},
		{"controls", "\x00\x04\x05\x08\x0f\x11\x12\x13\x15\x16\x17\x1a\x1c\x7f",
			strings.Repeat(" ", 14),
			"\x00\x04\x05\x08\x0f\x11\x12\x13\x15\x16\x17\x1a\x1c\x7f"},
		{"controls that stay", "\x01\x02\x06\x07\x0b\x0c\x0e\x10\x14\x18\x19\x1d\x1e\x1f",
			"\x01\x02\x06\x07\x0b\x0c\x0e\x10\x14\x18\x19\x1d\x1e\x1f",
			"\x01\x02\x06\x07\x0b\x0c\x0e\x10\x14\x18\x19\x1d\x1e\x1f"},
	} {
		if got := string(AppendPaste(nil, Modes{}, []byte(c.text))); got != c.plain {
			t.Errorf("%s: got %q, want %q", c.name, got, c.plain)
		}
		want := "\x1b[200~" + c.bracketed + "\x1b[201~"
		got := string(AppendPaste(nil, Modes{BracketedPaste: true}, []byte(c.text)))
		if got != want {
			t.Errorf("%s, bracketed: got %q, want %q", c.name, got, want)
		}
	}
}

// A paste goes on as it began, whatever the program does to the mode meanwhile.
func TestPasteKeepsItsBrackets(t *testing.T) {
	out, p := StartPaste([]byte("before"), Modes{BracketedPaste: true})
	out = p.Append(out, []byte("a"))
	out = p.Append(out, nil)
	out = p.End(p.Append(out, []byte("b")))
	if got, want := string(out), "before\x1b[200~ab\x1b[201~"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// slowPaste is the rule for a text that is there as a whole, character by character.
func slowPaste(bracketed bool, text []byte) []byte {
	acts := "\x00\x03\x04\x05\x08\x0f\x11\x12\x13\x15\x16\x17\x1a\x1b\x1c\x7f"
	if bracketed {
		acts = "\x03\x1b"
	}
	var out []byte
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\r"))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n':
			out = append(out, '\r')
		case r == 0x9b, text[0] == 0x9b, strings.IndexByte(acts, text[0]) >= 0:
			out = append(out, ' ')
		default:
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	if bracketed {
		return []byte("\x1b[200~" + string(out) + "\x1b[201~")
	}
	return out
}

// checkPaste pastes text cut at the given places and compares it with the rule.
func checkPaste(t interface{ Fatalf(string, ...any) }, bracketed bool, text []byte, cuts []int) {
	out, p := StartPaste(nil, Modes{BracketedPaste: bracketed})
	from := 0
	for _, cut := range cuts {
		if cut < from || cut > len(text) {
			continue
		}
		out = p.Append(out, text[from:cut])
		from = cut
	}
	out = p.End(p.Append(out, text[from:]))
	if want := slowPaste(bracketed, text); !bytes.Equal(out, want) {
		t.Fatalf("%q cut at %v: got %q, want %q", text, cuts, out, want)
	}
	if bracketed {
		checkInside(t, out)
	}
}

// checkInside checks that nothing between the marks can begin another one.
func checkInside(t interface{ Fatalf(string, ...any) }, out []byte) {
	body, starts := bytes.CutPrefix(out, []byte("\x1b[200~"))
	body, ends := bytes.CutSuffix(body, []byte("\x1b[201~"))
	if !starts || !ends {
		t.Fatalf("no marks around %q", out)
	}
	for i, size := 0, 0; i < len(body); i += size {
		var r rune
		r, size = utf8.DecodeRune(body[i:])
		if r == 0x1b || r == 0x9b || size == 1 && body[i] == 0x9b {
			t.Fatalf("a sequence begins at byte %d of %q", i, body)
		}
	}
}

// pieces are what texts are made of in which an end mark may hide.
var pieces = []string{"\x1b", "[", "2", "0", "1", "~", "\x1b[201~", "\x9b", "\xc2", "\xc2\x9b",
	"\xe2", "\x9f", "\xf0\x9f", "\u0411", "\U0001f69b", "\r", "\n", "\r\n", "\x00", "\x03", "x",
	"plain text "}

func TestPasteChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24).Draw(t, "pieces"), "")
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(text)), 0, 6).Draw(t, "cuts")
		checkPaste(t, rapid.Bool().Draw(t, "bracketed"), []byte(text), cuts)
	})
}

// Each cut of every text of the table's kind, one byte at a time too.
func TestPasteByteByByte(t *testing.T) {
	text := []byte("a\x1b[201~\u009b201~\r\n\xe2\x9b201~\U0001f69bě\xc2\n\r\n\x9b201~\xf0\x9f")
	all := make([]int, len(text))
	for i := range all {
		all[i] = i
		checkPaste(t, true, text, []int{i})
		checkPaste(t, false, text, []int{i})
	}
	checkPaste(t, true, text, all)
	checkPaste(t, false, text, all)
}

func FuzzPaste(f *testing.F) {
	f.Add([]byte("a\x1b[201~\r\nb"), true, uint16(3), uint16(7))
	f.Add([]byte("\xc2\x9b201~\xe2\x9b"), false, uint16(1), uint16(2))
	f.Fuzz(func(t *testing.T, text []byte, bracketed bool, a, b uint16) {
		checkPaste(t, bracketed, text, []int{int(a), int(b)})
	})
}

func BenchmarkPaste(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ascii", "func main() { fmt.Println(1) }\n"}, {"cjk", "日本語の文章を貼り付ける\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := bytes.Repeat([]byte(c.text), 1<<20/len(c.text))
			var out []byte
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				out = AppendPaste(out[:0], Modes{BracketedPaste: true}, text)
			}
		})
	}
}
