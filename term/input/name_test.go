package input

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseKey(t *testing.T) {
	for _, c := range []struct {
		names string
		want  Key
		name  string // as String writes it
	}{
		{"a", Key{Rune: 'a'}, "a"},
		{"A S-a Shift-A shift+a", Key{Rune: 'a', Mods: Shift}, "A"},
		{"C-c C-C ^c ^C c-c Ctrl-c ctrl+c Control+C <C-c>", Key{Rune: 'c', Mods: Ctrl}, "C-c"},
		{"C-S-c S-C-c C-S-C ctrl+shift+c", Key{Rune: 'c', Mods: Ctrl | Shift}, "C-S-c"},
		{"M-x m-x A-x Alt-x alt+x option+x", Key{Rune: 'x', Mods: Alt}, "M-x"},
		{"M-X M-S-x S-M-x", Key{Rune: 'x', Mods: Alt | Shift}, "M-X"},
		{"M-C-x C-M-x M-^x M-^X", Key{Rune: 'x', Mods: Ctrl | Alt}, "C-M-x"},
		{"s-x super+x Cmd-x", Key{Rune: 'x', Mods: Super}, "s-x"},
		{"H-x", Key{Rune: 'x', Mods: Hyper}, "H-x"},
		{"Meta-x", Key{Rune: 'x', Mods: Meta}, "Meta-x"},
		{"CapsLock-NumLock-C-a", Key{Rune: 'a', Mods: Ctrl | CapsLock | NumLock},
			"C-CapsLock-NumLock-a"},
		{"- minus", Key{Rune: '-'}, "-"},
		{"+ plus", Key{Rune: '+'}, "+"},
		{"C-- ctrl+- ^-", Key{Rune: '-', Mods: Ctrl}, "C--"},
		{"C-+ ctrl++ ctrl+plus", Key{Rune: '+', Mods: Ctrl}, "C-+"},
		{"^ U+5E", Key{Rune: '^'}, "^"},
		{"C-^ ^^", Key{Rune: '^', Mods: Ctrl}, "C-^"},
		{"< <<>", Key{Rune: '<'}, "<"},
		{"> <>>", Key{Rune: '>'}, ">"},
		{"Space SPC space U+0020 <space>", Key{Rune: ' '}, "Space"},
		{"C-Space C-SPC NUL", Key{Rune: ' ', Mods: Ctrl}, "C-Space"},
		{"é U+E9 U+00e9", Key{Rune: 'é'}, "é"},
		{"É", Key{Rune: 'é', Mods: Shift}, "É"},
		{"日", Key{Rune: '日'}, "日"},
		{"U+301 U+0301", Key{Rune: '\u0301'}, "U+0301"},
		{"U+A0", Key{Rune: '\u00a0'}, "U+00A0"},
		{"U+10FFFF", Key{Rune: 0x10ffff}, "U+10FFFF"},
		{"LFD", Key{Rune: 'j', Mods: Ctrl}, "C-j"},
		{"Enter enter RET Return <return> CR", Key{Code: Enter}, "Enter"},
		{"S-Enter S-RET S-<return> <S-return>", Key{Code: Enter, Mods: Shift}, "S-Enter"},
		{"Tab TAB <tab>", Key{Code: Tab}, "Tab"},
		{"S-Tab BTab <backtab>", Key{Code: Tab, Mods: Shift}, "S-Tab"},
		{"C-BTab", Key{Code: Tab, Mods: Ctrl | Shift}, "C-S-Tab"},
		{"BSpace Backspace DEL BS <backspace>", Key{Code: Backspace}, "BSpace"},
		{"Del DC Delete <delete> del", Key{Code: Delete}, "Delete"},
		{"Escape ESC esc", Key{Code: Escape}, "Escape"},
		{"PageUp PgUp PPage <prior>", Key{Code: PageUp}, "PageUp"},
		{"PageDown PgDn NPage <next>", Key{Code: PageDown}, "PageDown"},
		{"IC Insert <insert>", Key{Code: Insert}, "Insert"},
		{"C-S-Left S-C-left C-S-<left>", Key{Code: Left, Mods: Ctrl | Shift}, "C-S-Left"},
		{"F1 f1 <f1>", Key{Code: F1}, "F1"},
		{"M-F12", Key{Code: F12, Mods: Alt}, "M-F12"},
		{"F35", Key{Code: F35}, "F35"},
		{"KP0 kp-0", Key{Code: KP0}, "KP0"},
		{"KP- kp-subtract", Key{Code: KPSubtract}, "KPSubtract"},
		{"C-KP+ C-kp-add", Key{Code: KPAdd, Mods: Ctrl}, "C-KPAdd"},
		{"KPEnter kp-enter <kp-enter>", Key{Code: KPEnter}, "KPEnter"},
		{"CapsLock", Key{Code: CapsLockKey}, "CapsLock"},
		{"LeftShift", Key{Code: LeftShift}, "LeftShift"},
		{"ISOLevel5Shift", Key{Code: ISOLevel5Shift}, "ISOLevel5Shift"},
		{"VolumeUp", Key{Code: VolumeUp}, "VolumeUp"},
	} {
		for _, name := range strings.Fields(c.names) {
			if got, err := ParseKey(name); err != nil || got != c.want {
				t.Errorf("%s: got %+v, %v, want %+v", name, got, err, c.want)
			}
		}
		if got := c.want.String(); got != c.name {
			t.Errorf("%+v: String is %q, want %q", c.want, got, c.name)
		}
	}
}

func TestParseKeyErrors(t *testing.T) {
	for _, name := range []string{"", "aa", "Entr", "C-", "C-M-", "C-C-c", "Ctrl-ctrl+x", "X-a",
		"-a", "+a", "F0", "F36", "F01", "KP10", "U+", "U+3", "U+7F", "U+D800", "U+110000", "U+zz",
		"\x03", "\xff", "é\u0301", "<>", "<C-left", "C M", "h-x", "a-", "^x+ctrl", "^U+20"} {
		k, err := ParseKey(name)
		if err == nil {
			t.Errorf("%q: got %+v, want an error", name, k)
			continue
		}
		for _, want := range []string{"Space", "F1 to F35", "BSpace", "KP0 to KP9", "C-, M-, S-",
			"U+hex"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: the error does not name %q: %v", name, want, err)
			}
		}
	}
}

func TestKeyStringOfNoName(t *testing.T) {
	for want, k := range map[string]Key{
		"no key": {}, `text "é"`: {Text: "é"}, "key 7": {Code: 7},
		"C-S-a": {Rune: 'A', Mods: Ctrl}, // an upper-case rune is a shifted key
		"x":     {Rune: 'x', Text: "y", Event: Release, Shifted: 'z', Base: 'w'},
	} {
		if got := k.String(); got != want {
			t.Errorf("%+v: got %q, want %q", k, got, want)
		}
	}
}

// Every code has one name of its own, and every name leads back to one code.
func TestCodeNames(t *testing.T) {
	if got, want := len(codeNames), int(endCode-firstCode); got != want {
		t.Fatalf("%d names, want one for each of %d codes", got, want)
	}
	seen := map[string]bool{}
	for _, o := range otherNames {
		seen[strings.ToLower(o.name)] = true
	}
	names := len(seen)
	for i := range codeNames {
		for _, n := range strings.Fields(codeNames[i]) {
			names++
			seen[strings.ToLower(n)] = true
			if k, err := ParseKey(n); err != nil || k != (Key{Code: firstCode + Code(i)}) {
				t.Errorf("%s: got %+v, %v, want code %d", n, k, err, firstCode+Code(i))
			}
		}
	}
	if len(seen) != names {
		t.Errorf("%d names for %d", len(seen), names)
	}
}

// genKey makes keys as ParseKey knows them.
func genKey(t *rapid.T) Key {
	k := Key{Mods: Mods(rapid.Uint8().Draw(t, "mods"))}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		k.Rune = rapid.RuneFrom([]rune("abzéßıİǆǅ°<>^-+ ?/1日🙂\u0301\u00a0ſK")).Draw(t, "rune")
	case 1:
		k.Rune = rapid.Rune().Filter(printable).Draw(t, "rune")
	default:
		k.Code = firstCode + Code(rapid.IntRange(0, int(endCode-firstCode)-1).Draw(t, "code"))
	}
	return k.norm()
}

func TestKeyNamesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := genKey(t)
		got, err := ParseKey(k.String())
		if err != nil {
			t.Fatal(err)
		}
		if got != k {
			t.Fatalf("%q: got %+v, want %+v", k.String(), got, k)
		}
	})
}

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"C-M-S-Left", "<C-left>", "^C", "U+00E9", "kp-enter", "C--", "M-X",
		"\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		k, err := ParseKey(name)
		if err != nil {
			if k != (Key{}) {
				t.Fatalf("%q: %v with %+v", name, err, k)
			}
			return
		}
		if again, err := ParseKey(k.String()); err != nil || again != k {
			t.Fatalf("%q is %+v, its name %q is %+v, %v", name, k, k.String(), again, err)
		}
		for _, m := range []Modes{{}, {ModifyOtherKeys: 2}, {KittyFlags: 31}} {
			if out := AppendKey(nil, m, k); len(out) > keyBytes {
				t.Fatalf("%q: %d bytes", name, len(out))
			}
		}
	})
}

// keyBytes is more than any key without a text of its own takes.
const keyBytes = 48
