package paint

// modes are those that can be on or off while the screen is ours.
type modes struct{ mouse, motion, clusters bool }

const (
	saveTitle = "\x1b[22;2t"
	loadTitle = "\x1b[23;2t"

	altOn  = "\x1b[?1049h"
	altOff = "\x1b[?1049l"

	// The keyboard: modifyOtherKeys, and of the kitty protocol what tells keys apart. A terminal
	// takes the one that it knows. A screen that is taken anew sets the flags in place.
	otherKeysOn  = "\x1b[>4;2m"
	otherKeysOff = "\x1b[>4m"
	kittyPush    = "\x1b[>1u"
	kittySet     = "\x1b[=1u"
	kittyPop     = "\x1b[<1u"

	// Bracketed paste, and reports of the focus.
	pasteOn  = "\x1b[?2004h\x1b[?1004h"
	pasteOff = "\x1b[?2004l\x1b[?1004l"

	// The mouse: presses, releases and drags, in the encoding without limits.
	mouseOn  = "\x1b[?1002h\x1b[?1006h"
	mouseOff = "\x1b[?1002l\x1b[?1006l"

	// Motion with no button held too, in the place of drags. Some terminals take the end of either
	// for the end of both.
	motionOn  = "\x1b[?1003h"
	motionOff = "\x1b[?1003l"
	dragsOn   = "\x1b[?1002h"

	clustersOn  = "\x1b[?2027h"
	clustersOff = "\x1b[?2027l"
)

// appendEnter appends what takes the screen: it saves the window's title, switches to the alternate
// screen and sets the modes, some of which terminals keep by screen. again says that this was done
// before, and the terminal may have been in other hands since.
func appendEnter(buf []byte, again bool, m modes) []byte {
	if !again {
		buf = append(buf, saveTitle...)
	}
	buf = append(buf, altOn+otherKeysOn...)
	if again {
		buf = append(buf, kittySet...)
	} else {
		buf = append(buf, kittyPush...)
	}
	buf = append(buf, pasteOn...)
	if m.mouse {
		buf = m.appendMouse(buf, true)
	}
	if m.clusters {
		buf = append(buf, clustersOn...)
	}
	return buf
}

// appendMouse appends what turns the mouse's reports on or off.
func (m modes) appendMouse(buf []byte, on bool) []byte {
	switch {
	case on && m.motion:
		return append(buf, mouseOn+motionOn...)
	case on:
		return append(buf, mouseOn...)
	case m.motion:
		return append(buf, motionOff+mouseOff...)
	}
	return append(buf, mouseOff...)
}

// appendLeave appends what undoes appendEnter, and a Painter's settings.
func appendLeave(buf []byte, caps Caps, m modes) []byte {
	buf = append(buf, otherKeysOff+kittyPop+pasteOff...)
	if m.mouse {
		buf = m.appendMouse(buf, false)
	}
	if m.clusters {
		buf = append(buf, clustersOff...)
	}
	return appendPlain(append(buf, "\x1b[r"+altOff...), caps)
}

// appendPlain appends what undoes a Painter's settings, on the main screen. The shape of the cursor
// is left alone where a Painter doesn't change it: consoles of old print the end of that sequence.
func appendPlain(buf []byte, caps Caps) []byte {
	buf = append(buf, "\x1b[m\x1b[?7h\x1b[?25h"+loadTitle...)
	if caps.Shapes {
		buf = append(buf, "\x1b[0 q"...)
	}
	return buf
}

// AppendRestore appends to buf what gives a terminal back that was left in whatever state, by a
// program that was killed or a link that went down. It needs nothing to be known, and is harmless
// to a terminal that is in order. alt says that the alternate screen may be on, caps what was
// used.
//
// The order matters. A string or sequence that was cut is ended first, or it would swallow the
// rest. A synchronized update is ended before anything that should be seen. Mouse, paste, focus
// and keyboard modes go off while their screen still shows, because some terminals keep them by
// screen: the keyboard protocol certainly. Then the alternate screen is left, and what terminals
// keep for the main screen is put right there.
func AppendRestore(buf []byte, alt bool, caps Caps) []byte {
	buf = append(buf, "\x1b\\\x1b[?2026l"+inputOff+keyboardOff...)
	if alt {
		buf = append(buf, "\x1b[r"+altOff+inputOff+keyboardOff...)
	}
	return appendPlain(buf, caps)
}

const (
	// inputOff turns off every mouse mode with its encodings, focus reports, bracketed paste,
	// colour scheme reports and in-band resize reports.
	inputOff = "\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1006l\x1b[?1015l\x1b[?1016l" +
		"\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l"
	// keyboardOff sets the flags of the kitty protocol to none rather than pop them: whoever pushed
	// them may be gone, and a shell that wants some sets them at its next prompt.
	keyboardOff = otherKeysOff + "\x1b[=0u"
)
