package input

// Code names a key that has no rune. The values are those by which kitty's protocol calls them.
type Code uint16

// Char is a key that its rune names.
const Char Code = 0

// firstCode begins the protocol's range of the Private Use Area.
const firstCode Code = 57344

// The keys without a rune, in the protocol's order.
const (
	Escape Code = firstCode + iota
	Enter
	Tab
	Backspace
	Insert
	Delete
	Left
	Right
	Up
	Down
	PageUp
	PageDown
	Home
	End
	CapsLockKey
	ScrollLock
	NumLockKey
	PrintScreen
	Pause
	Menu
	F1
	F2
	F3
	F4
	F5
	F6
	F7
	F8
	F9
	F10
	F11
	F12
	F13
	F14
	F15
	F16
	F17
	F18
	F19
	F20
	F21
	F22
	F23
	F24
	F25
	F26
	F27
	F28
	F29
	F30
	F31
	F32
	F33
	F34
	F35
	KP0
	KP1
	KP2
	KP3
	KP4
	KP5
	KP6
	KP7
	KP8
	KP9
	KPDecimal
	KPDivide
	KPMultiply
	KPSubtract
	KPAdd
	KPEnter
	KPEqual
	KPSeparator
	KPLeft
	KPRight
	KPUp
	KPDown
	KPPageUp
	KPPageDown
	KPHome
	KPEnd
	KPInsert
	KPDelete
	KPBegin
	MediaPlay
	MediaPause
	MediaPlayPause
	MediaReverse
	MediaStop
	MediaFastForward
	MediaRewind
	MediaNext
	MediaPrevious
	MediaRecord
	VolumeDown
	VolumeUp
	VolumeMute
	LeftShift
	LeftCtrl
	LeftAlt
	LeftSuper
	LeftHyper
	LeftMeta
	RightShift
	RightCtrl
	RightAlt
	RightSuper
	RightHyper
	RightMeta
	ISOLevel3Shift
	ISOLevel5Shift
	endCode // one past the last
)

func (c Code) valid() bool { return c == Char || c >= firstCode && c < endCode }

// modifier reports whether c only changes what other keys do.
func (c Code) modifier() bool {
	return c >= LeftShift && c < endCode || c >= CapsLockKey && c <= NumLockKey
}

// keypadTypes is what the keypad's keys type from KP0 to KPSeparator. Enter's CR is not text.
const keypadTypes = "0123456789./*-+\r=,"

// keypadMoves are the keys elsewhere on the keyboard that do the same as KPLeft to KPDelete.
var keypadMoves = [...]Code{Left, Right, Up, Down, PageUp, PageDown, Home, End, Insert, Delete}

// types is what a key of the keypad types, 0 for one that moves.
func (c Code) types() byte {
	if c >= KP0 && c <= KPSeparator {
		return keypadTypes[c-KP0]
	}
	return 0
}

// plain is the key of the main keyboard that a keypad key doubles, c itself for any other. KPBegin
// has no double.
func (c Code) plain() Code {
	switch {
	case c == KPEnter:
		return Enter
	case c >= KPLeft && c <= KPDelete:
		return keypadMoves[c-KPLeft]
	}
	return c
}

// form is how a key is written in CSI sequences: CSI 1;m final or CSI number;m final, the number
// left out if it is 1 and nothing follows it. final is 0 for a key that isn't written so.
type form struct {
	number int
	final  byte
}

// forms are those that xterm and kitty have in common. F3 is kitty's, which leaves CSI R to the
// cursor's position report; xterm's is with the other three of its row.
var forms = map[Code]form{
	Up: {1, 'A'}, Down: {1, 'B'}, Right: {1, 'C'}, Left: {1, 'D'},
	KPBegin: {1, 'E'}, End: {1, 'F'}, Home: {1, 'H'},
	Insert: {2, '~'}, Delete: {3, '~'}, PageUp: {5, '~'}, PageDown: {6, '~'},
	F1: {1, 'P'}, F2: {1, 'Q'}, F3: {13, '~'}, F4: {1, 'S'},
	F5: {15, '~'}, F6: {17, '~'}, F7: {18, '~'}, F8: {19, '~'},
	F9: {20, '~'}, F10: {21, '~'}, F11: {23, '~'}, F12: {24, '~'},
}

// legacyForms are xterm's where kitty's differ. Its F21 and up are numbered in sequence.
var legacyForms = map[Code]form{
	F3:  {1, 'R'},
	F13: {25, '~'}, F14: {26, '~'}, F15: {28, '~'}, F16: {29, '~'},
	F17: {31, '~'}, F18: {32, '~'}, F19: {33, '~'}, F20: {34, '~'},
	Menu: {29, '~'},
}

// f21Number is the number of F21 in xterm's sequences.
const f21Number = 42

func (c Code) legacyForm() form {
	if c >= F21 && c <= F35 {
		return form{f21Number + int(c-F21), '~'}
	}
	if f, ok := legacyForms[c]; ok {
		return f
	}
	return forms[c]
}

// kittyForms are those of kitty's that are C0 controls by number.
var kittyForms = map[Code]form{
	Escape: {esc, 'u'}, Enter: {'\r', 'u'}, Tab: {'\t', 'u'}, Backspace: {del, 'u'},
}

func (c Code) kittyForm() form {
	if f, ok := forms[c]; ok {
		return f
	}
	if f, ok := kittyForms[c]; ok {
		return f
	}
	return form{int(c), 'u'}
}
