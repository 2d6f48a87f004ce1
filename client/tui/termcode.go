package tui

import (
	"unicode"

	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// termCodes are the numbers of the keys that have no rune, as whoever encodes keys for a program
// knows them: those of kitty's keyboard protocol.
var termCodes = map[rune]int{
	tea.KeyEscape: 57344, tea.KeyEnter: 57345, tea.KeyTab: 57346, tea.KeyBackspace: 57347,
	tea.KeyInsert: 57348, tea.KeyDelete: 57349, tea.KeyLeft: 57350, tea.KeyRight: 57351,
	tea.KeyUp: 57352, tea.KeyDown: 57353, tea.KeyPgUp: 57354, tea.KeyPgDown: 57355,
	tea.KeyHome: 57356, tea.KeyEnd: 57357, tea.KeyFind: 57356, tea.KeySelect: 57357,
	tea.KeyPrintScreen: 57361, tea.KeyPause: 57362, tea.KeyMenu: 57363,
	tea.KeyKp0: 57399, tea.KeyKp1: 57400, tea.KeyKp2: 57401, tea.KeyKp3: 57402, tea.KeyKp4: 57403,
	tea.KeyKp5: 57404, tea.KeyKp6: 57405, tea.KeyKp7: 57406, tea.KeyKp8: 57407, tea.KeyKp9: 57408,
	tea.KeyKpDecimal: 57409, tea.KeyKpDivide: 57410, tea.KeyKpMultiply: 57411,
	tea.KeyKpMinus: 57412, tea.KeyKpPlus: 57413, tea.KeyKpEnter: 57414, tea.KeyKpEqual: 57415,
	tea.KeyKpSep: 57416, tea.KeyKpComma: 57416, tea.KeyKpLeft: 57417, tea.KeyKpRight: 57418,
	tea.KeyKpUp: 57419, tea.KeyKpDown: 57420, tea.KeyKpPgUp: 57421, tea.KeyKpPgDown: 57422,
	tea.KeyKpHome: 57423, tea.KeyKpEnd: 57424, tea.KeyKpInsert: 57425, tea.KeyKpDelete: 57426,
	tea.KeyKpBegin: 57427, tea.KeyBegin: 57427,
}

// The function keys that can be encoded are in one row.
const (
	termCodeF1  = 57364
	termLastKey = 35
)

// termMods are the modifiers' bits there.
var termMods = []struct {
	tea tea.KeyMod
	bit uint8
}{
	{tea.ModShift, 1}, {tea.ModAlt, 2}, {tea.ModCtrl, 4}, {tea.ModSuper, 8}, {tea.ModHyper, 16},
	{tea.ModMeta, 32}, {tea.ModCapsLock, 64}, {tea.ModNumLock, 128},
}

func protoMods(m tea.KeyMod) (bits uint8) {
	for _, p := range termMods {
		if m&p.tea != 0 {
			bits |= p.bit
		}
	}
	return bits
}

// eventRepeat is the event of a key that is held down.
const eventRepeat = 1

// protoKey is a key as a program's terminal is told of it; false for one that it knows nothing of.
func protoKey(press tea.KeyPressMsg) (proto.Key, bool) {
	k := proto.Key{Text: press.Text, Mods: protoMods(press.Mod)}
	if press.IsRepeat {
		k.Event = eventRepeat
	}
	code, known := termCodes[press.Code]
	switch {
	case known:
		k.Code, k.Text = code, ""
	case press.Code >= tea.KeyF1 && press.Code < tea.KeyF1+termLastKey:
		k.Code, k.Text = termCodeF1+int(press.Code-tea.KeyF1), ""
	case press.Code > 0 && press.Code <= unicode.MaxRune:
		k.Rune = int(press.Code)
		if press.ShiftedCode > 0 && press.ShiftedCode <= unicode.MaxRune {
			k.Shifted = int(press.ShiftedCode)
		}
		if press.BaseCode > 0 && press.BaseCode <= unicode.MaxRune {
			k.Base = int(press.BaseCode)
		}
	case press.Text == "":
		return proto.Key{}, false
	}
	return k, true
}
