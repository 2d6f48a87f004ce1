package paint

import "strconv"

// backspaces is up to how many columns back are cheaper as backspaces than as an absolute move.
const backspaces = 4

// moveTo brings the terminal's cursor to x, y, which are on the screen.
func (p *Painter) moveTo(x, y int) {
	if p.x == x && p.y == y {
		return
	}
	p.last = p.last[:0]
	switch {
	case p.x < 0: // unknown
	case y == p.y && x == 0:
		p.body = append(p.body, '\r')
		p.x = 0
		return
	case y == p.y && x > p.x:
		p.body = appendCSI(p.body, x-p.x, 'C')
		p.x = x
		return
	case y == p.y && p.x-x <= backspaces:
		for ; p.x > x; p.x-- {
			p.body = append(p.body, '\b')
		}
		return
	case y == p.y+1 && x == 0:
		p.body = append(p.body, '\r', '\n')
		p.x, p.y = 0, y
		return
	}
	p.body = appendPosition(p.body, x, y)
	p.x, p.y = x, y
}

// appendPosition appends the absolute move to x, y.
func appendPosition(buf []byte, x, y int) []byte {
	buf = append(buf, "\x1b["...)
	if x > 0 || y > 0 {
		buf = strconv.AppendInt(buf, int64(y)+1, 10)
	}
	if x > 0 {
		buf = append(buf, ';')
		buf = strconv.AppendInt(buf, int64(x)+1, 10)
	}
	return append(buf, 'H')
}

// appendCSI appends a control sequence with one parameter whose default is 1.
func appendCSI(buf []byte, n int, final byte) []byte {
	buf = append(buf, "\x1b["...)
	if n != 1 {
		buf = strconv.AppendInt(buf, int64(n), 10)
	}
	return append(buf, final)
}
