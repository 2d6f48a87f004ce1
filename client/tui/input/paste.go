package input

import (
	"bytes"
	"time"
	"unicode/utf8"
)

const (
	// PasteMaxBytes is the longest paste that is kept. What comes after it is counted and dropped,
	// so that a runaway program on the other side can't take all memory.
	PasteMaxBytes = 256 << 20
	// PasteStall is the pause in a paste after which a key means that its end mark was lost. Within a
	// paste nothing else ever depends on time.
	PasteStall = 2 * time.Second

	// keyMaxBytes is the longest that one key is as a sequence, with room to spare.
	keyMaxBytes = 32
	// heldFrom is how many bytes of a start mark are held back when no more come. Fewer are keys of
	// their own, Esc and Alt-[, and wait to be decoded instead.
	heldFrom = 3
)

var (
	startMark = []byte("\x1b[200~")
	endMark   = []byte("\x1b[201~")
)

// Paste is one bracketed paste of the host terminal.
type Paste struct {
	Text    []byte // exactly as it came: any bytes, CR where the terminal turned line ends into it
	Dropped int    // bytes beyond PasteMaxBytes, which are lost
	Cut     bool   // the end mark never came: a key after a pause, or the end of input, ended it
}

// cutter takes pastes out of a stream that it is fed in pieces of any size. In the place of each
// paste it leaves an empty one.
type cutter struct {
	inside  bool
	matched int       // bytes of the mark that is looked for, seen so far and not in the text
	passed  int       // bytes of a start mark that were passed on already
	lost    bool      // those have become keys meanwhile
	at      time.Time // when the last byte came
	suspect bool      // the bytes matched came alone after a pause: an Esc, perhaps
	paste   Paste
	done    func(Paste)
	maximum int
}

// feed appends to out what is to be passed on of in, which was read at the time now.
func (c *cutter) feed(out, in []byte, now time.Time) []byte {
	if len(in) == 0 {
		return out
	}
	if c.inside {
		in, out = c.recover(in, out, now)
	} else if c.lost {
		in = c.late(in)
	}
	for len(in) > 0 {
		if c.inside {
			in, out = c.text(in, out)
		} else {
			in, out = c.keys(in, out)
		}
	}
	c.at = now
	if !c.inside && c.matched > c.passed && c.matched < heldFrom {
		out = append(out, startMark[c.passed:c.matched]...)
		c.passed = c.matched
	}
	return out
}

// late decides about in when what was passed on has become a key. The rest of a start mark by
// itself, or what of it comes at once, would be typed, so it gets its beginning back: the user sees
// an Esc too many.
func (c *cutter) late(in []byte) []byte {
	rest := startMark[c.matched:]
	if bytes.HasPrefix(in, rest) || len(in) > 1 && bytes.HasPrefix(rest, in) {
		in = append(append([]byte(nil), startMark[:c.matched]...), in...)
	} else if c.matched > c.passed {
		in = append(append([]byte(nil), startMark[c.passed:c.matched]...), in...)
	}
	c.matched, c.passed, c.lost = 0, 0, false
	return in
}

// gone is called when what was passed on, and not decoded, is not waited for any longer.
func (c *cutter) gone() { c.lost = c.passed > 0 }

// holds reports whether part of a start mark is held back.
func (c *cutter) holds() bool { return !c.inside && c.matched > c.passed }

// keys passes on what comes before the next start mark and returns the rest.
func (c *cutter) keys(in, out []byte) (rest, passed []byte) {
	if c.matched == 0 {
		i := bytes.IndexByte(in, startMark[0])
		if i < 0 {
			return nil, append(out, in...)
		}
		out, in = append(out, in[:i]...), in[i:]
	}
	for i, b := range in {
		if b != startMark[c.matched] {
			out = append(out, startMark[c.passed:c.matched]...)
			c.matched, c.passed = 0, 0
			return in[i:], out
		}
		if c.matched++; c.matched == len(startMark) {
			out = append(out, startMark[c.passed:]...)
			c.inside, c.matched, c.passed = true, 0, 0
			return in[i+1:], out
		}
	}
	return nil, out
}

// text keeps what comes before the end mark and returns the rest.
func (c *cutter) text(in, out []byte) (rest, passed []byte) {
	for len(in) > 0 {
		if c.matched == 0 {
			i := bytes.IndexByte(in, endMark[0])
			if i < 0 {
				c.keep(in)
				return nil, out
			}
			c.keep(in[:i])
			in, c.matched = in[i+1:], 1
			continue
		}
		if in[0] != endMark[c.matched] {
			c.keep(endMark[:c.matched])
			c.matched = 0
			continue
		}
		in = in[1:]
		if c.matched++; c.matched == len(endMark) {
			c.matched = 0
			return in, c.end(out)
		}
	}
	return nil, out
}

func (c *cutter) keep(b []byte) {
	c.suspect = c.suspect && len(b) == 0
	n := min(len(b), c.maximum-len(c.paste.Text))
	c.paste.Text = append(c.paste.Text, b[:n]...)
	c.paste.Dropped += len(b) - n
}

// end hands the paste over and appends the end mark, which stands for it among the keys.
func (c *cutter) end(out []byte) []byte {
	paste := c.paste
	c.inside, c.suspect, c.paste = false, false, Paste{}
	c.done(paste)
	return append(out, endMark...)
}

// recover ends the paste when in looks like a key after a pause, and returns what is then to be
// read as keys. An Esc by itself may be the beginning of the end mark; the read after it decides.
func (c *cutter) recover(in, out []byte, now time.Time) (rest, passed []byte) {
	if !c.suspect && (now.Sub(c.at) < PasteStall || c.matched > 0) {
		return in, out // with a part of the mark matched, the mark itself is late
	}
	all := in
	if c.suspect {
		all = append(append([]byte(nil), endMark[:c.matched]...), in...)
	}
	switch {
	case bytes.HasPrefix(endMark, all):
		c.suspect = true
		return in, out
	case bytes.HasPrefix(all, endMark) || !isKey(all) && !bytes.HasPrefix(all, startMark):
		return in, out
	}
	c.paste.Cut = true
	c.matched = 0
	return all, c.end(out)
}

// isKey reports whether b is one key as a terminal sends it: a rune, a control character, or a
// sequence that begins with ESC.
func isKey(b []byte) bool {
	if len(b) > keyMaxBytes {
		return false
	}
	if b[0] == 0x1B {
		return true
	}
	_, n := utf8.DecodeRune(b)
	return n == len(b)
}

// finish ends what is open at the end of the input.
func (c *cutter) finish(out []byte) []byte {
	if c.inside {
		c.keep(endMark[:c.matched])
		c.matched = 0
		c.paste.Cut = true
		return c.end(out)
	}
	out = append(out, startMark[c.passed:c.matched]...)
	c.matched, c.passed = 0, 0
	return out
}
