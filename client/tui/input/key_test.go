package input

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"pgregory.net/rapid"
)

// decode makes Bubble Tea's key of the bytes of a terminal, by Bubble Tea's own parser.
func decode(t *testing.T, b string) (tea.KeyPressMsg, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	events := make(chan uv.Event, 64)
	reader := uv.NewTerminalReader(strings.NewReader(b), "xterm-256color")
	if err := reader.StreamEvents(ctx, events); err != nil {
		t.Fatal(err)
	}
	close(events)
	for e := range events {
		if k, ok := e.(uv.KeyPressEvent); ok {
			return tea.KeyPressMsg(k), true
		}
	}
	return tea.KeyPressMsg{}, false
}

func TestKeysOfTerminals(t *testing.T) {
	cases := []struct{ name, bytes, key, text string }{
		{"letter", "a", "a", "a"},
		{"capital", "A", "shift+a", "A"},
		{"letter with an accent", "é", "é", "é"},
		{"capital with an accent", "É", "shift+é", "É"},
		{"Han", "世", "世", "世"},
		{"space", " ", "space", " "},
		{"symbol", "!", "!", "!"},
		{"plus", "+", "plus", "+"},
		{"control", "\x01", "ctrl+a", ""},
		{"nul", "\x00", "ctrl+space", ""},
		{"ctrl+_", "\x1f", "ctrl+_", ""},
		{"enter", "\r", "enter", ""},
		{"line feed", "\n", "ctrl+j", ""},
		{"tab", "\t", "tab", ""},
		{"backtab", "\x1b[Z", "shift+tab", ""},
		{"delete as backspace", "\x7f", "backspace", ""},
		{"escape", "\x1b", "esc", ""},
		{"alt", "\x1bx", "alt+x", ""},
		{"alt and a capital", "\x1bX", "alt+shift+x", ""},
		{"alt+enter", "\x1b\r", "alt+enter", ""},
		{"arrow", "\x1b[A", "up", ""},
		{"application arrow", "\x1bOA", "up", ""},
		{"ctrl+shift+left", "\x1b[1;6D", "ctrl+shift+left", ""},
		{"alt+up", "\x1b[1;3A", "alt+up", ""},
		{"delete", "\x1b[3~", "delete", ""},
		{"ctrl+pgdown", "\x1b[6;5~", "ctrl+pgdown", ""},
		{"console home", "\x1b[1~", "home", ""},
		{"console end", "\x1b[4~", "end", ""},
		{"F1", "\x1bOP", "f1", ""},
		{"F5", "\x1b[15~", "f5", ""},
		{"shift+F5", "\x1b[15;2~", "shift+f5", ""},
		{"modifyOtherKeys ctrl+shift+p", "\x1b[27;6;80~", "ctrl+shift+p", ""},
		{"modifyOtherKeys ctrl+p, capitals locked", "\x1b[27;5;80~", "ctrl+p", ""},
		{"modifyOtherKeys shift+a", "\x1b[27;2;65~", "shift+a", "A"},
		{"modifyOtherKeys shift+enter", "\x1b[27;2;13~", "shift+enter", ""},
		{"modifyOtherKeys ctrl+shift+minus", "\x1b[27;6;95~", "ctrl+_", ""},
		{"modifyOtherKeys ctrl+i", "\x1b[27;5;105~", "ctrl+i", ""},
		{"kitty ctrl+shift+p", "\x1b[112;6u", "ctrl+shift+p", ""},
		{"kitty ctrl+shift+p with alternate", "\x1b[112:80;6u", "ctrl+shift+p", ""},
		{"kitty ctrl+shift+1 with alternate", "\x1b[49:33;6u", "ctrl+!", ""},
		{"kitty shift+1 as text", "\x1b[49:33;2;33u", "!", "!"},
		{"kitty escape", "\x1b[27u", "esc", ""},
		{"kitty shift+enter", "\x1b[13;2u", "shift+enter", ""},
		{"kitty ctrl+i", "\x1b[105;5u", "ctrl+i", ""},
		{"kitty with locks", "\x1b[97;193u", "shift+a", "A"},
		{"kitty super", "\x1b[115;9u", "super+s", ""},
		{"kitty ctrl on another script", "\x1b[1089::99;5u", "ctrl+c", ""},
		{"kitty keypad", "\x1b[57404u", "5", "5"},
		{"kitty keypad enter", "\x1b[57414u", "enter", ""},
		{"kitty shift alone", "\x1b[57441u", "", ""},
		{"application keypad", "\x1bOu", "5", "5"},
		{"joined", "👩‍🚀", "key1114112", "👩‍🚀"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			press, ok := decode(t, c.bytes)
			if !ok {
				t.Fatalf("%q is no key for Bubble Tea", c.bytes)
			}
			k, text, ok := KeyOf(press)
			if ok != (c.key != "") {
				t.Fatalf("%q: got %v, ok %v", c.bytes, k, ok)
			}
			if ok && (k.String() != c.key || text != c.text) {
				t.Errorf("%q: got %v %q, want %s %q (from %+v)", c.bytes, k, text, c.key, c.text, press)
			}
			if back, err := ParseKey(k.String()); ok && (err != nil || back != k) {
				t.Errorf("%v parses as %v, %v", k, back, err)
			}
		})
	}
}

func TestParseKey(t *testing.T) {
	cases := []struct {
		name string
		want Key
	}{
		{"a", Key{'a', 0}}, {"A", Key{'a', Shift}}, {"Ctrl+Shift+Left", Key{tea.KeyLeft, Ctrl | Shift}},
		{"shift+ctrl+left", Key{tea.KeyLeft, Ctrl | Shift}}, {"ctrl++", Key{'+', Ctrl}},
		{"+", Key{'+', 0}},
		{"ctrl+plus", Key{'+', Ctrl}}, {"shift+1", Key{'1', Shift}}, {"shift+!", Key{'!', 0}},
		{"F12", Key{tea.KeyF12, 0}}, {"f", Key{'f', 0}}, {"f63", Key{tea.KeyF63, 0}},
		{"PageUp", Key{tea.KeyPgUp, 0}}, {"return", Key{tea.KeyEnter, 0}},
		{"escape", Key{tea.KeyEscape, 0}},
		{"alt+é", Key{'é', Alt}}, {"space", Key{' ', 0}}, {"ctrl+-", Key{'-', Ctrl}},
	}
	for _, c := range cases {
		if got, err := ParseKey(c.name); err != nil || got != c.want {
			t.Errorf("%q: got %v, %v, want %v", c.name, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "ctrl", "ctrl+", "cmd+x", "f0", "f64", "f01", "f+1",
		"ctrl+foo", " ", "\x01",
		"a+b", "key", "key97", "\xff"} {
		if k, err := ParseKey(bad); err == nil {
			t.Errorf("%q: got %v, want an error", bad, k)
		}
	}
}

func TestKeyNamesRoundTrip(t *testing.T) {
	codes := []rune{'a', 'z', '1', '!', '-', '+', ' ', 'é', '世', tea.KeyUp, tea.KeyF1, tea.KeyF63,
		tea.KeyEnter,
		tea.KeyBackspace, tea.KeyTab, tea.KeyEscape, tea.KeyExtended, tea.KeyMediaPlay, 3}
	typed := []string{"", "a", "A", "!", "é", " ", "e\u0301", "\x01"}
	rapid.Check(t, func(rt *rapid.T) {
		press := tea.KeyPressMsg{
			Code:        rapid.OneOf(rapid.SampledFrom(codes), rapid.Rune()).Draw(rt, "code"),
			Mod:         tea.KeyMod(rapid.IntRange(0, 511).Draw(rt, "mod")),
			ShiftedCode: rapid.SampledFrom([]rune{0, 'A', '!', '_'}).Draw(rt, "shifted"),
			BaseCode:    rapid.SampledFrom([]rune{0, 'c', '['}).Draw(rt, "base"),
			Text:        rapid.SampledFrom(typed).Draw(rt, "text"),
		}
		k, text, ok := KeyOf(press)
		if !ok {
			return
		}
		if back, err := ParseKey(k.String()); err != nil || back != k {
			rt.Fatalf("%+v is %q (%+v), which parses as %+v, %v", press, k, k, back, err)
		}
		if text != "" && k.Mod&^Shift != 0 {
			rt.Fatalf("%+v types %q with modifiers %v", press, text, k)
		}
	})
}
