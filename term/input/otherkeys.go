package input

import "strconv"

// chord are the modifiers that modifyOtherKeys reports.
const chord = Shift | Alt | Ctrl | Meta

// otherKey reports whether modifyOtherKeys has k written as an escape sequence, and with which
// character.
func otherKey(m *Modes, k *Key) (c rune, ok bool) {
	if m.ModifyOtherKeys == 0 || k.Mods&chord == 0 {
		return 0, false
	}
	level2 := m.ModifyOtherKeys > 1
	switch k.Code {
	case Char:
		r := k.typed()
		if k.Rune == 0 || k.Text != "" && k.text() != "" && k.Text != string(r) {
			return 0, false // composed: there is no key that types it
		}
		if level2 {
			return r, otherChar2(r, k.Mods)
		}
		return k.latin(), otherChar1(k.latin(), k.Mods)
	case Enter:
		return '\r', level2 || notAlone(k.Mods)
	case Escape:
		return esc, level2 || notAlone(k.Mods) && k.Mods&(Alt|Meta) != 0
	case Tab:
		if k.Mods&Shift != 0 { // CSI Z stands for Shift alone, and at level 1 with others too
			return '\t', level2 && k.Mods&chord != Shift
		}
		return '\t', level2 || notAlone(k.Mods)
	case Backspace: // Ctrl has its own byte
		return rune(backspace(m, k.Mods)), level2 && k.Mods&chord&^Ctrl != 0
	}
	return 0, false
}

// notAlone reports whether there is more than an Alt or a Meta, which an ESC before the character
// tells well enough.
func notAlone(mods Mods) bool {
	return mods&chord != Alt && mods&chord != Meta
}

// otherChar1 is level 1: what neither Shift, nor an ESC, nor a control character can tell. Letters
// keep their control characters, with Alt and Shift too.
func otherChar1(r rune, mods Mods) bool {
	if mods&Ctrl == 0 {
		return false
	}
	switch _, ctrl := control(r); {
	case r >= '@' && r <= '~':
		return false
	case ctrl && r != '?':
		return mods&(Alt|Meta) != 0
	}
	return true
}

// otherChar2 is level 2: everything but a symbol or digit that only Shift was needed for. A letter
// with Shift is reported, and so are the symbols of ASCII's last two rows.
func otherChar2(r rune, mods Mods) bool {
	return mods&chord != Shift || r >= '@' && r <= '~' || r == ' '
}

// appendOtherKey appends CSI 27;m;c~ or, with formatOtherKeys, CSI c;mu.
func appendOtherKey(dst []byte, m *Modes, c rune, mods Mods) []byte {
	p := int64(xtermMods(mods))
	if m.FormatOtherKeys == 1 {
		dst = strconv.AppendInt(append(dst, "\x1b["...), int64(c), 10)
		dst = strconv.AppendInt(append(dst, ';'), p, 10)
		return append(dst, 'u')
	}
	dst = strconv.AppendInt(append(dst, "\x1b[27;"...), p, 10)
	dst = strconv.AppendInt(append(dst, ';'), int64(c), 10)
	return append(dst, '~')
}
