package input

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Key is one key with its modifiers, the same however the terminal reports it. Keys can be compared
// and be keys of a map. The zero value is no key.
//
// Code is the rune on the key, a letter always in lower case, or one of Bubble Tea's codes above
// unicode.MaxRune (tea.KeyUp and so on) for a key without one. A symbol that is typed with shift is
// itself, without Shift: "!" and not "shift+1".
type Key struct {
	Code rune
	Mod  Mod
}

// Mod is a set of modifiers.
type Mod uint8

// The modifiers. Locks are not among them.
const (
	Ctrl Mod = 1 << iota
	Alt
	Shift
	Meta
	Hyper
	Super
)

// modOf leaves the locks out.
func modOf(m tea.KeyMod) (mod Mod) {
	for _, p := range []struct {
		tea tea.KeyMod
		mod Mod
	}{{tea.ModCtrl, Ctrl}, {tea.ModAlt, Alt}, {tea.ModShift, Shift}, {tea.ModMeta, Meta},
		{tea.ModHyper, Hyper}, {tea.ModSuper, Super}} {
		if m&p.tea != 0 {
			mod |= p.mod
		}
	}
	return mod
}

// KeyOf returns the key of a press, and the text that it types when nothing is bound to it: "" for
// everything that isn't printable, and for everything with a modifier other than Shift. It is not
// ok for the press of a modifier alone, which no key table wants.
func KeyOf(press tea.KeyPressMsg) (k Key, text string, ok bool) {
	code := sameCode(press.Code)
	if code >= tea.KeyCapsLock && code <= tea.KeyNumLock ||
		code >= tea.KeyLeftShift && code <= tea.KeyIsoLevel5Shift || code == 0 && press.Text == "" {
		return Key{}, "", false
	}
	mod := modOf(press.Mod)
	switch {
	case mod&^Shift != 0:
	case printable(press.Text):
		text = press.Text
	case code != press.Code && code <= unicode.MaxRune && printable(string(code)):
		text = string(code) // of the keypad
	}
	if r, n := utf8.DecodeRuneInString(text); n > 0 && n == len(text) {
		return plainKey(r, mod), text, true
	}
	if text != "" {
		return Key{tea.KeyExtended, mod & Shift}, text, true
	}
	return chordKey(code, mod, press.ShiftedCode, press.BaseCode), "", true
}

// plainKey is the key that types r.
func plainKey(r rune, mod Mod) Key {
	switch lower := unicode.ToLower(r); {
	case lower != r:
		return Key{lower, Shift}
	case unicode.IsLetter(r):
		return Key{r, 0} // capitals were locked and shift undid it
	case r == ' ':
		return Key{r, mod & Shift}
	}
	return Key{r, 0}
}

// usShifted are the symbols that take shift on most keyboards.
const usShifted = "~!@#$%^&*()_+{}|:\"<>?"

// chordKey is a key that types nothing. Terminals differ here in whether a code is that of the key
// or of what shift makes of it, and whether shift is then still told.
func chordKey(code rune, mod Mod, shifted, base rune) Key {
	if base > ' ' && base < utf8.RuneSelf && code >= utf8.RuneSelf && code <= unicode.MaxRune {
		code = base // a layout of another script: bindings are by Latin letters
	}
	if code > unicode.MaxRune || code < ' ' || code == 0x7F {
		return Key{code, mod}
	}
	if lower := unicode.ToLower(code); lower != code {
		return Key{lower, mod}
	}
	symbol := unicode.IsPrint(shifted) && !unicode.IsLetter(shifted) && shifted != ' '
	if mod&Shift != 0 && symbol && !unicode.IsLetter(code) && shifted != code {
		return Key{shifted, mod &^ Shift}
	}
	if mod&Shift != 0 && strings.ContainsRune(usShifted, code) {
		mod &^= Shift
	}
	return Key{code, mod}
}

func printable(s string) bool {
	if s == "" || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if unicode.IsControl(r) {
			return false
		}
	}
	return true
}

// sameCode maps codes that mean the same key to one: the keypad's, and the Find and Select that
// some terminals send for Home and End.
func sameCode(code rune) rune {
	if code >= tea.KeyKp0 && code <= tea.KeyKp9 {
		return '0' + code - tea.KeyKp0
	}
	if same, ok := sameCodes[code]; ok {
		return same
	}
	return code
}

var sameCodes = map[rune]rune{
	tea.KeyFind: tea.KeyHome, tea.KeySelect: tea.KeyEnd,
	tea.KeyKpEnter: tea.KeyEnter, tea.KeyKpEqual: '=', tea.KeyKpMultiply: '*', tea.KeyKpPlus: '+',
	tea.KeyKpComma: ',', tea.KeyKpSep: ',', tea.KeyKpMinus: '-', tea.KeyKpDecimal: '.',
	tea.KeyKpDivide: '/',
	tea.KeyKpUp:     tea.KeyUp, tea.KeyKpDown: tea.KeyDown, tea.KeyKpLeft: tea.KeyLeft,
	tea.KeyKpRight: tea.KeyRight, tea.KeyKpPgUp: tea.KeyPgUp, tea.KeyKpPgDown: tea.KeyPgDown,
	tea.KeyKpHome: tea.KeyHome, tea.KeyKpEnd: tea.KeyEnd, tea.KeyKpInsert: tea.KeyInsert,
	tea.KeyKpDelete: tea.KeyDelete, tea.KeyKpBegin: tea.KeyBegin,
}
