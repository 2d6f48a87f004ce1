package paint

import "bytes"

// effect is what a piece of somebody else's output did to the terminal.
type effect struct {
	screen bool // cells may have changed
	wrap   bool // automatic wrapping may be on
	title  bool // the title or the cursor's shape changed
	altOn  bool // it ends on the alternate screen, having switched to it
	altOff bool // it ends on the main screen, having switched to it
}

// scan reads a whole write of Bubble Tea. Sequences known to leave the cells alone pass; everything
// else, plain text too, counts as a change of the screen.
func scan(b []byte) (e effect) {
	for len(b) > 0 {
		switch {
		case b[0] == '\r' || b[0] == '\b' || b[0] == '\a':
			b = b[1:]
		case b[0] == 0x1B && len(b) > 1:
			b = scanEscape(b, &e)
		default:
			e.screen = true
			b = b[1:]
		}
	}
	return e
}

// scanEscape reads the sequence that b begins with and returns what follows.
func scanEscape(b []byte, e *effect) []byte {
	switch b[1] {
	case '[':
		return scanCSI(b, e)
	case ']', 'P', '_', '^', 'X':
		if b[1] == ']' {
			e.title = true
		}
		return scanString(b, e)
	case '7', '8', '=', '>', '\\':
		return b[2:]
	}
	e.screen = true
	return b[2:]
}

func scanCSI(b []byte, e *effect) []byte {
	i := 2
	for i < len(b) && b[i] >= 0x20 && b[i] < 0x40 {
		i++
	}
	if i == len(b) || b[i] > 0x7E {
		e.screen = true // cut off, or not a sequence
		return b[i:]
	}
	param, final := b[2:i], b[i]
	switch final {
	case 'h', 'l':
		e.mode(param, final == 'h')
	case 'q':
		e.title = true
	case 'W':
		e.screen = e.screen || string(param) != "?5"
	case 'H', 'f', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'd', 'a', 'e', '`', // cursor moves
		'm', 'n', 'c', 'p', 'u', 's', 't', 'g': // renditions, queries, keyboards
		if final == 'p' && string(param) == "!" {
			*e = effect{screen: true, wrap: true, title: true} // soft reset
		}
	default:
		e.screen = true
	}
	return b[i+1:]
}

// mode notes the modes that matter here; others leave the cells alone.
func (e *effect) mode(param []byte, on bool) {
	if len(param) == 0 || param[0] != '?' {
		e.screen = true
		return
	}
	for _, m := range bytes.Split(param[1:], []byte{';'}) {
		switch string(m) {
		case "1049", "1047", "47":
			e.altOn, e.altOff, e.screen, e.wrap = on, !on, true, true
		case "7":
			e.wrap = true
		case "3", "5", "6":
			e.screen = true
		}
	}
}

// scanString skips a string up to its terminator, ST or BEL.
func scanString(b []byte, e *effect) []byte {
	for i := 2; i < len(b); i++ {
		switch {
		case b[i] == '\a' && b[1] == ']':
			return b[i+1:]
		case b[i] == 0x1B && i+1 < len(b) && b[i+1] == '\\':
			return b[i+2:]
		}
	}
	e.screen = true
	return nil
}
