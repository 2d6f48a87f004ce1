package tui

import (
	"strings"
	"unicode"
)

// showKey writes a key's name as people do: Ctrl-S, Shift-F3, Alt-Left.
func showKey(name string) string {
	parts := strings.Split(name, "+")
	for i, p := range parts {
		if p == "pgdown" || p == "pgup" {
			parts[i] = "Pg" + string(unicode.ToUpper(rune(p[2]))) + p[3:]
			continue
		}
		r := []rune(p)
		r[0] = unicode.ToUpper(r[0])
		parts[i] = string(r)
	}
	return strings.Join(parts, "-")
}
