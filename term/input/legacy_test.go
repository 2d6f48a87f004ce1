package input

import "testing"

// keys is a table of names and what they give.
type keys []struct{ name, want string }

func mustParse(t *testing.T, name string) Key {
	t.Helper()
	k, err := ParseKey(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (table keys) check(t *testing.T, m Modes) {
	t.Helper()
	for _, c := range table {
		if got := string(AppendKey(nil, m, mustParse(t, c.name))); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Source: xterm's ctlseqs, "PC-Style Function Keys": the keys and their final characters.
func TestXtermCursorAndEditing(t *testing.T) {
	table := keys{
		{"Insert", "\x1b[2~"}, {"Delete", "\x1b[3~"}, {"PageUp", "\x1b[5~"},
		{"PageDown", "\x1b[6~"},
		{"S-Delete", "\x1b[3;2~"}, {"C-PageUp", "\x1b[5;5~"}, {"C-M-Insert", "\x1b[2;7~"},
		{"S-Up", "\x1b[1;2A"}, {"M-Down", "\x1b[1;3B"}, {"C-Right", "\x1b[1;5C"},
		{"C-S-Left", "\x1b[1;6D"}, {"C-M-S-Home", "\x1b[1;8H"}, {"Meta-End", "\x1b[1;9F"},
		{"Meta-C-End", "\x1b[1;13F"}, {"C-KPUp", "\x1b[1;5A"}, {"C-KPBegin", "\x1b[1;5E"},
		{"KPInsert", "\x1b[2~"}, {"KPDelete", "\x1b[3~"}, {"KPPageUp", "\x1b[5~"},
		{"KPPageDown", "\x1b[6~"},
	}
	table.check(t, Modes{})
	table.check(t, Modes{AppCursor: true}) // with modifiers the mode makes no difference
	keys{
		{"Up", "\x1b[A"}, {"Down", "\x1b[B"}, {"Right", "\x1b[C"}, {"Left", "\x1b[D"},
		{"KPBegin", "\x1b[E"}, {"End", "\x1b[F"}, {"Home", "\x1b[H"}, {"KPUp", "\x1b[A"},
		{"KPDown", "\x1b[B"}, {"KPRight", "\x1b[C"}, {"KPLeft", "\x1b[D"}, {"KPEnd", "\x1b[F"},
		{"KPHome", "\x1b[H"}, {"CapsLock-NumLock-Up", "\x1b[A"},
	}.check(t, Modes{})
	keys{
		{"Up", "\x1bOA"}, {"Down", "\x1bOB"}, {"Right", "\x1bOC"}, {"Left", "\x1bOD"},
		{"KPBegin", "\x1bOE"}, {"End", "\x1bOF"}, {"Home", "\x1bOH"}, {"KPUp", "\x1bOA"},
		{"NumLock-Up", "\x1bOA"},
	}.check(t, Modes{AppCursor: true})
}

// Source: ctlseqs, "PC-Style Function Keys" and "VT220-Style Function Keys", and for F21 and up
// decfuncvalue of xterm's input.c.
func TestXtermFunctionKeys(t *testing.T) {
	table := keys{
		{"F1", "\x1bOP"}, {"F2", "\x1bOQ"}, {"F3", "\x1bOR"}, {"F4", "\x1bOS"},
		{"F5", "\x1b[15~"}, {"F6", "\x1b[17~"}, {"F7", "\x1b[18~"}, {"F8", "\x1b[19~"},
		{"F9", "\x1b[20~"}, {"F10", "\x1b[21~"}, {"F11", "\x1b[23~"}, {"F12", "\x1b[24~"},
		{"F13", "\x1b[25~"}, {"F14", "\x1b[26~"}, {"F15", "\x1b[28~"}, {"F16", "\x1b[29~"},
		{"F17", "\x1b[31~"}, {"F18", "\x1b[32~"}, {"F19", "\x1b[33~"}, {"F20", "\x1b[34~"},
		{"F21", "\x1b[42~"}, {"F35", "\x1b[56~"}, {"Menu", "\x1b[29~"},
		{"S-F1", "\x1b[1;2P"}, {"M-F2", "\x1b[1;3Q"}, {"C-F3", "\x1b[1;5R"},
		{"C-S-F4", "\x1b[1;6S"},
		{"C-F5", "\x1b[15;5~"}, {"Meta-F12", "\x1b[24;9~"}, {"C-M-S-F20", "\x1b[34;8~"},
	}
	table.check(t, Modes{})
	table.check(t, Modes{AppCursor: true, AppKeypad: true, ModifyOtherKeys: 2})
}

// Source: kitty's keyboard-protocol, "C0 controls", which is xterm's but for Alt with Shift and
// Tab; that, LNM and DECBKM from xterm's Input, unparseputc and IsBackarrowToggle.
func TestXtermC0Keys(t *testing.T) {
	same := keys{
		{"Escape", "\x1b"}, {"C-Escape", "\x1b"}, {"M-Escape", "\x1b\x1b"}, {"S-Escape", "\x1b"},
		{"C-S-Escape", "\x1b"}, {"M-S-Escape", "\x1b\x1b"}, {"C-M-Escape", "\x1b\x1b"},
		{"Tab", "\t"}, {"C-Tab", "\t"}, {"M-Tab", "\x1b\t"}, {"S-Tab", "\x1b[Z"},
		{"C-S-Tab", "\x1b[Z"}, {"M-S-Tab", "\x1b[Z"}, {"C-M-Tab", "\x1b\t"}, {"BTab", "\x1b[Z"},
		{"Space", " "}, {"C-Space", "\x00"}, {"M-Space", "\x1b "}, {"S-Space", " "},
		{"C-S-Space", "\x00"}, {"M-S-Space", "\x1b "}, {"C-M-Space", "\x1b\x00"},
	}
	same.check(t, Modes{})
	same.check(t, Modes{NewLine: true, BackarrowBS: true, AppCursor: true})
	keys{
		{"Enter", "\r"}, {"C-Enter", "\r"}, {"M-Enter", "\x1b\r"}, {"S-Enter", "\r"},
		{"C-S-Enter", "\r"}, {"M-S-Enter", "\x1b\r"}, {"C-M-Enter", "\x1b\r"}, {"KPEnter", "\r"},
		{"C-m", "\r"}, {"C-M-m", "\x1b\r"}, {"C-j", "\n"},
		{"BSpace", "\x7f"}, {"C-BSpace", "\b"}, {"M-BSpace", "\x1b\x7f"}, {"S-BSpace", "\x7f"},
		{"C-S-BSpace", "\b"}, {"M-S-BSpace", "\x1b\x7f"}, {"C-M-BSpace", "\x1b\b"},
	}.check(t, Modes{})
	keys{
		{"Enter", "\r\n"}, {"M-Enter", "\x1b\r\n"}, {"KPEnter", "\r\n"}, {"C-m", "\r\n"},
		{"C-j", "\n"},
		{"BSpace", "\b"}, {"C-BSpace", "\x7f"}, {"M-BSpace", "\x1b\b"}, {"C-M-BSpace", "\x1b\x7f"},
	}.check(t, Modes{NewLine: true, BackarrowBS: true})
}

// Source: the table of control aliases in xterm's input.c, Xlib's control translation behind it,
// and the VT100 user guide's table 3-5.
func TestXtermControl(t *testing.T) {
	for r := 'a'; r <= 'z'; r++ {
		want := string(r - 'a' + 1)
		if r == 'm' {
			want = "\r"
		}
		keys{{"C-" + string(r), want}, {"C-S-" + string(r), want},
			{"C-M-" + string(r), "\x1b" + want},
			{"^" + string(r), want}}.check(t, Modes{})
	}
	keys{
		{"C-@", "\x00"}, {"C-`", "\x00"}, {"C-2", "\x00"}, {"C-[", "\x1b"}, {"C-3", "\x1b"},
		{"C-\\", "\x1c"}, {"C-4", "\x1c"}, {"C-]", "\x1d"}, {"C-5", "\x1d"}, {"C-^", "\x1e"},
		{"C-~", "\x1e"}, {"C-6", "\x1e"}, {"C-_", "\x1f"}, {"C-/", "\x1f"}, {"C-7", "\x1f"},
		{"C-?", "\x7f"}, {"C-8", "\x7f"}, {"C-S-2", "\x00"}, {"C-S-6", "\x1e"}, {"C-S--", "\x1f"},
		{"C-S-/", "\x7f"}, {"C-M-]", "\x1b\x1d"}, {"M-^[", "\x1b\x1b"},
		{"C-1", "1"}, {"C-9", "9"}, {"C-0", "0"}, {"C-;", ";"}, {"C-.", "."}, {"C-=", "="},
		{"C-S-8", "*"}, {"C-é", "é"}, {"C-M-;", "\x1b;"},
	}.check(t, Modes{})
}

// Source: ctlseqs, "Alt and Meta Keys" with altSendsEscape and metaSendsEscape.
func TestXtermText(t *testing.T) {
	table := keys{
		{"a", "a"}, {"A", "A"}, {"S-a", "A"}, {"CapsLock-a", "A"}, {"CapsLock-S-a", "a"},
		{"1", "1"},
		{"CapsLock-1", "1"}, {"S-1", "!"}, {"S-/", "?"}, {"?", "?"}, {"é", "é"}, {"É", "É"},
		{"S-ñ", "Ñ"}, {"ß", "ß"}, {"S-ß", "ß"}, {"日", "日"}, {"🙂", "🙂"}, {"NumLock-x", "x"},
		{"M-x", "\x1bx"}, {"M-X", "\x1bX"}, {"M-S-x", "\x1bX"}, {"Meta-x", "\x1bx"},
		{"M-Meta-x", "\x1bx"},
		{"M-[", "\x1b["}, {"M-é", "\x1bé"}, {"M-S-1", "\x1b!"},
		{"s-a", ""}, {"H-a", ""}, {"s-Up", ""}, {"C-s-c", ""}, {"s-Enter", ""},
	}
	table.check(t, Modes{})
	table.check(t, Modes{KittyFlags: KittyAlternates | KittyText}) // neither does anything alone
}

// Source: ctlseqs, "VT220-Style Function Keys", the numeric keypad's table, and Input of xterm's
// input.c for NumLock and for modifiers in application mode.
func TestXtermKeypad(t *testing.T) {
	const numeric, application = "0123456789./*-+=,", "pqrstuvwxynojmkXl"
	names := []string{"KP0", "KP1", "KP2", "KP3", "KP4", "KP5", "KP6", "KP7", "KP8", "KP9",
		"KP.", "KP/", "KP*", "KP-", "KP+", "KP=", "KP,"}
	for i, name := range names {
		n, a := numeric[i:i+1], application[i:i+1]
		keys{{name, n}, {"C-" + name, n}, {"M-" + name, n}, {"s-" + name, ""}}.check(t, Modes{})
		keys{{name, "\x1bO" + a}, {"NumLock-" + name, n}, {"C-" + name, "\x1bO5" + a}}.
			check(t, Modes{AppKeypad: true})
	}
	keys{{"KPEnter", "\x1bOM"}, {"S-KPEnter", "\x1bO2M"}, {"NumLock-KPEnter", "\r"},
		{"KPUp", "\x1b[A"}, {"KPDelete", "\x1b[3~"}}.check(t, Modes{AppKeypad: true})

	for _, c := range []struct {
		key  Key
		want string
	}{
		{Key{Code: KP7, Text: "7"}, "7"},        // typed a digit: NumLock was on
		{Key{Code: KPAdd, Text: "+"}, "\x1bOk"}, // which it types always
		{Key{Code: KPDecimal, Text: ",", Mods: NumLock}, ","},
	} {
		if got := string(AppendKey(nil, Modes{AppKeypad: true}, c.key)); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.key, got, c.want)
		}
	}
}

// What has no place in xterm's encoding is nothing.
func TestXtermNothing(t *testing.T) {
	for m := range uint8(3) {
		modes := Modes{ModifyOtherKeys: m, AppCursor: true, AppKeypad: true}
		for c := firstCode; c < endCode; c++ {
			if got := AppendKey(nil, modes, Key{Code: c, Event: Release}); len(got) > 0 {
				t.Errorf("release of %v: got %q", c, got)
			}
			silent := c >= MediaPlay || c >= CapsLockKey && c <= Pause
			if got := AppendKey(nil, modes, Key{Code: c}); len(got) == 0 != silent {
				t.Errorf("press of %v: got %q", Key{Code: c}, got)
			}
		}
		for _, k := range []Key{{}, {Rune: 'a', Event: Release}, {Rune: 'a', Event: 3}, {Rune: 3},
			{Rune: 0xd800}, {Rune: 0x9b}, {Rune: -1}, {Code: 1}, {Code: endCode},
			{Mods: Ctrl, Text: "a"},
			{Text: "a\x1b[A"}, {Text: "\xff"}, {Text: "\u009b"}} {
			if got := AppendKey(nil, modes, k); len(got) > 0 {
				t.Errorf("%+v: got %q", k, got)
			}
		}
	}
}

// Text that was composed or typed on another layout goes before what the key's rune says.
func TestTextOfKeys(t *testing.T) {
	for _, c := range []struct {
		key  Key
		want string
	}{
		{Key{Rune: 'a', Text: "å"}, "å"},
		{Key{Rune: '7', Text: "/", Mods: Shift}, "/"},
		{Key{Text: "日本語"}, "日本語"},
		{Key{Rune: 'a', Event: Repeat}, "a"},
		{Key{Rune: 'x', Text: "x", Mods: Alt}, "\x1bx"},
		{Key{Rune: 'x', Text: "\x18", Mods: Ctrl}, "\x18"},
		{Key{Rune: 'с', Base: 'c', Mods: Ctrl}, "\x03"}, // Cyrillic
		{Key{Rune: 'с', Base: 'c', Mods: Ctrl | Shift, Shifted: 'С'}, "\x03"},
		{Key{Rune: 'с', Base: 'c', Mods: Alt}, "\x1bс"},
		{Key{Rune: 'ж', Base: ';', Mods: Ctrl}, "ж"},
		{Key{Rune: '3', Shifted: '§', Mods: Shift}, "§"},
		{Key{Rune: 'A'}, "A"},
		{Key{Rune: 'A', Mods: CapsLock}, "A"},
		{Key{Rune: 'A', Mods: Ctrl}, "\x01"},
	} {
		if got := string(AppendKey([]byte("."), Modes{}, c.key)); got != "."+c.want {
			t.Errorf("%+v: got %q, want %q", c.key, got, c.want)
		}
	}
}
