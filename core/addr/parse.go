package addr

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"apex/core/text"
)

const (
	// MaxBytes is the longest address that Parse takes. It bounds the depth of recursion, and
	// people don't write longer ones.
	MaxBytes = 4096

	// maxNumber is what larger numbers count as: more than any text has, and far enough from
	// overflow to be added to an offset.
	maxNumber = math.MaxInt / 4
)

// Addr is an address that was read. It is immutable. The zero value is dot.
type Addr struct {
	src  string
	root *expr
}

// String gives the address as it was written.
func (a Addr) String() string { return a.src }

// expr is a range of two addresses if sep is ',' or ';', else a chain of steps.
type expr struct {
	sep         byte
	left, right *expr // nil: the default
	steps       []step
}

// step is one part of a chain: '.', '$', '+', '-', 'l' for a line, '#' for a rune, '/' or '?'.
type step struct {
	op      byte
	number  int
	source  string // of the pattern
	pattern *text.Pattern
}

// Parse reads an address. The error is an [*Error] with CodeSyntax.
func Parse(s string) (Addr, error) {
	a, _, err := parse(s)
	return a, err
}

// parse also tells whether the address ends within a pattern that nothing closes.
func parse(s string) (a Addr, open bool, err error) {
	p := &parser{src: s}
	if len(s) > MaxBytes {
		p.src = s[:32] + "..."
		return Addr{}, false, p.failf(nil, "%d bytes long, more than %d", len(s), MaxBytes)
	}
	root, err := p.compound()
	if err != nil {
		return Addr{}, false, err
	}
	if p.peek() != 0 || p.at < len(s) {
		r, _ := utf8.DecodeRuneInString(s[p.at:])
		return Addr{}, false, p.failf(nil, "unexpected %q at byte %d", r, p.at)
	}
	return Addr{src: s, root: root}, p.open, nil
}

type parser struct {
	src  string
	at   int
	open bool // the last pattern had no closing delimiter
}

func (p *parser) failf(err error, format string, args ...any) error {
	return &Error{CodeSyntax, p.src, fmt.Sprintf(format, args...), err}
}

// peek skips blanks and gives the next byte, 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.src) && (p.src[p.at] == ' ' || p.src[p.at] == '\t') {
		p.at++
	}
	if p.at == len(p.src) {
		return 0
	}
	return p.src[p.at]
}

func (p *parser) compound() (*expr, error) {
	left, err := p.chain()
	if err != nil {
		return nil, err
	}
	sep := p.peek()
	if sep != ',' && sep != ';' {
		return left, nil
	}
	p.at++
	right, err := p.compound()
	if err != nil {
		return nil, err
	}
	if right != nil && right.sep != 0 && right.left == nil {
		return nil, p.failf(nil, "nothing between %q and %q", sep, right.sep)
	}
	return &expr{sep: sep, left: left, right: right}, nil
}

// chain reads steps and puts the missing + between them. It gives nil if there are none.
func (p *parser) chain() (*expr, error) {
	var steps []step
	for {
		s, ok, err := p.step()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if len(steps) > 0 {
			switch s.op {
			case '.', '$':
				return nil, p.failf(nil, "%q after another address", s.op)
			case 'l', '#', '/', '?':
				if last := steps[len(steps)-1].op; last != '+' && last != '-' {
					steps = append(steps, step{op: '+'})
				}
			}
		}
		steps = append(steps, s)
	}
	if steps == nil {
		return nil, nil
	}
	return &expr{steps: steps}, nil
}

func (p *parser) step() (s step, ok bool, err error) {
	switch c := p.peek(); c {
	case '.', '$', '+', '-':
		p.at++
		return step{op: c}, true, nil
	case '#':
		p.at++
		return step{op: c, number: p.number()}, true, nil
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return step{op: 'l', number: p.number()}, true, nil
	case '/', '?':
		p.at++
		s, err := p.pattern(c)
		return s, err == nil, err
	}
	return step{}, false, nil
}

// number reads digits, 1 if there are none.
func (p *parser) number() int {
	first, n := p.at, 0
	for ; p.at < len(p.src) && '0' <= p.src[p.at] && p.src[p.at] <= '9'; p.at++ {
		n = min(maxNumber/10, n)*10 + int(p.src[p.at]-'0')
	}
	if p.at == first {
		return 1
	}
	return min(maxNumber, n)
}

// pattern reads a regular expression to its delimiter or the end, as sam does: \ and the delimiter
// are the delimiter, \ and anything else are left to the expression.
func (p *parser) pattern(delimiter byte) (step, error) {
	var b strings.Builder
	p.open = true
	for p.at < len(p.src) && p.open && p.src[p.at] != '\n' {
		c := p.src[p.at]
		p.at++
		switch {
		case c == delimiter:
			p.open = false
		case c == '\\' && p.at < len(p.src) && p.src[p.at] != '\n':
			if p.src[p.at] != delimiter {
				b.WriteByte(c)
			}
			b.WriteByte(p.src[p.at])
			p.at++
		default:
			b.WriteByte(c)
		}
	}
	if b.Len() == 0 {
		return step{}, p.failf(nil, "empty pattern")
	}
	pattern, err := text.CompilePattern(b.String(), text.SamSyntax, true)
	if err != nil {
		return step{}, p.failf(err, "%v", err)
	}
	return step{op: delimiter, source: b.String(), pattern: pattern}, nil
}
