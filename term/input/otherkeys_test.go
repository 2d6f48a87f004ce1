package input

import "testing"

// modified is a row of a table: what a key gives at each level of modifyOtherKeys.
type modified []struct{ name, level0, level1, level2 string }

func (table modified) check(t *testing.T) {
	t.Helper()
	for _, c := range table {
		keys{{c.name, c.level0}}.check(t, Modes{})
		keys{{c.name, c.level1}}.check(t, Modes{ModifyOtherKeys: 1})
		keys{{c.name, c.level2}}.check(t, Modes{ModifyOtherKeys: 2})
		keys{{c.name, c.level2}}.check(t, Modes{ModifyOtherKeys: 3})
	}
}

// Source: xterm's page on modified keys, and allowedCharModifiers and ModifyOtherKeys of its
// input.c (patch 397), where Alt alone is an ESC at levels 0 and 1.
func TestModifyOtherKeys(t *testing.T) {
	modified{
		{"a", "a", "a", "a"},
		{"S-a", "A", "A", "\x1b[27;2;65~"},
		{"C-a", "\x01", "\x01", "\x1b[27;5;97~"},
		{"C-S-a", "\x01", "\x01", "\x1b[27;6;65~"},
		{"M-a", "\x1ba", "\x1ba", "\x1b[27;3;97~"},
		{"M-S-a", "\x1bA", "\x1bA", "\x1b[27;4;65~"},
		{"C-M-a", "\x1b\x01", "\x1b\x01", "\x1b[27;7;97~"},
		{"Meta-a", "\x1ba", "\x1ba", "\x1b[27;9;97~"},
		{"CapsLock-a", "A", "A", "A"},
		{"C-c", "\x03", "\x03", "\x1b[27;5;99~"},
		{"C-i", "\t", "\t", "\x1b[27;5;105~"},
		{"C-m", "\r", "\r", "\x1b[27;5;109~"},
		{"C-[", "\x1b", "\x1b", "\x1b[27;5;91~"},
		{"C-@", "\x00", "\x00", "\x1b[27;5;64~"},
		{"C-S-2", "\x00", "\x00", "\x1b[27;6;64~"},

		{"1", "1", "1", "1"},
		{"S-1", "!", "!", "!"},
		{"S-[", "{", "{", "\x1b[27;2;123~"},
		{"C-1", "1", "\x1b[27;5;49~", "\x1b[27;5;49~"},
		{"C-S-1", "!", "\x1b[27;6;33~", "\x1b[27;6;33~"},
		{"M-1", "\x1b1", "\x1b1", "\x1b[27;3;49~"},
		{"M-S-1", "\x1b!", "\x1b!", "\x1b[27;4;33~"},
		{"C-M-1", "\x1b1", "\x1b[27;7;49~", "\x1b[27;7;49~"},
		{"C-2", "\x00", "\x00", "\x1b[27;5;50~"},
		{"C-M-2", "\x1b\x00", "\x1b[27;7;50~", "\x1b[27;7;50~"},
		{"C-/", "\x1f", "\x1f", "\x1b[27;5;47~"},
		{"C-S-/", "\x7f", "\x1b[27;6;63~", "\x1b[27;6;63~"},
		{"C-?", "\x7f", "\x1b[27;5;63~", "\x1b[27;5;63~"},
		{"C-;", ";", "\x1b[27;5;59~", "\x1b[27;5;59~"},
		{"C-.", ".", "\x1b[27;5;46~", "\x1b[27;5;46~"},
		{"C-=", "=", "\x1b[27;5;61~", "\x1b[27;5;61~"},
		{"C-é", "é", "\x1b[27;5;233~", "\x1b[27;5;233~"},
		{"C-€", "€", "\x1b[27;5;8364~", "\x1b[27;5;8364~"}, // xterm: nothing

		{"Space", " ", " ", " "},
		{"S-Space", " ", " ", "\x1b[27;2;32~"},
		{"C-Space", "\x00", "\x00", "\x1b[27;5;32~"},
		{"M-Space", "\x1b ", "\x1b ", "\x1b[27;3;32~"},
		{"C-M-Space", "\x1b\x00", "\x1b[27;7;32~", "\x1b[27;7;32~"},

		{"Enter", "\r", "\r", "\r"},
		{"S-Enter", "\r", "\x1b[27;2;13~", "\x1b[27;2;13~"},
		{"C-Enter", "\r", "\x1b[27;5;13~", "\x1b[27;5;13~"},
		{"C-S-Enter", "\r", "\x1b[27;6;13~", "\x1b[27;6;13~"},
		{"M-Enter", "\x1b\r", "\x1b\r", "\x1b[27;3;13~"},
		{"C-M-Enter", "\x1b\r", "\x1b[27;7;13~", "\x1b[27;7;13~"}, // xterm at level 1: ESC CR
		{"Tab", "\t", "\t", "\t"},
		{"S-Tab", "\x1b[Z", "\x1b[Z", "\x1b[Z"},
		{"C-Tab", "\t", "\x1b[27;5;9~", "\x1b[27;5;9~"},
		{"C-S-Tab", "\x1b[Z", "\x1b[Z", "\x1b[27;6;9~"},
		{"M-Tab", "\x1b\t", "\x1b\t", "\x1b[27;3;9~"},
		{"Escape", "\x1b", "\x1b", "\x1b"},
		{"S-Escape", "\x1b", "\x1b", "\x1b[27;2;27~"},
		{"C-Escape", "\x1b", "\x1b", "\x1b[27;5;27~"},
		{"M-Escape", "\x1b\x1b", "\x1b\x1b", "\x1b[27;3;27~"},
		{"C-M-Escape", "\x1b\x1b", "\x1b[27;7;27~", "\x1b[27;7;27~"},
		{"BSpace", "\x7f", "\x7f", "\x7f"},
		{"S-BSpace", "\x7f", "\x7f", "\x1b[27;2;127~"},
		{"C-BSpace", "\b", "\b", "\b"},
		{"C-S-BSpace", "\b", "\b", "\x1b[27;6;8~"},
		{"M-BSpace", "\x1b\x7f", "\x1b\x7f", "\x1b[27;3;127~"},

		{"C-Up", "\x1b[1;5A", "\x1b[1;5A", "\x1b[1;5A"},
		{"C-KP1", "1", "1", "1"},
		{"C-KPEnter", "\r", "\r", "\r"},
		{"s-a", "", "", ""},
	}.check(t)
}

// Source: ctlseqs, formatOtherKeys.
func TestFormatOtherKeys(t *testing.T) {
	keys{{"C-1", "\x1b[49;5u"}, {"S-Enter", "\x1b[13;2u"}, {"C-a", "\x01"}, {"F5", "\x1b[15~"}}.
		check(t, Modes{ModifyOtherKeys: 1, FormatOtherKeys: 1})
	keys{{"C-S-a", "\x1b[65;6u"}, {"M-BSpace", "\x1b[127;3u"}, {"C-Up", "\x1b[1;5A"}}.
		check(t, Modes{ModifyOtherKeys: 2, FormatOtherKeys: 1})
	keys{{"C-1", "1"}, {"S-Enter", "\r"}}.check(t, Modes{FormatOtherKeys: 1})
}

// Ctrl means the key of the base layout where the rune is of another script; a composed character
// is no chord.
func TestModifyOtherKeysLayouts(t *testing.T) {
	for _, c := range []struct {
		key            Key
		level1, level2 string
	}{
		{Key{Rune: 'с', Base: 'c', Mods: Ctrl}, "\x03", "\x1b[27;5;1089~"},
		{Key{Rune: 'ж', Base: ';', Mods: Ctrl}, "\x1b[27;5;59~", "\x1b[27;5;1078~"},
		{Key{Rune: 'a', Text: "Å", Mods: Shift}, "Å", "Å"},
		{Key{Rune: 'a', Text: "A", Mods: Shift}, "A", "\x1b[27;2;65~"},
		{Key{Text: "A", Mods: Shift}, "A", "A"},
	} {
		if got := string(AppendKey(nil, Modes{ModifyOtherKeys: 1}, c.key)); got != c.level1 {
			t.Errorf("%+v at level 1: got %q, want %q", c.key, got, c.level1)
		}
		if got := string(AppendKey(nil, Modes{ModifyOtherKeys: 2}, c.key)); got != c.level2 {
			t.Errorf("%+v at level 2: got %q, want %q", c.key, got, c.level2)
		}
	}
}
