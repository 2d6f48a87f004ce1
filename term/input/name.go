package input

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// modNames are the modifiers' spellings, of which the first is the one that String writes. Each
// stands before a key with "-" or "+" between: tmux's and emacs's letters, and words.
var modNames = []struct {
	mod   Mods
	names []string
}{
	{Ctrl, []string{"C", "c", "Ctrl", "Control"}},
	{Alt, []string{"M", "m", "A", "Alt", "Option"}},
	{Shift, []string{"S", "Shift"}},
	{Super, []string{"s", "Super", "Cmd", "Win"}},
	{Hyper, []string{"H", "Hyper"}},
	{Meta, []string{"Meta"}},
	{CapsLock, []string{"CapsLock"}},
	{NumLock, []string{"NumLock"}},
}

// ParseKey reads the name of a key as scripts write it, in tmux's spelling or emacs's:
//
//	a  A  ?  Space  SPC  Enter  RET  F5  C-c  ^C  M-x  C-M-S-Left  S-Tab  <f5>  C-<left>  ctrl+x
//
// Modifiers are C- (Ctrl), M- or A- (Alt), S- (Shift), s- (Super), H- (Hyper) and Meta-, or words
// such as "ctrl+", in any order. The case of a key's name doesn't matter, but DEL is emacs's
// Backspace while Del is the Delete key. An upper-case letter is one with Shift, except with Ctrl,
// where both spell the same control character and S- says otherwise. U+00E9 is a character by its
// number. The error lists what is accepted.
//
// The Key has no Text, Shifted or Base, and is a press. ParseKey(k.String()) is k for every Key
// that ParseKey returns.
func ParseKey(name string) (Key, error) {
	var mods Mods
	for rest := name; ; {
		if n := len(rest); n > 2 && rest[0] == '<' && rest[n-1] == '>' {
			rest = rest[1 : n-1]
		}
		if k, ok := parseBare(rest); ok {
			k.Mods |= mods
			return k.named(), nil
		}
		mod, after := cutMod(rest)
		if mod == 0 || mod&mods != 0 {
			return Key{}, fmt.Errorf("key %q: %q is no key: want %s", name, rest, acceptedNames())
		}
		mods |= mod
		rest = after
	}
}

// named is k with an upper-case letter as ParseKey's comment has it.
func (k Key) named() Key {
	if k.Mods&Ctrl != 0 {
		shift := k.Mods & Shift
		k = k.norm()
		k.Mods = k.Mods&^Shift | shift
		return k
	}
	return k.norm()
}

// parseBare reads the name of a key without the modifiers before it. A caret and some names stand
// for one with a modifier.
func parseBare(s string) (Key, bool) {
	if r, ok := oneRune(s); ok {
		return Key{Rune: r}, true
	}
	if r, ok := oneRune(strings.TrimPrefix(s, "^")); ok && s[0] == '^' {
		return Key{Rune: r, Mods: Ctrl}, true
	}
	if s == "DEL" {
		return Key{Code: Backspace}, true
	}
	if k, ok := keyByName(s); ok {
		return k, true
	}
	if hex, ok := strings.CutPrefix(s, "U+"); ok {
		n, err := strconv.ParseUint(hex, 16, 21)
		return Key{Rune: rune(n)}, err == nil && printable(rune(n))
	}
	return Key{}, false
}

// oneRune is the printable character that s consists of.
func oneRune(s string) (rune, bool) {
	r, n := utf8.DecodeRuneInString(s)
	return r, n > 0 && n == len(s) && (r != utf8.RuneError || n > 1) && printable(r)
}

// cutMod cuts a modifier and what follows it off s.
func cutMod(s string) (Mods, string) {
	i := strings.IndexAny(s, "-+")
	if i < 0 || i+1 == len(s) {
		return 0, s
	}
	word := s[:i]
	for _, m := range modNames {
		for _, n := range m.names {
			if n == word || len(n) > 1 && strings.EqualFold(n, word) {
				return m.mod, s[i+1:]
			}
		}
	}
	return 0, s
}

// String returns the name of k as ParseKey reads it. What isn't in a name is left out: Text, Event,
// Shifted and Base.
func (k Key) String() string {
	k = k.norm()
	if k.Code == Char && k.Rune == 0 {
		if k.Text != "" {
			return fmt.Sprintf("text %q", k.Text)
		}
		return "no key"
	}
	up := unicode.ToUpper(k.Rune)
	if k.Mods&(Shift|Ctrl|CapsLock) == Shift && up != k.Rune && unicode.ToLower(up) == k.Rune {
		k.Rune = up
		k.Mods &^= Shift
	}
	var b strings.Builder
	for _, m := range modNames {
		if k.Mods&m.mod != 0 {
			b.WriteString(m.names[0] + "-")
		}
	}
	b.WriteString(bareName(k))
	return b.String()
}

func bareName(k Key) string {
	switch {
	case k.Code == Char && k.Rune == ' ':
		return "Space"
	case k.Code == Char && unicode.IsPrint(k.Rune) && !unicode.Is(unicode.Mn, k.Rune):
		return string(k.Rune)
	case k.Code == Char:
		return fmt.Sprintf("U+%04X", k.Rune)
	case !k.Code.valid():
		return fmt.Sprintf("key %d", k.Code)
	}
	return codeName(k.Code)
}

// acceptedNames says in an error what ParseKey reads.
func acceptedNames() string {
	var b strings.Builder
	b.WriteString("one character, ^C, U+hex, Space, ")
	for i := range codeNames {
		switch c := firstCode + Code(i); {
		case c == F1:
			b.WriteString("F1 to F35, ")
		case c == KP0:
			b.WriteString("KP0 to KP9, ")
		case c > F1 && c <= F35 || c > KP0 && c <= KP9:
		default:
			b.WriteString(codeName(c) + ", ")
		}
	}
	for i, m := range modNames {
		sep := ", "
		if i == 0 {
			sep = "with any of "
		}
		b.WriteString(sep + m.names[0] + "-")
	}
	return b.String() + " before it"
}
