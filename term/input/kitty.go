package input

import "strconv"

// appendKitty appends k as kitty's protocol has it.
func appendKitty(dst []byte, m *Modes, k Key) []byte {
	flags := m.KittyFlags
	all := flags&KittyAll != 0
	if k.Event == Release && flags&KittyEvents == 0 || k.Code.modifier() && !all {
		return dst
	}
	if !all && flags&KittyDisambiguate == 0 {
		k = k.offKeypad()
	}
	if t := k.text(); t != "" && !all {
		return append(dst, t...)
	}
	switch {
	case k.Code != Char:
		return appendKittyFunction(dst, m, &k)
	case k.Rune == 0:
		return appendKeyless(dst, flags, &k)
	case !all && flags&KittyDisambiguate == 0 && k.Event == Press && legacyChord(&k):
		return appendChar(dst, m, &k)
	}
	return appendKittyKey(dst, flags, form{int(k.Rune), 'u'}, &k)
}

// offKeypad is the key that k doubles, for a program that doesn't tell the keypad apart.
func (k Key) offKeypad() Key {
	if c := k.Code.types(); c >= ' ' {
		k.Code, k.Rune = Char, rune(c)
		return k
	}
	k.Code = k.Code.plain()
	return k
}

// appendKeyless appends text that belongs to no key. A program that asked for keys without their
// text gets it as it is: it would be lost otherwise.
func appendKeyless(dst []byte, flags uint8, k *Key) []byte {
	t := k.text()
	if t == "" || flags&KittyText == 0 {
		return append(dst, t...)
	}
	return appendKittyKey(dst, flags, form{0, 'u'}, k)
}

// legacyChord reports whether the protocol's legacy encoding has bytes for a chord.
func legacyChord(k *Key) bool {
	mods := k.Mods &^ locks
	if mods != Alt && mods != Ctrl && mods != Ctrl|Alt && mods != Shift|Alt {
		return false
	}
	return k.Rune <= '~' || mods&Ctrl != 0 && k.latin() <= '~'
}

// appendKittyFunction appends a key that has no rune. Enter, Tab and Backspace stay what they are
// until a program asks for all keys, so that one can still type "reset" and Enter after it died.
func appendKittyFunction(dst []byte, m *Modes, k *Key) []byte {
	f := k.Code.kittyForm()
	all := m.KittyFlags&KittyAll != 0
	switch k.Code {
	case Enter, Tab, Backspace:
		if !all && k.Event == Release {
			return dst
		}
		if !all && k.Mods&^locks == 0 {
			return appendLegacy(dst, m, k)
		}
	case Escape:
		disambiguate := all || m.KittyFlags&KittyDisambiguate != 0
		if !disambiguate && k.Mods&^locks == 0 && k.Event == Press {
			return append(dst, esc)
		}
	}
	return appendKittyKey(dst, m.KittyFlags, f, k)
}

// appendKittyKey appends CSI number:shifted:base ; mods:event ; text final, each part only if it is
// known, asked for and not the default.
func appendKittyKey(dst []byte, flags uint8, f form, k *Key) []byte {
	text := ""
	if flags&(KittyAll|KittyText) == KittyAll|KittyText {
		text = k.text()
	}
	event := flags&KittyEvents != 0 && k.Event != Press
	hasMods := k.Mods != 0 || event

	dst = append(dst, esc, '[')
	if f.number != 1 || hasMods || text != "" {
		dst = strconv.AppendInt(dst, int64(f.number), 10)
	}
	if flags&KittyAlternates != 0 && k.Code == Char && k.Rune != 0 {
		dst = appendAlternates(dst, k)
	}
	if hasMods || text != "" {
		dst = append(dst, ';')
	}
	if hasMods {
		dst = strconv.AppendInt(dst, 1+int64(k.Mods), 10)
	}
	if event {
		dst = append(dst, ':', '1'+byte(k.Event))
	}
	sep := byte(';')
	for _, r := range text {
		dst = strconv.AppendInt(append(dst, sep), int64(r), 10)
		sep = ':'
	}
	return append(dst, f.final)
}

// appendAlternates appends the shifted rune, which belongs there only if Shift is held, and the
// base layout's.
func appendAlternates(dst []byte, k *Key) []byte {
	var shifted rune
	if k.Mods&Shift != 0 {
		shifted = k.shifted()
	}
	base := k.Base
	if !printable(base) || base == k.Rune {
		base = 0
	}
	if shifted != 0 || base != 0 {
		dst = append(dst, ':')
	}
	if shifted != 0 {
		dst = strconv.AppendInt(dst, int64(shifted), 10)
	}
	if base != 0 {
		dst = strconv.AppendInt(append(dst, ':'), int64(base), 10)
	}
	return dst
}
