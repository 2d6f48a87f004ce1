package addr

import (
	"fmt"
	"strconv"
	"strings"
)

// SplitFile splits what people and compilers write for a place in a file: name:address, name:line
// and name:line:column, the latter two perhaps with one more colon. The address is what follows the
// first colon after which all is one; without any, file is s and addr is empty. The column is
// counted in runes from 1, and line 12, column 5 becomes the address 12-#0+#4.
//
// A name may have colons, as long as what follows them isn't an address. To tell a path from a
// pattern, a pattern must be closed here.
func SplitFile(s string) (file, addr string) {
	for i := range len(s) {
		if s[i] != ':' {
			continue
		}
		if addr, ok := address(s[i+1:]); ok {
			return s[:i], addr
		}
	}
	return s, ""
}

// address tells whether s is an address, or a line and column, and gives it as an address.
func address(s string) (string, bool) {
	if place, ok := lineColumn(strings.TrimSuffix(s, ":")); ok {
		return place, true
	}
	if s == "" || s[0] == ' ' || s[0] == '\t' {
		return "", false
	}
	_, open, err := parse(s)
	return s, err == nil && !open
}

// lineColumn turns line and line:column into an address.
func lineColumn(s string) (string, bool) {
	line, column, both := strings.Cut(s, ":")
	if _, ok := number(line); !ok {
		return "", false
	}
	if !both {
		return line, true
	}
	c, ok := number(column)
	if !ok {
		return "", false
	}
	if c <= 1 {
		return line + "-#0", true
	}
	return fmt.Sprintf("%s-#0+#%d", line, c-1), true
}

// number reads digits only.
func number(s string) (int, bool) {
	if strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
