package input

import "strings"

// codeNames are the names of the keys without a rune, in the order of their codes. The first of
// each is the one that String writes; the others are tmux's, emacs's and those on keyboards.
var codeNames = [...]string{
	"Escape Esc", "Enter Return RET CR", "Tab", "BSpace Backspace BS",
	"Insert Ins IC", "Delete Del DC Deletechar", "Left", "Right", "Up", "Down",
	"PageUp PgUp PPage Prior", "PageDown PgDn PgDown NPage Next", "Home", "End",
	"CapsLock", "ScrollLock", "NumLock", "PrintScreen Print", "Pause Break", "Menu Apps",
	"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12", "F13", "F14", "F15",
	"F16", "F17", "F18", "F19", "F20", "F21", "F22", "F23", "F24", "F25", "F26", "F27", "F28", "F29",
	"F30", "F31", "F32", "F33", "F34", "F35",
	"KP0 kp-0", "KP1 kp-1", "KP2 kp-2", "KP3 kp-3", "KP4 kp-4", "KP5 kp-5", "KP6 kp-6", "KP7 kp-7",
	"KP8 kp-8", "KP9 kp-9",
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
}

// codeName is the name of a key without a rune that String writes.
func codeName(c Code) string {
	name, _, _ := strings.Cut(codeNames[c-firstCode], " ")
	return name
}

// otherNames are those of characters, and of keys with a modifier.
var otherNames = [...]struct {
	name string
	key  Key
}{
	{"space", Key{Rune: ' '}}, {"spc", Key{Rune: ' '}},
	{"btab", Key{Code: Tab, Mods: Shift}}, {"backtab", Key{Code: Tab, Mods: Shift}},
	{"nul", Key{Rune: ' ', Mods: Ctrl}}, {"lfd", Key{Rune: 'j', Mods: Ctrl}},
	{"plus", Key{Rune: '+'}}, {"minus", Key{Rune: '-'}},
}

// keyByName returns the key that has a name, in letters of either case.
func keyByName(name string) (Key, bool) {
	for _, o := range otherNames {
		if strings.EqualFold(o.name, name) {
			return o.key, true
		}
	}
	for i, names := range codeNames {
		for n := range strings.SplitSeq(names, " ") {
			if strings.EqualFold(n, name) {
				return Key{Code: firstCode + Code(i)}, true
			}
		}
	}
	return Key{}, false
}
