package cli

import (
	"strconv"
	"strings"

	"apex/core"
)

// size reads a terminal's size as COLSxROWS, in cells.
func size(arg string) (cols, rows int, err error) {
	left, right, ok := strings.Cut(arg, "x")
	cols, err1 := strconv.Atoi(left)
	rows, err2 := strconv.Atoi(right)
	if !ok || err1 != nil || err2 != nil {
		return 0, 0, usagef("size %q: want columns and rows, such as 80x24", arg)
	}
	if err := core.CheckTermSize(cols, rows); err != nil {
		return 0, 0, usagef("%v", err)
	}
	return cols, rows, nil
}
