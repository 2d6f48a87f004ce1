package input

import (
	"unicode"
	"unicode/utf8"
)

// Key is what happened to one key. It can be compared. The zero value is no key and encodes to
// nothing.
type Key struct {
	// Code is the key, or Char for one that Rune names.
	Code Code
	// Rune is what a Char key types on its own: a letter in lower case, a symbol as itself. One
	// that isn't printable is no key. An upper-case letter is taken for its lower case with Shift.
	Rune rune
	// Text is what the key types as it is pressed here, if that is known: with the layout, a
	// compose sequence or an input method behind it. Empty, it follows from Rune and Mods. A Char
	// key without Rune is text that belongs to no key. Text with a control character counts as
	// none, and so does that of a key pressed with Ctrl, Alt, Super, Hyper or Meta: a modifier that
	// only chose the text has to be left out of Mods.
	Text  string
	Mods  Mods
	Event Event
	// Shifted is what a Char key types with Shift, and Base what is on the same key of the PC-101
	// layout; 0 is unknown. An unknown Shifted of a letter is its upper case, that of another
	// ASCII character as on a US keyboard.
	Shifted, Base rune
}

// Mods is a set of modifiers, with the values of kitty's protocol.
type Mods uint8

// The modifiers.
const (
	Shift Mods = 1 << iota
	Alt
	Ctrl
	Super
	Hyper
	Meta
	CapsLock
	NumLock
)

// locks never make a chord of a key.
const locks = CapsLock | NumLock

// Event is what a key did.
type Event uint8

// The events. A repeat is told from a press only where the program asked for it.
const (
	Press Event = iota
	Repeat
	Release
)

// norm is k in the one form that the encoders and String expect.
func (k Key) norm() Key {
	if k.Code != Char {
		k.Rune, k.Shifted, k.Base = 0, 0, 0
		return k
	}
	if !printable(k.Rune) {
		k.Rune = 0
	}
	if low := unicode.ToLower(k.Rune); low != k.Rune && unicode.ToUpper(low) == k.Rune {
		k.Rune = low
		if k.Mods&CapsLock == 0 {
			k.Mods |= Shift
		}
	}
	return k
}

// printable reports whether r may be sent as text.
func printable(r rune) bool {
	return r >= ' ' && (r < 0x7f || r > 0x9f) && utf8.ValidRune(r)
}

// text is what k types: "" for a release and for a chord.
func (k *Key) text() string {
	if k.Event == Release || k.Mods&(Ctrl|Alt|Super|Hyper|Meta) != 0 {
		return ""
	}
	if k.Text != "" {
		if !utf8.ValidString(k.Text) {
			return ""
		}
		for _, r := range k.Text {
			if !printable(r) {
				return ""
			}
		}
		return k.Text
	}
	if k.Code == Char && k.Rune != 0 {
		return string(k.typed())
	}
	return ""
}

// typed is the rune of a Char key as Shift and CapsLock have it.
func (k *Key) typed() rune {
	shift := k.Mods&Shift != 0
	if k.Mods&CapsLock != 0 && unicode.IsLetter(k.Rune) {
		shift = !shift
	}
	if s := k.shifted(); shift && s != 0 {
		return s
	}
	return k.Rune
}

// latin is what typed is, or the base layout's rune if that is of another script: Ctrl has to work
// with Cyrillic letters on the keys too.
func (k *Key) latin() rune {
	if r := k.typed(); r <= unicode.MaxLatin1 || k.Base <= ' ' || k.Base > '~' {
		return r
	}
	return k.Base
}

// shifted is the rune of a Char key with Shift, 0 if that isn't known.
func (k *Key) shifted() rune {
	if printable(k.Shifted) {
		return k.Shifted
	}
	if up := unicode.ToUpper(k.Rune); up != k.Rune && unicode.ToLower(up) == k.Rune {
		return up
	}
	for i, r := range usPlain {
		if r == k.Rune {
			return rune(usShifted[i])
		}
	}
	return 0
}

// The symbols of a US keyboard without and with Shift.
const (
	usPlain   = "`1234567890-=[]\\;',./"
	usShifted = "~!@#$%^&*()_+{}|:\"<>?"
)
