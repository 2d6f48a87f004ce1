package input

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

func TestAnswers(t *testing.T) {
	report := func(mode ansi.Mode, value ansi.ModeSetting) tea.Msg {
		return tea.ModeReportMsg{Mode: mode, Value: value}
	}
	dark, light := color.RGBA{20, 20, 20, 255}, color.RGBA{250, 250, 240, 255}
	cases := []struct {
		name string
		msg  tea.Msg
		want Answers
	}{
		{"sync", report(ansi.ModeSynchronizedOutput, ansi.ModeReset), Answers{Sync: true}},
		{"sync unknown", report(ansi.ModeSynchronizedOutput, ansi.ModeNotRecognized), Answers{}},
		{"sync never", report(ansi.ModeSynchronizedOutput, ansi.ModePermanentlyReset), Answers{}},
		{"sync always", report(ansi.ModeSynchronizedOutput, ansi.ModePermanentlySet), Answers{}},
		{"clusters can be turned on", report(ansi.ModeUnicodeCore, ansi.ModeReset),
			Answers{Clusters: true, Off: true}},
		{"clusters are on", report(ansi.ModeUnicodeCore, ansi.ModeSet), Answers{Clusters: true}},
		{"clusters always", report(ansi.ModeUnicodeCore, ansi.ModePermanentlySet),
			Answers{Clusters: true}},
		{"clusters never", report(ansi.ModeUnicodeCore, ansi.ModePermanentlyReset), Answers{}},
		{"another mode", report(ansi.ModeAltScreen, ansi.ModeSet), Answers{}},
		{"kitty", tea.KeyboardEnhancementsMsg{}, Answers{Kitty: true}},
		{"dark", tea.BackgroundColorMsg{Color: dark}, Answers{Themed: true, Dark: true, Bg: RGB{true, 20, 20, 20}}},
		{"light", tea.BackgroundColorMsg{Color: light}, Answers{Themed: true, Bg: RGB{true, 250, 250, 240}}},
		{"no colour", tea.BackgroundColorMsg{}, Answers{}},
		{"text", tea.ForegroundColorMsg{Color: dark}, Answers{Fg: RGB{true, 20, 20, 20}}},
		{"scheme", uv.DarkColorSchemeEvent{}, Answers{Themed: true, Dark: true}},
		{"the last", uv.PrimaryDeviceAttributesEvent{62, 22}, Answers{Complete: true}},
		{"a key", tea.KeyPressMsg{Code: 'a'}, Answers{}},
	}
	for _, c := range cases {
		var a Answers
		changed := a.Handle(c.msg)
		if a != c.want || changed != (c.want != Answers{}) {
			t.Errorf("%s: got %+v, changed %v, want %+v", c.name, a, changed, c.want)
		}
		if a.Handle(c.msg) {
			t.Errorf("%s: the same answer again changes something", c.name)
		}
	}
}

func TestQueriesEndWithTheOneThatAllAnswer(t *testing.T) {
	if !strings.HasSuffix(Queries, "\x1b[c") {
		t.Errorf("got %q", Queries)
	}
	for _, q := range []string{"\x1b[?2026$p", "\x1b[?2027$p", "\x1b[?u", "\x1b]11;?"} {
		if strings.Count(Queries, q) != 1 {
			t.Errorf("%q is asked %d times", q, strings.Count(Queries, q))
		}
	}
}

func TestClipboard(t *testing.T) {
	got, err := AppendClipboard([]byte("x"), []byte("hällo"), false)
	if want := "x\x1b]52;c;aMOkbGxv\a"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	got, err = AppendClipboard(nil, []byte("hi"), true)
	want := "\x1b]52;c;aGk=\a\x1bPtmux;\x1b\x1b]52;c;aGk=\a\x1b\\"
	if err != nil || string(got) != want {
		t.Errorf("tmux: got %q, %v, want %q", got, err, want)
	}
}

func TestLongCopiesAreNotCut(t *testing.T) {
	text := bytes.Repeat([]byte{0xFF}, ClipboardMaxBytes)
	got, err := AppendClipboard(nil, text, false)
	if err != nil || len(got) > 1<<20 {
		t.Fatalf("at the limit: %d bytes, %v", len(got), err)
	}
	back, err := base64.StdEncoding.DecodeString(string(got[7 : len(got)-1]))
	if err != nil || !bytes.Equal(back, text) {
		t.Errorf("at the limit: %d bytes come back, %v, want %d", len(back), err, len(text))
	}
	got, err = AppendClipboard([]byte("x"), append(text, 'x'), false)
	if !errors.Is(err, ErrClipboard) || string(got) != "x" {
		t.Errorf("beyond it: got %d bytes, %v", len(got), err)
	}
}
