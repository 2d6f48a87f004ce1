package input

import (
	"fmt"
	"testing"
)

// events is a table of keys and what they give.
type events []struct {
	key  Key
	want string
}

func (table events) check(t *testing.T, flags uint8) {
	t.Helper()
	for _, c := range table {
		if got := string(AppendKey(nil, Modes{KittyFlags: flags}, c.key)); got != c.want {
			t.Errorf("flags %d, %+v: got %q, want %q", flags, c.key, got, c.want)
		}
	}
}

// Source: kitty's keyboard-protocol, "Disambiguate escape codes".
func TestKittyDisambiguate(t *testing.T) {
	table := keys{
		{"a", "a"}, {"A", "A"}, {"S-1", "!"}, {"日", "日"}, {"CapsLock-a", "A"}, {"NumLock-x", "x"},
		{"Space", " "}, {"S-Space", " "},
		{"Escape", "\x1b[27u"}, {"M-a", "\x1b[97;3u"}, {"M-[", "\x1b[91;3u"}, {"C-a", "\x1b[97;5u"},
		{"C-c", "\x1b[99;5u"}, {"C-M-a", "\x1b[97;7u"}, {"M-S-a", "\x1b[97;4u"},
		{"C-S-a", "\x1b[97;6u"}, {"C-Space", "\x1b[32;5u"}, {"C-i", "\x1b[105;5u"},
		{"s-a", "\x1b[97;9u"}, {"H-a", "\x1b[97;17u"}, {"Meta-a", "\x1b[97;33u"},
		{"CapsLock-C-a", "\x1b[97;69u"}, {"NumLock-Up", "\x1b[1;129A"}, {"C-é", "\x1b[233;5u"},

		{"Enter", "\r"}, {"Tab", "\t"}, {"BSpace", "\x7f"}, {"NumLock-Enter", "\r"},
		{"S-Enter", "\x1b[13;2u"}, {"C-Enter", "\x1b[13;5u"}, {"M-Enter", "\x1b[13;3u"},
		{"S-Tab", "\x1b[9;2u"}, {"C-S-Tab", "\x1b[9;6u"}, {"C-BSpace", "\x1b[127;5u"},
		{"M-BSpace", "\x1b[127;3u"},

		{"KP1", "\x1b[57400u"}, {"KPEnter", "\x1b[57414u"}, {"KPUp", "\x1b[57419u"},
		{"KPBegin", "\x1b[E"}, {"C-KPBegin", "\x1b[1;5E"}, {"LeftShift", ""}, {"CapsLock", ""},
		{"ISOLevel3Shift", ""}, {"MediaPlay", "\x1b[57428u"}, {"Menu", "\x1b[57363u"},
	}
	table.check(t, Modes{KittyFlags: 1})
	// Nothing else has a say when the protocol is in force.
	table.check(t, Modes{KittyFlags: 1, AppCursor: true, AppKeypad: true, ModifyOtherKeys: 2})
	table.check(t, Modes{KittyFlags: 1 | KittyText})

	keys{{"Enter", "\r\n"}, {"BSpace", "\b"}, {"S-Enter", "\x1b[13;2u"},
		{"C-BSpace", "\x1b[127;5u"}}.
		check(t, Modes{KittyFlags: 1, NewLine: true, BackarrowBS: true})
	events{
		{Key{Code: KP1, Text: "1", Mods: NumLock}, "1"}, {Key{Code: KPAdd, Text: "+"}, "+"},
		{Key{Rune: 'a', Event: Repeat}, "a"}, {Key{Rune: 'a', Event: Release}, ""},
		{Key{Code: Up, Event: Release}, ""}, {Key{Text: "日本"}, "日本"}, {Key{}, ""},
	}.check(t, 1)
}

// Source: kitty's keyboard-protocol, "Functional key definitions", but for the keys above.
func TestKittyFunctional(t *testing.T) {
	forms := map[string]string{
		"Insert": "2~", "Delete": "3~", "PageUp": "5~", "PageDown": "6~", "F3": "13~", "F5": "15~",
		"F6": "17~", "F7": "18~", "F8": "19~", "F9": "20~", "F10": "21~", "F11": "23~",
		"F12":  "24~",
		"Left": "D", "Right": "C", "Up": "A", "Down": "B", "Home": "H", "End": "F", "F1": "P",
		"F2": "Q", "F4": "S", "KPBegin": "E", "ScrollLock": "57359u", "PrintScreen": "57361u",
		"Pause": "57362u", "F13": "57376u", "F35": "57398u", "KP0": "57399u", "KP9": "57408u",
		"KPDecimal": "57409u", "KPDivide": "57410u", "KPMultiply": "57411u", "KPSubtract": "57412u",
		"KPAdd": "57413u", "KPEqual": "57415u", "KPSeparator": "57416u", "KPLeft": "57417u",
		"KPRight": "57418u", "KPDown": "57420u", "KPPageUp": "57421u", "KPPageDown": "57422u",
		"KPHome": "57423u", "KPEnd": "57424u", "KPInsert": "57425u", "KPDelete": "57426u",
		"MediaPause": "57429u", "MediaPlayPause": "57430u", "MediaReverse": "57431u",
		"MediaStop": "57432u", "MediaFastForward": "57433u", "MediaRewind": "57434u",
		"MediaNext": "57435u", "MediaPrevious": "57436u", "MediaRecord": "57437u",
		"VolumeDown": "57438u", "VolumeUp": "57439u", "VolumeMute": "57440u", "CapsLock": "57358u",
		"NumLock": "57360u", "LeftShift": "57441u", "LeftCtrl": "57442u", "LeftAlt": "57443u",
		"LeftSuper": "57444u", "LeftHyper": "57445u", "LeftMeta": "57446u", "RightShift": "57447u",
		"RightCtrl": "57448u", "RightAlt": "57449u", "RightSuper": "57450u", "RightHyper": "57451u",
		"RightMeta": "57452u", "ISOLevel3Shift": "57453u", "ISOLevel5Shift": "57454u",
	}
	for name, f := range forms {
		keys{{name, "\x1b[" + f}}.check(t, Modes{KittyFlags: KittyAll})
		modified := "\x1b[" + f[:len(f)-1] + ";5" + f[len(f)-1:]
		if len(f) == 1 {
			modified = "\x1b[1;5" + f
		}
		keys{{"C-" + name, modified}}.check(t, Modes{KittyFlags: KittyAll})
	}
}

// Source: kitty's keyboard-protocol, "Event types" and "Report event types", and encode_key of its
// key_encoding.c for what is still legacy with this flag alone.
func TestKittyEvents(t *testing.T) {
	table := events{
		{Key{Code: Up}, "\x1b[A"}, {Key{Code: Up, Event: Repeat}, "\x1b[1;1:2A"},
		{Key{Code: Up, Event: Release}, "\x1b[1;1:3A"},
		{Key{Code: F5, Mods: Shift, Event: Release}, "\x1b[15;2:3~"},
		{Key{Rune: 'a'}, "a"}, {Key{Rune: 'a', Event: Repeat}, "a"},
		{Key{Rune: 'a', Event: Release}, "\x1b[97;1:3u"},
		{Key{Rune: 'a', Mods: Ctrl, Event: Repeat}, "\x1b[97;5:2u"},
		{Key{Code: Enter, Event: Repeat}, "\r"}, {Key{Code: Enter, Event: Release}, ""},
		{Key{Code: Tab, Event: Release}, ""}, {Key{Code: Backspace, Event: Release}, ""},
		{Key{Code: Enter, Mods: Shift}, "\x1b[13;2u"},
		{Key{Code: Enter, Mods: Shift, Event: Release}, ""},
		{Key{Code: Escape, Event: Repeat}, "\x1b[27;1:2u"},
		{Key{Code: Escape, Event: Release}, "\x1b[27;1:3u"},
		{Key{Code: LeftShift, Mods: Shift}, ""}, {Key{Text: "å", Event: Release}, ""},
	}
	table.check(t, KittyEvents|KittyDisambiguate)
	table.check(t, KittyEvents)
	events{
		{Key{Code: Escape}, "\x1b"}, {Key{Rune: 'a', Mods: Ctrl}, "\x01"},
		{Key{Rune: 'a', Mods: Alt}, "\x1ba"}, {Key{Rune: 'a', Mods: Alt | Shift}, "\x1bA"},
		{Key{Rune: 'a', Mods: Ctrl | Shift}, "\x1b[97;6u"}, {Key{Rune: ' ', Mods: Ctrl}, "\x00"},
		{Key{Rune: 'с', Base: 'c', Mods: Ctrl}, "\x03"},
		{Key{Rune: 'с', Mods: Ctrl}, "\x1b[1089;5u"},
		{Key{Code: KPEnter}, "\r"}, {Key{Code: KP5}, "5"}, {Key{Code: KPHome}, "\x1b[H"},
	}.check(t, KittyEvents)
	events{
		{Key{Code: Enter, Event: Release}, "\x1b[13;1:3u"},
		{Key{Code: Tab, Event: Repeat}, "\x1b[9;1:2u"},
		{Key{Code: LeftCtrl, Mods: Ctrl}, "\x1b[57442;5u"},
		{Key{Code: LeftCtrl, Event: Release}, "\x1b[57442;1:3u"},
		{Key{Rune: 'a', Event: Repeat}, "\x1b[97;1:2u"},
	}.check(t, KittyEvents|KittyAll)
}

// Source: kitty's keyboard-protocol, "Key codes" and "Report alternate keys".
func TestKittyAlternates(t *testing.T) {
	events{
		{Key{Rune: 'a', Mods: Shift}, "A"}, // the flag makes no escape codes
		{Key{Rune: 'a', Mods: Ctrl}, "\x1b[97;5u"},
		{Key{Rune: 'a', Mods: Ctrl | Shift}, "\x1b[97:65;6u"},
		{Key{Rune: '=', Shifted: '+', Mods: Ctrl | Shift}, "\x1b[61:43;6u"},
		{Key{Rune: '=', Shifted: '+', Mods: Ctrl}, "\x1b[61;5u"},
		{Key{Rune: 'с', Base: 'c', Mods: Ctrl}, "\x1b[1089::99;5u"},
		{Key{Rune: 'с', Base: 'c', Mods: Ctrl | Shift}, "\x1b[1089:1057:99;6u"},
		{Key{Rune: 'c', Base: 'c', Mods: Ctrl}, "\x1b[99;5u"},
		{Key{Code: Up, Mods: Shift}, "\x1b[1;2A"},
		{Key{Code: F5, Shifted: 'x', Base: 'y'}, "\x1b[15~"},
	}.check(t, KittyDisambiguate|KittyAlternates)
	events{
		{Key{Rune: 'a', Mods: Ctrl | Shift}, "\x01"},
		{Key{Rune: 'с', Base: 'c', Mods: Alt}, "\x1bс"},
	}.check(t, KittyAlternates)
}

// Source: kitty's keyboard-protocol, "Report all keys as escape codes", "Report associated text"
// and "Text as code points".
func TestKittyAllAndText(t *testing.T) {
	keys{
		{"a", "\x1b[97u"}, {"A", "\x1b[97;2u"}, {"Space", "\x1b[32u"}, {"Enter", "\x1b[13u"},
		{"Tab", "\x1b[9u"}, {"BSpace", "\x1b[127u"}, {"Escape", "\x1b[27u"},
		{"CapsLock-a", "\x1b[97;65u"},
		{"C-c", "\x1b[99;5u"}, {"LeftShift", "\x1b[57441u"}, {"Up", "\x1b[A"}, {"日", "\x1b[26085u"},
	}.check(t, Modes{KittyFlags: KittyAll})
	events{
		{Key{Rune: 'a', Mods: Shift}, "\x1b[97;2;65u"},
		{Key{Rune: 'a', Text: "å"}, "\x1b[97;;229u"},
		{Key{Rune: 'a'}, "\x1b[97;;97u"}, {Key{Rune: 'a', Mods: Ctrl}, "\x1b[97;5u"},
		{Key{Text: "日本"}, "\x1b[0;;26085:26412u"}, {Key{Code: KP1, Text: "1"}, "\x1b[57400;;49u"},
		{Key{Code: Enter, Text: "\r"}, "\x1b[13u"}, {Key{Rune: 'a', Text: "\x01"}, "\x1b[97u"},
	}.check(t, KittyAll|KittyText)
	events{
		{Key{Rune: 'a', Event: Repeat}, "\x1b[97;1:2;97u"},
		{Key{Code: Up, Text: "q"}, "\x1b[1;;113A"},
		{Key{Rune: 'a', Event: Release}, "\x1b[97;1:3u"},
		{Key{Rune: 'a', Mods: Shift, Event: Repeat}, "\x1b[97:65;2:2;65u"},
	}.check(t, 31)
	events{{Key{Text: "日本"}, "日本"}}.check(t, KittyAll) // it would be lost
}

// A key that no flag concerns is the same whatever the flags.
func TestKittyUnknownFlags(t *testing.T) {
	for flags := 32; flags < 256; flags += 32 {
		keys{{"C-c", "\x03"}, {"Up", "\x1bOA"}, {"C-1", "\x1b[27;5;49~"}}.
			check(t, Modes{KittyFlags: uint8(flags), AppCursor: true, ModifyOtherKeys: 1})
	}
}

func ExampleAppendKey() {
	k, err := ParseKey("C-S-Left")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%q\n", AppendKey(nil, Modes{}, k))
	k, _ = ParseKey("S-Enter")
	fmt.Printf("%q\n", AppendKey(nil, Modes{}, k))
	fmt.Printf("%q\n", AppendKey(nil, Modes{KittyFlags: KittyDisambiguate}, k))
	// Output:
	// "\x1b[1;6D"
	// "\r"
	// "\x1b[13;2u"
}
