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
		{"Insert", "\x1b[2~"}, {"Delete", "\x1b[3~"}, {"PageUp", "\x1b[5~"}, {"PageDown", "\x1b[6~"},
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
