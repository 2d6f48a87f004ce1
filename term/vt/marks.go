package vt

import "strconv"

// MarkKind is a place in the output of a shell, named by the letter that OSC 133 has for it.
type MarkKind byte

// The kinds of marks.
const (
	PromptStart MarkKind = 'A'
	InputStart  MarkKind = 'B' // where the prompt ends
	OutputStart MarkKind = 'C'
	OutputEnd   MarkKind = 'D'
)

// MarksMax is the number of marks that are kept for lines of the history; when there are more, the
// oldest quarter goes. It is four for each line of a history of 16,384.
const MarksMax = 1 << 16

// UnknownStatus is the Status of a mark that tells none.
const UnknownStatus = -1

// Mark is a place that the shell marked on the main screen.
type Mark struct {
	Seq    uint64 // counts the marks of a terminal from 1
	Kind   MarkKind
	Line   uint64 // as for Screen.Line
	Col    int    // cells before it in the line
	Status int    // of the command, in an OutputEnd; else UnknownStatus
}

// rowMark is a mark that is still on the screen.
type rowMark struct {
	seq    uint64
	kind   MarkKind
	status int
	x      int
}

func (m rowMark) at(line uint64, col int) Mark {
	return Mark{Seq: m.seq, Kind: m.kind, Line: line, Col: col, Status: m.status}
}

// MarksSeen is the number of marks so far: the Seq of the newest.
func (s *Screen) MarksSeen() uint64 { return s.marksSeen }

// Marks returns the marks that are still in the history and on the main screen, from the top.
func (s *Screen) Marks() []Mark { return s.MarksSince(0) }

// MarksSince returns those of Marks that were made after the mark seq.
func (s *Screen) MarksSince(seq uint64) []Mark {
	var out []Mark
	for _, m := range s.history.marks {
		if m.Seq > seq {
			out = append(out, m)
		}
	}
	s.eachMainRow(func(r *row, line uint64, col int) bool {
		for _, m := range r.marks {
			if m.seq > seq {
				out = append(out, m.at(line, col+m.x))
			}
		}
		return true
	})
	return out
}

// mark puts a mark at the cursor. It takes the place of those of its kind in the row: a prompt that
// is drawn again moves its marks. Only rows that a resize has joined have several of one kind.
func (s *Screen) mark(arg string) {
	if arg == "" || s.g != &s.main {
		return
	}
	k := MarkKind(arg[0])
	if k < PromptStart || k > OutputEnd || len(arg) > 1 && arg[1] != ';' {
		return
	}
	if k == PromptStart && isSecondary(arg) {
		return
	}
	s.marksSeen++
	m := rowMark{seq: s.marksSeen, kind: k, status: UnknownStatus, x: s.cur.x}
	if k == OutputEnd && len(arg) > 2 {
		digits, _, _ := cutByte(arg[2:], ';')
		if v, err := strconv.Atoi(digits); err == nil && v >= 0 && v <= statusMax {
			m.status = v
		}
	}
	r := s.row()
	kept := r.marks[:0:0]
	for _, old := range r.marks {
		if old.kind != k {
			kept = append(kept, old)
		}
	}
	r.marks = append(kept, m)
	r.gen = s.gen
}

// statusMax bounds exit statuses: 32 bits are more than any system has.
const statusMax = 1<<31 - 1

// isSecondary reports whether a prompt's options say that it continues a command (k=s).
func isSecondary(arg string) bool {
	for rest, more := arg, true; more; {
		var option string
		option, rest, more = cutByte(rest, ';')
		if option == "k=s" || option == "k=c" {
			return true
		}
	}
	return false
}
