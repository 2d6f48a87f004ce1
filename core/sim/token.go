package sim

import "apex/core"

// token is a unique text that a client typed.
type token struct {
	text    string
	buffer  core.BufferID
	gone    bool // deleted again where it was typed
	revived bool // and brought back, which others may have been asked for as well
}

// A token's runes are its own: no other text holds any of them, so what is left of a token that
// was cut never looks like a whole one.
const (
	tokenRunes = 3
	firstRune  = 0x4e00
	lastRune   = 0x9fff
)

// tokenText returns the n-th token.
func tokenText(n int) string {
	r := rune(firstRune + n*tokenRunes)
	if r+tokenRunes > lastRune {
		panic("sim: out of tokens")
	}
	return string([]rune{r, r + 1, r + 2})
}

// tokensIn calls f with the whole tokens in s.
func tokensIn(s string, f func(string)) {
	var from int
	var want rune // the next rune of the token that began at from
	for i, r := range s {
		k := (r - firstRune) % tokenRunes
		switch {
		case r < firstRune || r > lastRune:
			want = 0
		case k == 0:
			from, want = i, r+1
		case r != want:
			want = 0
		case k == tokenRunes-1:
			f(s[from : i+len(string(r))])
			want = 0
		default:
			want = r + 1
		}
	}
}
