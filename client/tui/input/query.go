package input

import (
	"image/color"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Queries asks the terminal what it can do. Write it once the input is in raw mode. Every answer
// comes as a message. The last query is one that every terminal answers, so its answer means that
// no other is still to come.
const Queries = ansi.RequestModeSynchronizedOutput + // DECRQM 2026
	ansi.RequestModeUnicodeCore + // DECRQM 2027
	ansi.RequestKittyKeyboard + // CSI ? u
	ansi.RequestForegroundColor + // OSC 10
	ansi.RequestBackgroundColor + // OSC 11
	ansi.RequestPrimaryDeviceAttributes // DA1

// Answers is what the terminal has said. The zero value is before any answer, and right for a
// terminal that never answers.
type Answers struct {
	Sync     bool // synchronized output, mode 2026
	Clusters bool // widths by grapheme, mode 2027: on, or to be turned on
	Off      bool // mode 2027 is off, and can be turned on
	Kitty    bool // the kitty keyboard protocol
	Themed   bool // the background is known, and Dark is an answer
	Dark     bool // the background is dark
	Complete bool // the last query is answered

	Fg, Bg RGB // of text without colours
}

// Handle notes what msg answers, and reports whether that changed anything. It ignores other
// messages.
func (a *Answers) Handle(msg tea.Msg) (changed bool) {
	before := *a
	switch msg := msg.(type) {
	case tea.ModeReportMsg:
		a.mode(msg)
	case tea.KeyboardEnhancementsMsg:
		a.Kitty = true
	case tea.BackgroundColorMsg:
		if msg.Color != nil {
			a.Themed, a.Dark = true, msg.IsDark()
			a.Bg = rgb(msg.Color)
		}
	case tea.ForegroundColorMsg:
		if msg.Color != nil {
			a.Fg = rgb(msg.Color)
		}
	case uv.DarkColorSchemeEvent:
		a.Themed, a.Dark = true, true
	case uv.LightColorSchemeEvent:
		a.Themed, a.Dark = true, false
	case uv.PrimaryDeviceAttributesEvent:
		a.Complete = true
	}
	return *a != before
}

// RGB is a colour, if it is known.
type RGB struct {
	Known   bool
	R, G, B uint8
}

func rgb(c color.Color) RGB {
	r, g, b, _ := c.RGBA()
	return RGB{true, uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
}

func (a *Answers) mode(msg tea.ModeReportMsg) {
	switch msg.Mode {
	case ansi.ModeSynchronizedOutput:
		// One that is set for good would hold back everything.
		a.Sync = msg.Value == ansi.ModeSet || msg.Value == ansi.ModeReset
	case ansi.ModeUnicodeCore:
		a.Clusters = msg.Value == ansi.ModeSet || msg.Value == ansi.ModeReset ||
			msg.Value == ansi.ModePermanentlySet
		a.Off = msg.Value == ansi.ModeReset
	}
}
