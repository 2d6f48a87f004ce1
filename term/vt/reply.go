package vt

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"apex/core/cell"
)

// repliesMax bounds the answers that wait for Replies; what a program asks beyond that is not
// answered. It holds the answers to every question there is a hundred times.
const repliesMax = 64 << 10

// Replies returns what the terminal has to answer since the last call, to be sent to the program as
// input. The bytes are the caller's.
func (s *Screen) Replies() []byte {
	r := s.replies
	s.replies = nil
	return r
}

// Answer turns answers on, as they are at first, or off, as they should be while bytes are written
// again that were answered before. Events and counters know no difference.
func (s *Screen) Answer(on bool) { s.silent = !on }

func (s *Screen) reply(text string) {
	if !s.silent && len(s.replies)+len(text) <= repliesMax {
		s.replies = append(s.replies, text...)
	}
}

func (s *Screen) replyf(format string, args ...any) { s.reply(fmt.Sprintf(format, args...)) }

// deviceAttributes is DA1: a VT220 with colours and a clipboard.
func (s *Screen) deviceAttributes() { s.reply("\x1b[?62;22;52c") }

// identify are DA2, DA3, XTVERSION and the question for modifyOtherKeys.
func (s *Screen) identify(prefix, b byte) {
	first := s.parser.param(0, 0)
	switch {
	case b == 'm':
		if first == modifyOtherKeys {
			s.replyf("\x1b[>4;%dm", s.modes.modifyKeys)
		}
	case first != 0:
	case b == 'q':
		s.replyf("\x1bP>|%s\x1b\\", s.opts.Name)
	case prefix == '>':
		s.reply("\x1b[>1;10;0c")
	default:
		s.reply("\x1bP!|00000000\x1b\\")
	}
}

func (s *Screen) statusReport(n int) {
	switch n {
	case 5:
		s.reply("\x1b[0n")
	case 6:
		s.replyf("\x1b[%d;%dR", s.cur.y-s.originY()+1, s.cur.x+1)
	}
}

func (s *Screen) privateStatusReport(n int) {
	switch n {
	case 6:
		s.replyf("\x1b[?%d;%d;1R", s.cur.y-s.originY()+1, s.cur.x+1)
	case 15:
		s.reply("\x1b[?13n") // no printer
	case 25:
		s.reply("\x1b[?21n") // user-defined keys are locked
	case 26:
		s.reply("\x1b[?27;1;0;0n") // a North American keyboard
	case 996:
		s.reportScheme()
	}
}

func (s *Screen) reportScheme() {
	scheme := 2
	if s.dark() {
		scheme = 1
	}
	s.replyf("\x1b[?997;%dn", scheme)
}

func (s *Screen) reportMode(prefix string, m modeState) {
	s.replyf("\x1b[%s%d;%d$y", prefix, m.number, m.value)
}

// SetCellPixels tells the size of a cell on the user's display, for the program's questions. They
// are not answered while it is 0.
func (s *Screen) SetCellPixels(width, height int) {
	s.cellW, s.cellH = max(width, 0), max(height, 0)
}

// windowOp is XTWINOPS: the sizes, and the stack of titles.
func (s *Screen) windowOp() {
	pixels := s.cellW > 0 && s.cellH > 0
	switch op := s.parser.param(0, 0); {
	case op == 14 && pixels:
		s.replyf("\x1b[4;%d;%dt", s.rows*s.cellH, s.cols*s.cellW)
	case op == 16 && pixels:
		s.replyf("\x1b[6;%d;%dt", s.cellH, s.cellW)
	case op == 18:
		s.replyf("\x1b[8;%d;%dt", s.rows, s.cols)
	case op == 19:
		s.replyf("\x1b[9;%d;%dt", s.rows, s.cols)
	case op == 22 && s.parser.param(1, 0) != 1:
		if len(s.titles) == titlesMax {
			s.titles = append(s.titles[:0:0], s.titles[1:]...)
		}
		s.titles = append(s.titles, s.title)
	case op == 23 && s.parser.param(1, 0) != 1 && len(s.titles) > 0:
		s.title = s.titles[len(s.titles)-1]
		s.titles = s.titles[:len(s.titles)-1]
	}
}

// dcs executes a device control string: DECRQSS or XTGETTCAP.
func (s *Screen) dcs(str []byte) {
	text := string(str)
	if what, ok := strings.CutPrefix(text, "$q"); ok {
		if setting, ok := s.setting(what); ok {
			s.replyf("\x1bP1$r%s\x1b\\", setting)
		} else {
			s.reply("\x1bP0$r\x1b\\")
		}
	}
	if names, ok := strings.CutPrefix(text, "+q"); ok {
		for name := range strings.SplitSeq(names, ";") {
			s.capability(name)
		}
	}
}

// setting returns the sequence that would set what is so now.
func (s *Screen) setting(what string) (string, bool) {
	switch what {
	case "m":
		return s.cur.pen.sgr() + "m", true
	case "r":
		return fmt.Sprintf("%d;%dr", s.top+1, s.bottom+1), true
	case " q":
		return fmt.Sprintf("%d q", s.modes.cursorStyle), true
	case "\"p":
		return "62;1\"p", true
	}
	return "", false
}

// sgr returns the parameters that make a pen look like l.
func (l look) sgr() string {
	p := []string{"0"}
	for n, a := range attrOf {
		if a != 0 && l.attr&a != 0 && n != 6 {
			p = append(p, strconv.Itoa(n))
		}
	}
	switch u := l.attr.Underline(); u {
	case cell.NoUnderline:
	case cell.SingleUnderline:
		p = append(p, "4")
	default:
		p = append(p, fmt.Sprintf("4:%d", u))
	}
	p = appendSGRColour(p, 30, l.fg)
	p = appendSGRColour(p, 40, l.bg)
	p = appendSGRColour(p, 50, l.under)
	return strings.Join(p, ";")
}

// appendSGRColour appends the parameters for c; base is 30, 40, or 50 for underlines.
func appendSGRColour(p []string, base int, c cell.Colour) []string {
	if r, g, b, ok := c.RGB(); ok {
		return append(p, fmt.Sprintf("%d:2::%d:%d:%d", base+8, r, g, b))
	}
	n, ok := c.Palette()
	switch {
	case !ok:
		return p
	case n < 8 && base < 50:
		return append(p, strconv.Itoa(base+int(n)))
	case n < 16 && base < 50:
		return append(p, strconv.Itoa(base+60+int(n)-8))
	}
	return append(p, fmt.Sprintf("%d:5:%d", base+8, n))
}

var capabilities = map[string]string{"TN": "xterm-256color", "Co": "256", "colors": "256", "RGB": "8"}

// capability answers XTGETTCAP for one name in hexadecimal.
func (s *Screen) capability(name string) {
	raw, err := hex.DecodeString(name)
	value := capabilities[string(raw)]
	if err != nil || value == "" {
		s.replyf("\x1bP0+r%s\x1b\\", printable(name))
		return
	}
	s.replyf("\x1bP1+r%s=%X\x1b\\", name, value)
}
