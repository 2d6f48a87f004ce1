package input

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A small reader of what programs get, written from kitty's specification and ctlseqs and not from
// the encoder: it has to find the same keys again.

var errShort = errors.New("the sequence has no end")

// csiLetters and csiNumbers are the keys that don't end in u.
var (
	csiLetters = map[byte]Code{'A': Up, 'B': Down, 'C': Right, 'D': Left, 'E': KPBegin, 'F': End,
		'H': Home, 'P': F1, 'Q': F2, 'S': F4}
	csiNumbers = map[int]Code{2: Insert, 3: Delete, 5: PageUp, 6: PageDown, 13: F3, 15: F5, 17: F6,
		18: F7, 19: F8, 20: F9, 21: F10, 23: F11, 24: F12}
	csiControls = map[int]Code{9: Tab, 13: Enter, 27: Escape, 127: Backspace}
)

// readKey reads one key from the front of b as a program with all of kitty's flags does.
func readKey(b string) (k Key, rest string, err error) {
	body, ok := strings.CutPrefix(b, "\x1b[")
	if !ok {
		r, size := utf8.DecodeRuneInString(b)
		return Key{Text: string(r)}, b[size:], nil
	}
	end := strings.IndexFunc(body, func(r rune) bool { return r >= '@' && r <= '~' })
	if end < 0 {
		return k, b, errShort
	}
	fields := strings.Split(body[:end], ";")
	var n [3][]int
	if len(fields) > 3 {
		return k, b, fmt.Errorf("%d fields in %q", len(fields), b)
	}
	for i, f := range fields {
		for _, sub := range strings.Split(f, ":") {
			v := 0
			if sub != "" {
				if v, err = strconv.Atoi(sub); err != nil {
					return k, b, err
				}
			}
			n[i] = append(n[i], v)
		}
	}
	k, err = keyOf(body[end], n)
	return k, body[end+1:], err
}

func keyOf(final byte, n [3][]int) (k Key, err error) {
	ok := true
	switch number := n[0][0]; {
	case final == '~':
		k.Code, ok = csiNumbers[number]
	case final != 'u':
		k.Code, ok = csiLetters[final]
		ok = ok && number <= 1
	case csiControls[number] != 0:
		k.Code = csiControls[number]
	case number >= int(firstCode) && number < int(endCode):
		k.Code = Code(number)
	default:
		k.Rune = rune(number)
	}
	if !ok {
		return k, fmt.Errorf("no key %v %c", n, final)
	}
	if len(n[0]) > 1 {
		k.Shifted = rune(n[0][1])
	}
	if len(n[0]) > 2 {
		k.Base = rune(n[0][2])
	}
	if len(n[1]) > 0 && n[1][0] > 0 {
		k.Mods = Mods(n[1][0] - 1)
	}
	if len(n[1]) > 1 {
		k.Event = Event(n[1][1] - 1)
	}
	for _, r := range n[2] {
		k.Text += string(rune(r))
	}
	return k, nil
}

// genEvent makes keys with all there is to a key. The Private Use Area that kitty's numbers are
// from is left out of the runes: they can't be told from it.
func genEvent(t *rapid.T) Key {
	k := genKey(t)
	if k.Rune >= rune(firstCode) && k.Rune < rune(endCode) {
		k.Rune = 'x'
	}
	k.Event = Event(rapid.IntRange(0, 2).Draw(t, "event"))
	if k.Code == Char {
		k.Base = rapid.SampledFrom([]rune{0, 'c', ';', k.Rune}).Draw(t, "base")
		k.Shifted = rapid.SampledFrom([]rune{0, 'X', '§'}).Draw(t, "shifted")
	}
	k.Text = rapid.SampledFrom([]string{"", "", "q", "é", "日本", "\x1b[201~",
		"\xff"}).Draw(t, "text")
	return k
}

// seen is what is left of k for a program with all of kitty's flags.
func seen(k Key) Key {
	want := k.norm()
	want.Text = k.text()
	if k.Mods&Shift == 0 {
		want.Shifted = 0
	} else if k.Code == Char {
		want.Shifted = k.shifted()
	}
	if want.Base == want.Rune {
		want.Base = 0
	}
	return want
}

// With all flags every event is told in full, and where one ends follows from its own bytes: a
// program reads several in a row as the same keys, and none from the beginning of one.
func TestKittyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		var want []Key
		for range rapid.IntRange(1, 4).Draw(t, "keys") {
			k := genEvent(t)
			one := AppendKey(nil, Modes{KittyFlags: 31}, k)
			for i := 1; i < len(one); i++ {
				if _, _, err := readKey(string(one[:i])); err == nil && i > 1 {
					t.Fatalf("%+v: %q is a key, and so is %q", k, one, one[:i])
				}
			}
			stream = append(stream, one...)
			want = append(want, seen(k))
		}
		for rest := string(stream); len(want) > 0; want = want[1:] {
			var got Key
			var err error
			if got, rest, err = readKey(rest); err != nil || got != want[0] {
				t.Fatalf("%q: got %+v, %v, want %+v", stream, got, err, want[0])
			}
			if len(want) == 1 && rest != "" {
				t.Fatalf("%q: %q is left over", stream, rest)
			}
		}
	})
}

// Whatever the modes, a key gives one sequence or one text: no control character but the first,
// nothing of a text that is no text, nothing for a release that nobody asked for.
func TestKeyShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Modes{
			AppCursor:       rapid.Bool().Draw(t, "cursor"),
			AppKeypad:       rapid.Bool().Draw(t, "keypad"),
			NewLine:         rapid.Bool().Draw(t, "lnm"),
			BackarrowBS:     rapid.Bool().Draw(t, "bs"),
			KittyFlags:      rapid.Uint8().Draw(t, "kitty"),
			ModifyOtherKeys: rapid.Uint8Range(0, 3).Draw(t, "other"),
			FormatOtherKeys: rapid.Uint8Range(0, 2).Draw(t, "format"),
		}
		k := genEvent(t)
		out := AppendKey([]byte("before"), m, k)
		body, ok := strings.CutPrefix(string(out), "before")
		if !ok || !utf8.ValidString(body) || len(body) > keyBytes {
			t.Fatalf("%+v: %+v: got %q", m, k, out)
		}
		if k.Event == Release && m.KittyFlags&KittyEvents == 0 && body != "" {
			t.Fatalf("%+v: %+v: a release gave %q", m, k, body)
		}
		for i, r := range strings.TrimSuffix(strings.TrimPrefix(body, "\x1b"), "\n") {
			if i > 0 && (r < ' ' || r >= 0x7f && r <= 0x9f) {
				t.Fatalf("%+v: %+v: got %q", m, k, body)
			}
		}
	})
}

// Where no program asked for anything, a script's names and a UI's keys with their text are the
// same bytes.
func TestTextIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bare := genKey(t)
		full := bare
		full.Text = bare.text()
		m := Modes{KittyFlags: rapid.Uint8Range(0, 31).Draw(t, "kitty"),
			ModifyOtherKeys: rapid.Uint8Range(0, 2).Draw(t, "other")}
		a, b := AppendKey(nil, m, bare), AppendKey(nil, m, full)
		if string(a) != string(b) {
			t.Fatalf("%+v: %+v: got %q, with text %q", m, bare, a, b)
		}
	})
}
