package input

// AppendFocus appends that the terminal got or lost the focus, if the program asked for that.
func AppendFocus(dst []byte, m Modes, in bool) []byte {
	switch {
	case !m.Focus:
		return dst
	case in:
		return append(dst, "\x1b[I"...)
	}
	return append(dst, "\x1b[O"...)
}
