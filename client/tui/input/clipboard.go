package input

import (
	"encoding/base64"
	"errors"
	"fmt"
)

// ClipboardMaxBytes is the longest text that is given to a terminal's clipboard. tmux drops a
// sequence of more than a megabyte, and base64 makes four bytes of three. A longer text is never
// cut to fit: half a copy that looks like all of it is worse than none.
const ClipboardMaxBytes = (1<<20 - 64) / 4 * 3

// ErrClipboard says that a text is too long for a terminal's clipboard.
var ErrClipboard = errors.New("too long for the terminal's clipboard")

// AppendClipboard appends to buf the sequence that makes text the clipboard of the terminal (OSC
// 52). Whether the terminal obeys can't be known. Inside tmux the sequence is sent twice: as it
// is, which tmux obeys with set-clipboard on, and wrapped for the terminal outside, which it lets
// through with allow-passthrough on. For a text of more than ClipboardMaxBytes it returns buf and
// ErrClipboard.
func AppendClipboard(buf, text []byte, tmux bool) ([]byte, error) {
	if len(text) > ClipboardMaxBytes {
		return buf, fmt.Errorf("%w: %d bytes, at most %d", ErrClipboard, len(text), ClipboardMaxBytes)
	}
	const begin = "]52;c;"
	buf = append(buf, "\x1b"+begin...)
	buf = append(base64.StdEncoding.AppendEncode(buf, text), '\a')
	if tmux {
		buf = append(buf, "\x1bPtmux;\x1b\x1b"+begin...)
		buf = append(base64.StdEncoding.AppendEncode(buf, text), "\a\x1b\\"...)
	}
	return buf, nil
}
