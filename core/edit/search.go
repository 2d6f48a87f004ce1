package edit

import "apex/core/text"

// Look returns the next occurrence of s that begins at or after rune q; past the end of the text
// it goes on at the beginning. An empty s occurs nowhere.
func Look(t text.Text, q int, s string) (q0, q1 int, ok bool) {
	if s == "" {
		return 0, 0, false
	}
	at := t.Index(q, s)
	if at < 0 {
		at = t.Index(0, s)
	}
	if at < 0 {
		return 0, 0, false
	}
	return at, at + text.FromString(s).Runes(), true
}
