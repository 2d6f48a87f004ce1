package term

import (
	"context"
	"errors"
	"time"

	"apex/term/input"
	"apex/term/vt"
)

// inputModes is what the program asked for.
func inputModes(m vt.Modes) input.Modes {
	return input.Modes{
		AppCursor: m.AppCursor, AppKeypad: m.AppKeypad, NewLine: m.Newline,
		BracketedPaste: m.Paste, Focus: m.Focus,
		AltScreen: m.AltScreen, AltScroll: m.AltScroll,
		Mouse: tracking[m.Mouse], MouseEncoding: encodings[m.MouseForm],
		KittyFlags: m.KittyKeys, ModifyOtherKeys: m.ModifyKeys,
	}
}

var tracking = map[vt.MouseMode]input.Tracking{
	vt.MouseOff: input.TrackNone, vt.MousePress: input.TrackX10, vt.MouseClick: input.TrackNormal,
	vt.MouseDrag: input.TrackButton, vt.MouseMotion: input.TrackAny,
}

var encodings = map[vt.MouseEncoding]input.MouseEncoding{
	vt.MouseLegacy: input.MouseLegacy, vt.MouseUTF8: input.MouseUTF8, vt.MouseSGR: input.MouseSGR,
	vt.MouseURXVT: input.MouseURXVT, vt.MouseSGRPixels: input.MouseSGRPixels,
}

// ErrExited says that the program has ended, and takes no input any more.
var ErrExited = errors.New("the program has ended")

// Input makes bytes of what somebody did, by the modes of now, and gives them to the program. It
// returns what Taken waits for. Nothing is sent if encode returns nothing. The output that follows is
// shown at once, however new the last frame is: who types fast waits for the echo of each key.
func (t *Terminal) Input(encode func(input.Modes) []byte) (upTo uint64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.framed = time.Time{}
	return t.send(encode(inputModes(t.screen.Modes())))
}

// send gives bytes to the program. The turn is held, so that pieces of input don't mix.
func (t *Terminal) send(b []byte) (upTo uint64, err error) {
	if t.holder == nil || t.exit != nil {
		return 0, ErrExited
	}
	if len(b) == 0 {
		return 0, nil
	}
	for _, c := range b {
		if c == '\r' || c == '\n' {
			t.entered, t.lined = t.screen.MarksSeen(), true
			break
		}
	}
	return t.holder.Write(b)
}

// Taken waits until the terminal has taken what Input gave.
func (t *Terminal) Taken(ctx context.Context, upTo uint64) error {
	if t.holder == nil {
		return ErrExited
	}
	return t.holder.Taken(ctx, upTo)
}
