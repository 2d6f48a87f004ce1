package input

import (
	"strconv"
	"unicode/utf8"
)

// Mouse is one event of the mouse.
type Mouse struct {
	Button Button
	Action Action
	X, Y   int  // cells from 0 at the top left
	PX, PY int  // the same in pixels, for MouseSGRPixels
	Mods   Mods // Shift, Alt or Meta, and Ctrl are reported
}

// Button is a mouse button by its number in X.
type Button uint8

// The buttons. ButtonNone is that of motion with none held.
const (
	ButtonNone Button = iota
	ButtonLeft
	ButtonMiddle
	ButtonRight
	WheelUp
	WheelDown
	WheelLeft
	WheelRight
	Button8 // back
	Button9 // forward
	Button10
	Button11
	endButton
)

func (b Button) wheel() bool { return b >= WheelUp && b <= WheelRight }

// Action is what a button did. In motion, Button is the one that is held: with several, the lowest.
type Action uint8

// The actions. A turn of the wheel is a press of its button.
const (
	MousePress Action = iota
	MouseRelease
	MouseMotion
)

// The last cells, from 0, that the encodings in bytes have room for.
const (
	legacyLast = 0xff - firstCell
	utf8Last   = 0x7ff - firstCell
	firstCell  = ' ' + 1
)

// What a button's code consists of beside the low two bits.
const (
	codeNone   = 3 // no button, or in the encodings in bytes a release
	codeShift  = 4
	codeMeta   = 8
	codeCtrl   = 16
	codeMotion = 32
	codeWheel  = 64
	codeExtra  = 128
)

// AppendMouse appends the report of e, or nothing if the program did not ask for it. Motion is
// reported each time: the caller leaves out what stays in a cell, or with MouseSGRPixels at a
// pixel.
//
// In the encodings in bytes a press or motion beyond the last cell that they have room for is left
// out, for another place would be a lie; a release there is reported at the last cell, since
// without it the program would believe the button held.
func AppendMouse(dst []byte, m Modes, e Mouse) []byte {
	if !m.wants(e) {
		return dst
	}
	code := e.Button.code()
	if e.Action == MouseMotion {
		code |= codeMotion
	}
	if m.Mouse != TrackX10 {
		code |= modCode(e.Mods)
	}
	x, y := max(e.X, 0), max(e.Y, 0)
	final := byte('M')
	switch m.MouseEncoding {
	case MouseSGRPixels:
		x, y = max(e.PX, 0), max(e.PY, 0)
		fallthrough
	case MouseSGR:
		if e.Action == MouseRelease {
			final = 'm'
		}
		return append(appendNumbers(append(dst, "\x1b[<"...), code, x+1, y+1), final)
	}
	if e.Action == MouseRelease {
		code |= codeNone
		code &^= codeExtra
	}
	switch m.MouseEncoding {
	case MouseURXVT:
		return append(appendNumbers(append(dst, "\x1b["...), ' '+code, x+1, y+1), final)
	case MouseUTF8:
		return appendBytes(dst, e.Action, utf8Last, code, x, y)
	}
	return appendBytes(dst, e.Action, legacyLast, code, x, y)
}

// wants reports whether the program asked for e.
func (m *Modes) wants(e Mouse) bool {
	if e.Button >= endButton || e.Action != MouseMotion && e.Button == ButtonNone ||
		e.Action != MousePress && e.Button.wheel() {
		return false
	}
	switch e.Action {
	case MousePress:
		return m.Mouse >= TrackNormal || m.Mouse == TrackX10 && e.Button <= ButtonRight
	case MouseRelease:
		return m.Mouse >= TrackNormal
	case MouseMotion:
		return m.Mouse >= TrackAny || m.Mouse == TrackButton && e.Button != ButtonNone
	}
	return false
}

func (b Button) code() int {
	switch {
	case b == ButtonNone:
		return codeNone
	case b <= ButtonRight:
		return int(b - ButtonLeft)
	case b.wheel():
		return codeWheel + int(b-WheelUp)
	}
	return codeExtra + int(b-Button8)
}

func modCode(mods Mods) (code int) {
	if mods&Shift != 0 {
		code |= codeShift
	}
	if mods&(Alt|Meta) != 0 {
		code |= codeMeta
	}
	if mods&Ctrl != 0 {
		code |= codeCtrl
	}
	return code
}

func appendNumbers(dst []byte, a, b, c int) []byte {
	dst = append(strconv.AppendInt(dst, int64(a), 10), ';')
	dst = append(strconv.AppendInt(dst, int64(b), 10), ';')
	return strconv.AppendInt(dst, int64(c), 10)
}

// appendBytes appends a report in the encodings that have one character for each number.
func appendBytes(dst []byte, a Action, last, code, x, y int) []byte {
	if a == MouseRelease {
		x, y = min(x, last), min(y, last)
	}
	if x > last || y > last {
		return dst
	}
	dst = append(dst, "\x1b[M"...)
	for _, n := range [...]int{' ' + code, firstCell + x, firstCell + y} {
		if last == utf8Last {
			dst = utf8.AppendRune(dst, rune(n))
		} else {
			dst = append(dst, byte(n))
		}
	}
	return dst
}

// altScrollLines bounds what one turn of the wheel becomes, for a caller that took its number from
// elsewhere.
const altScrollLines = 100

// AppendAltScroll appends the cursor keys, one for each line, that a turn of the wheel stands for:
// on the alternate screen, if the program asked for that and not for the mouse itself. It appends
// nothing for anything else.
func AppendAltScroll(dst []byte, m Modes, e Mouse, lines int) []byte {
	if !m.AltScroll || !m.AltScreen || m.Mouse != TrackNone || e.Action != MousePress {
		return dst
	}
	var k Key
	switch e.Button {
	case WheelUp:
		k.Code = Up
	case WheelDown:
		k.Code = Down
	default:
		return dst
	}
	for range min(lines, altScrollLines) {
		dst = AppendKey(dst, m, k)
	}
	return dst
}
