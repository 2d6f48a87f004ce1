package input

import "strconv"

const (
	esc = 0x1b
	bs  = 0x08
	del = 0x7f
)

// AppendKey appends what the program gets for k. It appends nothing for a key that can't be
// expressed in the modes, see the package's documentation.
func AppendKey(dst []byte, m Modes, k Key) []byte {
	if k.Event > Release || !k.Code.valid() {
		return dst
	}
	k = k.norm()
	if m.kitty() {
		return appendKitty(dst, &m, k)
	}
	return appendXterm(dst, &m, k)
}

// appendXterm appends k as xterm does, without and with modifyOtherKeys.
func appendXterm(dst []byte, m *Modes, k Key) []byte {
	if k.Event == Release || k.Mods&(Super|Hyper) != 0 {
		return dst
	}
	if c, ok := otherKey(m, &k); ok {
		return appendOtherKey(dst, m, c, k.Mods)
	}
	return appendLegacy(dst, m, &k)
}

// appendLegacy appends k as xterm does when no program has asked for anything.
func appendLegacy(dst []byte, m *Modes, k *Key) []byte {
	if k.Code == Char {
		return appendChar(dst, m, k)
	}
	if k.Code.types() != 0 {
		return appendKeypad(dst, m, k)
	}
	switch code := k.Code.plain(); code {
	case Enter:
		return appendCR(appendAlt(dst, k.Mods), m)
	case Escape:
		return append(appendAlt(dst, k.Mods), esc)
	case Backspace:
		return append(appendAlt(dst, k.Mods), backspace(m, k.Mods))
	case Tab:
		if k.Mods&Shift != 0 {
			return append(dst, "\x1b[Z"...)
		}
		return append(appendAlt(dst, k.Mods), '\t')
	default:
		return appendFunction(dst, m, code, k.Mods)
	}
}

// appendAlt appends the ESC that stands for Alt or Meta before a character.
func appendAlt(dst []byte, mods Mods) []byte {
	if mods&(Alt|Meta) != 0 {
		dst = append(dst, esc)
	}
	return dst
}

func appendCR(dst []byte, m *Modes) []byte {
	if m.NewLine {
		return append(dst, "\r\n"...)
	}
	return append(dst, '\r')
}

// backspace is DEL or BS as DECBKM says, and the other one with Ctrl.
func backspace(m *Modes, mods Mods) byte {
	if m.BackarrowBS == (mods&Ctrl != 0) {
		return del
	}
	return bs
}

func appendChar(dst []byte, m *Modes, k *Key) []byte {
	if t := k.text(); t != "" {
		return append(dst, t...)
	}
	if k.Rune == 0 {
		return dst
	}
	dst = appendAlt(dst, k.Mods)
	r := k.typed()
	if k.Mods&Ctrl != 0 {
		switch c, ok := control(k.latin()); {
		case ok && c == '\r':
			return appendCR(dst, m)
		case ok:
			return append(dst, c)
		}
	}
	return append(dst, string(r)...)
}

// control is what Ctrl makes of a character, if it makes another one of it: what Xlib makes of it,
// and DEL of a question mark, as xterm has it.
func control(r rune) (byte, bool) {
	switch {
	case r == '?' || r == '8':
		return del, true
	case r >= '@' && r <= '~' || r == ' ':
		return byte(r & 0x1f), true
	case r == '2':
		return 0, true
	case r >= '3' && r <= '7':
		return byte(r - '3' + esc), true
	case r == '/':
		return 0x1f, true
	}
	return 0, false
}

// keypadFinals end the keypad's SS3 sequences, from KP0 to KPSeparator.
const keypadFinals = "pqrstuvwxynojmkMXl"

// appendKeypad appends a keypad key that types. NumLock, or the text of a digit, which it has only
// with NumLock, gives the character in application mode too.
func appendKeypad(dst []byte, m *Modes, k *Key) []byte {
	locked := k.Mods&NumLock != 0 || k.Code <= KPDecimal && k.Text != ""
	if m.AppKeypad && !locked {
		dst = append(dst, esc, 'O')
		if p := xtermMods(k.Mods); p > 1 {
			dst = strconv.AppendInt(dst, int64(p), 10)
		}
		return append(dst, keypadFinals[k.Code-KP0])
	}
	if k.Code == KPEnter {
		return appendCR(dst, m)
	}
	if t := k.text(); t != "" {
		return append(dst, t...)
	}
	return append(dst, k.Code.types())
}

// appendFunction appends a cursor, editing or function key.
func appendFunction(dst []byte, m *Modes, code Code, mods Mods) []byte {
	f := code.legacyForm()
	p := xtermMods(mods)
	switch {
	case f.final == 0:
		return dst
	case f.final == '~' || p > 1:
		return appendCSI(dst, f, p)
	case code >= F1 && code <= F4 || m.AppCursor:
		return append(dst, esc, 'O', f.final)
	}
	return appendCSI(dst, f, p)
}

// appendCSI appends CSI number;p final, without what is 1.
func appendCSI(dst []byte, f form, p int) []byte {
	dst = append(dst, esc, '[')
	if f.number != 1 || p > 1 {
		dst = strconv.AppendInt(dst, int64(f.number), 10)
	}
	if p > 1 {
		dst = append(dst, ';')
		dst = strconv.AppendInt(dst, int64(p), 10)
	}
	return append(dst, f.final)
}

// xtermMods is xterm's parameter for modifiers: 1, and 1 for Shift, 2 for Alt, 4 for Ctrl, 8 for
// Meta.
func xtermMods(mods Mods) int {
	p := 1 + int(mods&(Shift|Alt|Ctrl))
	if mods&Meta != 0 {
		p += 8
	}
	return p
}
