package input

import (
	"strconv"
	"strings"
)

// codeNames are the names of the keys without a rune, in the order of their codes. The first of
// each is the one that String writes; the others are tmux's, emacs's and those on keyboards.
var codeNames = func() [][]string {
	names := []string{
		"Escape Esc", "Enter Return RET CR", "Tab", "BSpace Backspace BS",
		"Insert Ins IC", "Delete Del DC Deletechar", "Left", "Right", "Up", "Down",
		"PageUp PgUp PPage Prior", "PageDown PgDn PgDown NPage Next", "Home", "End",
		"CapsLock", "ScrollLock", "NumLock", "PrintScreen Print", "Pause Break", "Menu Apps",
	}
	for n := range 35 {
		names = append(names, "F"+strconv.Itoa(n+1))
	}
	for n := range 10 {
		names = append(names, "KP"+strconv.Itoa(n)+" kp-"+strconv.Itoa(n))
	}
	names = append(names,
		"KPDecimal KP. kp-decimal", "KPDivide KP/ kp-divide", "KPMultiply KP* kp-multiply",
		"KPSubtract KP- kp-subtract", "KPAdd KP+ kp-add", "KPEnter kp-enter",
		"KPEqual KP= kp-equal",
		"KPSeparator KP, kp-separator", "KPLeft kp-left", "KPRight kp-right", "KPUp kp-up",
		"KPDown kp-down", "KPPageUp kp-prior", "KPPageDown kp-next", "KPHome kp-home",
		"KPEnd kp-end", "KPInsert kp-insert", "KPDelete kp-delete", "KPBegin kp-begin Begin",
		"MediaPlay", "MediaPause", "MediaPlayPause", "MediaReverse", "MediaStop",
		"MediaFastForward", "MediaRewind", "MediaNext", "MediaPrevious", "MediaRecord",
		"VolumeDown", "VolumeUp", "VolumeMute",
		"LeftShift", "LeftCtrl", "LeftAlt", "LeftSuper", "LeftHyper", "LeftMeta",
		"RightShift", "RightCtrl", "RightAlt", "RightSuper", "RightHyper", "RightMeta",
		"ISOLevel3Shift AltGr", "ISOLevel5Shift",
	)
	split := make([][]string, len(names))
	for i, n := range names {
		split[i] = strings.Fields(n)
	}
	return split
}()

// keysByName are the keys by their names in lower case.
var keysByName = func() map[string]Key {
	keys := map[string]Key{
		"space": {Rune: ' '}, "spc": {Rune: ' '},
		"btab": {Code: Tab, Mods: Shift}, "backtab": {Code: Tab, Mods: Shift},
		"nul": {Rune: ' ', Mods: Ctrl}, "lfd": {Rune: 'j', Mods: Ctrl},
		"plus": {Rune: '+'}, "minus": {Rune: '-'},
	}
	for i, names := range codeNames {
		for _, n := range names {
			keys[strings.ToLower(n)] = Key{Code: firstCode + Code(i)}
		}
	}
	return keys
}()
