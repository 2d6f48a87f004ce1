package input

// Modes are the modes of a terminal that decide what its input looks like. The zero value is a
// terminal as it starts.
type Modes struct {
	AppCursor      bool // DECCKM, 1: cursor keys are SS3
	AppKeypad      bool // DECPAM, 66: keypad keys are SS3
	NewLine        bool // LNM, 20: Enter is CR LF
	BackarrowBS    bool // DECBKM, 67: Backspace is BS, and DEL with Ctrl
	BracketedPaste bool // 2004
	Focus          bool // 1004
	AltScreen      bool // 47, 1047, 1049: the alternate screen is shown
	AltScroll      bool // 1007: the wheel is cursor keys on the alternate screen

	Mouse         Tracking
	MouseEncoding MouseEncoding

	KittyFlags      uint8 // of the screen that is shown: KittyDisambiguate and the others
	ModifyOtherKeys uint8 // 0 to 2; more counts as 2
	FormatOtherKeys uint8 // 1 for CSI u
}

// The flags of kitty's keyboard protocol.
const (
	KittyDisambiguate uint8 = 1 << iota // escape codes for what legacy bytes leave ambiguous
	KittyEvents                         // repeats and releases
	KittyAlternates                     // the shifted and the base layout's rune of a key
	KittyAll                            // escape codes for text too, and for modifier keys
	KittyText                           // the text in the escape code
)

// Tracking is which mouse events a program asked for.
type Tracking uint8

// The ways of tracking, each with its mode's number.
const (
	TrackNone   Tracking = iota
	TrackX10             // 9: presses of buttons 1 to 3, without modifiers
	TrackNormal          // 1000: presses and releases
	TrackButton          // 1002: and motion with a button held
	TrackAny             // 1003: and motion without
)

// MouseEncoding is how a mouse event is written.
type MouseEncoding uint8

// The encodings, each with its mode's number.
const (
	MouseLegacy    MouseEncoding = iota // CSI M and three bytes, up to column and row 223
	MouseUTF8                           // 1005: the same in UTF-8, up to 2015
	MouseSGR                            // 1006
	MouseURXVT                          // 1015
	MouseSGRPixels                      // 1016: SGR in pixels
)

// kitty reports whether kitty's protocol is in force.
func (m *Modes) kitty() bool {
	return m.KittyFlags&(KittyDisambiguate|KittyEvents|KittyAll) != 0
}
