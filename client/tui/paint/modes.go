package paint

// Enter is what takes the screen before Bubble Tea does: it saves the window's title and switches
// to the alternate screen. Bubble Tea's own switch later does no harm.
const Enter = saveTitle + "\x1b[?1049h"

const (
	saveTitle = "\x1b[22;2t"
	loadTitle = "\x1b[23;2t"
)

// appendLeave appends what undoes a Painter's settings, on the main screen. The shape of the cursor
// is left alone where a Painter doesn't change it: consoles of old print the end of that sequence.
func appendLeave(buf []byte, caps Caps) []byte {
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
		buf = append(buf, "\x1b[r\x1b[?1049l"+inputOff+keyboardOff...)
	}
	return appendLeave(buf, caps)
}

const (
	// inputOff turns off every mouse mode with its encodings, focus reports, bracketed paste,
	// colour scheme reports and in-band resize reports.
	inputOff = "\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1006l\x1b[?1015l\x1b[?1016l" +
		"\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l"
	// keyboardOff sets the flags of the kitty protocol to none rather than pop them: whoever pushed
	// them may be gone, and a shell that wants some sets them at its next prompt.
	keyboardOff = "\x1b[>4m\x1b[=0u"
)
