package input

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// modNames are in the order in which they are written.
var modNames = []struct {
	mod  Mod
	name string
}{
	{Ctrl, "ctrl"}, {Alt, "alt"}, {Shift, "shift"},
	{Meta, "meta"}, {Hyper, "hyper"}, {Super, "super"},
}

// keyNames are the keys that are not written as their rune. F1 to F63 are made up.
var keyNames = []struct {
	code rune
	name string
}{
	{tea.KeyUp, "up"}, {tea.KeyDown, "down"}, {tea.KeyLeft, "left"}, {tea.KeyRight, "right"},
	{tea.KeyHome, "home"}, {tea.KeyEnd, "end"}, {tea.KeyPgUp, "pgup"}, {tea.KeyPgDown, "pgdown"},
	{tea.KeyInsert, "insert"}, {tea.KeyDelete, "delete"}, {tea.KeyBegin, "begin"},
	{tea.KeyBackspace, "backspace"}, {tea.KeyTab, "tab"}, {tea.KeyEnter, "enter"},
	{tea.KeyEscape, "esc"}, {tea.KeySpace, "space"}, {'+', "plus"}, {tea.KeyMenu, "menu"},
}

// otherNames can be read too.
var otherNames = map[string]rune{
	"escape": tea.KeyEscape, "return": tea.KeyEnter, "pageup": tea.KeyPgUp, "pagedown": tea.KeyPgDown,
	"pgdn": tea.KeyPgDown, "del": tea.KeyDelete, "ins": tea.KeyInsert,
}

const lastFunctionKey = 63

// String returns the name of k as ParseKey reads it, such as "ctrl+shift+left" or "alt+x".
func (k Key) String() string {
	var b strings.Builder
	for _, m := range modNames {
		if k.Mod&m.mod != 0 {
			b.WriteString(m.name + "+")
		}
	}
	return b.String() + codeName(k.Code)
}

func codeName(code rune) string {
	for _, n := range keyNames {
		if n.code == code {
			return n.name
		}
	}
	if code >= tea.KeyF1 && code <= tea.KeyF63 {
		return "f" + strconv.Itoa(int(code-tea.KeyF1)+1)
	}
	if code > ' ' && code != utf8.RuneError && unicode.IsPrint(code) {
		return string(code)
	}
	return fmt.Sprintf("key%d", code)
}

// ParseKey reads a name: modifiers and a key, joined by "+", in any order of modifiers and any
// case but that of a single letter, where a capital stands for shift. "plus" is the key +, which
// may also be written as itself at the end.
func ParseKey(name string) (Key, error) {
	parts := strings.Split(name, "+")
	if n := len(parts); n >= 2 && parts[n-1] == "" && parts[n-2] == "" {
		parts = append(parts[:n-2], "plus")
	}
	var mod Mod
	for _, part := range parts[:len(parts)-1] {
		m, ok := parseMod(part)
		if !ok {
			return Key{}, fmt.Errorf("key %q: no modifier %q", name, part)
		}
		mod |= m
	}
	last := parts[len(parts)-1]
	code, ok := parseCode(last)
	if !ok {
		return Key{}, fmt.Errorf("key %q: no key %q", name, last)
	}
	if lower := unicode.ToLower(code); lower != code {
		return Key{lower, mod | Shift}, nil
	}
	return chordKey(code, mod, 0, 0), nil
}

func parseMod(s string) (Mod, bool) {
	for _, m := range modNames {
		if strings.EqualFold(m.name, s) {
			return m.mod, true
		}
	}
	return 0, false
}

func parseCode(s string) (rune, bool) {
	if r, n := utf8.DecodeRuneInString(s); n > 0 && n == len(s) {
		return r, r > ' ' && r != utf8.RuneError && unicode.IsPrint(r)
	}
	s = strings.ToLower(s)
	for _, n := range keyNames {
		if n.name == s {
			return n.code, true
		}
	}
	if code := otherNames[s]; code != 0 {
		return code, true
	}
	if digits, ok := strings.CutPrefix(s, "key"); ok {
		n, err := strconv.ParseUint(digits, 10, 21)
		return rune(n), err == nil && codeName(rune(n)) == s
	}
	if digits, ok := strings.CutPrefix(s, "f"); ok {
		n, err := strconv.ParseUint(digits, 10, 8)
		code := tea.KeyF1 + rune(n) - 1
		return code, err == nil && n <= lastFunctionKey && codeName(code) == s
	}
	return 0, false
}
