package tui

import (
	"testing"

	"apex/core"
	"apex/proto"
	"apex/term/input"

	tea "charm.land/bubbletea/v2"
)

// TestTermCodes: the numbers that keys are sent by are those that who encodes them knows.
func TestTermCodes(t *testing.T) {
	want := map[rune]input.Code{
		tea.KeyEscape: input.Escape, tea.KeyEnter: input.Enter, tea.KeyTab: input.Tab,
		tea.KeyBackspace: input.Backspace, tea.KeyInsert: input.Insert, tea.KeyDelete: input.Delete,
		tea.KeyLeft: input.Left, tea.KeyRight: input.Right, tea.KeyUp: input.Up,
		tea.KeyDown: input.Down,
		tea.KeyPgUp: input.PageUp, tea.KeyPgDown: input.PageDown, tea.KeyHome: input.Home,
		tea.KeyEnd: input.End, tea.KeyFind: input.Home, tea.KeySelect: input.End,
		tea.KeyPrintScreen: input.PrintScreen, tea.KeyPause: input.Pause, tea.KeyMenu: input.Menu,
		tea.KeyF1: input.F1, tea.KeyF12: input.F12, tea.KeyF35: input.F35,
		tea.KeyKp0: input.KP0, tea.KeyKp1: input.KP1, tea.KeyKp2: input.KP2, tea.KeyKp3: input.KP3,
		tea.KeyKp4: input.KP4, tea.KeyKp5: input.KP5, tea.KeyKp6: input.KP6, tea.KeyKp7: input.KP7,
		tea.KeyKp8: input.KP8, tea.KeyKp9: input.KP9, tea.KeyKpDecimal: input.KPDecimal,
		tea.KeyKpDivide: input.KPDivide, tea.KeyKpMultiply: input.KPMultiply,
		tea.KeyKpMinus: input.KPSubtract, tea.KeyKpPlus: input.KPAdd, tea.KeyKpEnter: input.KPEnter,
		tea.KeyKpEqual: input.KPEqual, tea.KeyKpSep: input.KPSeparator,
		tea.KeyKpComma: input.KPSeparator,
		tea.KeyKpLeft:  input.KPLeft, tea.KeyKpRight: input.KPRight, tea.KeyKpUp: input.KPUp,
		tea.KeyKpDown: input.KPDown, tea.KeyKpPgUp: input.KPPageUp,
		tea.KeyKpPgDown: input.KPPageDown,
		tea.KeyKpHome:   input.KPHome, tea.KeyKpEnd: input.KPEnd, tea.KeyKpInsert: input.KPInsert,
		tea.KeyKpDelete: input.KPDelete, tea.KeyKpBegin: input.KPBegin, tea.KeyBegin: input.KPBegin,
	}
	for code, w := range want {
		k, ok := protoKey(tea.KeyPressMsg{Code: code})
		if !ok || input.Code(k.Code) != w {
			t.Errorf("key %v: got %d, want %d", tea.Key{Code: code}, k.Code, w)
		}
	}
	for code := range termCodes {
		if _, ok := want[code]; !ok {
			t.Errorf("key %v is in the table and not in this test", tea.Key{Code: code})
		}
	}
	if _, ok := protoKey(tea.KeyPressMsg{Code: tea.KeyF36}); ok {
		t.Error("F36 is sent, which nothing can encode")
	}
}

func TestTermMods(t *testing.T) {
	for _, c := range []struct {
		mod  tea.KeyMod
		want input.Mods
	}{
		{tea.ModShift, input.Shift}, {tea.ModAlt, input.Alt}, {tea.ModCtrl, input.Ctrl},
		{tea.ModSuper, input.Super}, {tea.ModHyper, input.Hyper}, {tea.ModMeta, input.Meta},
		{tea.ModCapsLock, input.CapsLock}, {tea.ModNumLock, input.NumLock},
		{tea.ModShift | tea.ModCtrl, input.Shift | input.Ctrl},
	} {
		if got := input.Mods(protoMods(c.mod)); got != c.want {
			t.Errorf("%v: got %d, want %d", c.mod, got, c.want)
		}
	}
	if eventRepeat != input.Repeat {
		t.Errorf("repeat: got %d, want %d", eventRepeat, input.Repeat)
	}
}

// TestTermMouse: so are the mouse's.
func TestTermMouse(t *testing.T) {
	buttons := map[uint8]input.Button{termNoButton: input.ButtonNone, termLeft: input.ButtonLeft,
		termMiddle: input.ButtonMiddle, termRight: input.ButtonRight, termWheelUp: input.WheelUp,
		termWheelDown: input.WheelDown, termWheelLeft: input.WheelLeft,
		termWheelRight: input.WheelRight,
		termBackward:   input.Button8, termForward: input.Button9}
	for got, want := range buttons {
		if input.Button(got) != want {
			t.Errorf("button: got %d, want %d", got, want)
		}
	}
	for got, want := range map[uint8]input.Action{termPress: input.MousePress,
		termRelease: input.MouseRelease, termMotion: input.MouseMotion} {
		if input.Action(got) != want {
			t.Errorf("action: got %d, want %d", got, want)
		}
	}
}

// TestKeysReachPrograms: what a host terminal reports of a key becomes the bytes that the program
// would have got from it.
func TestKeysReachPrograms(t *testing.T) {
	for _, c := range []struct {
		press tea.KeyPressMsg
		want  string
	}{
		{tea.KeyPressMsg{Code: 'a', Text: "a"}, "a"},
		{tea.KeyPressMsg{Code: 'a', ShiftedCode: 'A', Text: "A", Mod: tea.ModShift}, "A"},
		{tea.KeyPressMsg{Code: '1', ShiftedCode: '!', Text: "!", Mod: tea.ModShift}, "!"},
		{tea.KeyPressMsg{Code: '世', Text: "世"}, "世"},
		{tea.KeyPressMsg{Code: tea.KeyExtended, Text: "e\u0301"}, "e\u0301"},
		{tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, "\x03"},
		{tea.KeyPressMsg{Code: '\\', Mod: tea.ModCtrl}, "\x1c"},
		{tea.KeyPressMsg{Code: tea.KeySpace, Mod: tea.ModCtrl}, "\x00"},
		{tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt}, "\x1bx"},
		{tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}, " "},
		{tea.KeyPressMsg{Code: tea.KeyEnter}, "\r"},
		{tea.KeyPressMsg{Code: tea.KeyTab}, "\t"},
		{tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}, "\x1b[Z"},
		{tea.KeyPressMsg{Code: tea.KeyBackspace}, "\x7f"},
		{tea.KeyPressMsg{Code: tea.KeyEscape}, "\x1b"},
		{tea.KeyPressMsg{Code: tea.KeyUp}, "\x1b[A"},
		{tea.KeyPressMsg{Code: tea.KeyUp, Mod: tea.ModCtrl}, "\x1b[1;5A"},
		{tea.KeyPressMsg{Code: tea.KeyF5}, "\x1b[15~"},
		{tea.KeyPressMsg{Code: tea.KeyKp5, Text: "5"}, "5"},
	} {
		k, ok := protoKey(c.press)
		if !ok {
			t.Errorf("%v: not sent", c.press)
			continue
		}
		got := input.AppendKey(nil, input.Modes{}, encoded(k))
		if string(got) != c.want {
			t.Errorf("%v: got %q, want %q", c.press, got, c.want)
		}
	}
}

func encoded(k proto.Key) input.Key {
	return input.Key{Code: input.Code(k.Code), Rune: rune(k.Rune), Text: k.Text,
		Mods: input.Mods(k.Mods), Event: input.Event(k.Event),
		Shifted: rune(k.Shifted), Base: rune(k.Base)}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		cursor core.Cursor
		want   int // of DECSCUSR
	}{
		{core.Cursor{}, 0}, {core.Cursor{Blink: true}, 0},
		{core.Cursor{Shape: core.CursorShapeBlock, Blink: true}, 1},
		{core.Cursor{Shape: core.CursorShapeBlock}, 2},
		{core.Cursor{Shape: core.CursorShapeUnderline, Blink: true}, 3},
		{core.Cursor{Shape: core.CursorShapeUnderline}, 4},
		{core.Cursor{Shape: core.CursorShapeBar, Blink: true}, 5},
		{core.Cursor{Shape: core.CursorShapeBar}, 6},
	} {
		if got := int(shapeOf(c.cursor)); got != c.want {
			t.Errorf("%+v: got %d, want %d", c.cursor, got, c.want)
		}
	}
}
