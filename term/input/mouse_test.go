package input

import (
	"bytes"
	"fmt"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// reports is a table of events and their reports.
type reports []struct {
	mouse Mouse
	want  string
}

func (table reports) check(t *testing.T, m Modes) {
	t.Helper()
	for _, c := range table {
		if got := string(AppendMouse(nil, m, c.mouse)); got != c.want {
			t.Errorf("%+v: %+v: got %q, want %q", m, c.mouse, got, c.want)
		}
	}
}

// Source: ctlseqs, "Mouse Tracking": which mode reports what. The report itself is SGR's.
func TestMouseTracking(t *testing.T) {
	press, release := Mouse{Button: ButtonRight}, Mouse{Button: ButtonRight, Action: MouseRelease}
	drag, move := Mouse{Button: ButtonLeft, Action: MouseMotion}, Mouse{Action: MouseMotion}
	wheel, extra := Mouse{Button: WheelDown}, Mouse{Button: Button8}
	chord := Mouse{Button: ButtonLeft, Mods: Ctrl | Shift}
	for _, c := range []struct {
		tracking                                        Tracking
		press, release, drag, move, wheel, extra, chord string
	}{
		{TrackNone, "", "", "", "", "", "", ""},
		{TrackX10, "2M", "", "", "", "", "", "0M"},
		{TrackNormal, "2M", "2m", "", "", "65M", "128M", "20M"},
		{TrackButton, "2M", "2m", "32M", "", "65M", "128M", "20M"},
		{TrackAny, "2M", "2m", "32M", "35M", "65M", "128M", "20M"},
	} {
		for _, e := range []struct {
			mouse Mouse
			want  string
		}{{press, c.press}, {release, c.release}, {drag, c.drag}, {move, c.move}, {wheel, c.wheel},
			{extra, c.extra}, {chord, c.chord}} {
			want := e.want
			if want != "" {
				n := len(want) - 1
				want = "\x1b[<" + want[:n] + ";1;1" + want[n:]
			}
			reports{{e.mouse, want}}.check(t, Modes{Mouse: c.tracking, MouseEncoding: MouseSGR})
		}
	}
}

// Source: ctlseqs, "Normal tracking mode" and "Extended coordinates", and BtnCode and EditorButton
// of xterm's button.c.
func TestMouseEncodings(t *testing.T) {
	at := Mouse{Button: ButtonLeft, X: 9, Y: 19, PX: 95, PY: 301}
	for _, c := range []struct {
		encoding       MouseEncoding
		press, release string
	}{
		{MouseLegacy, "\x1b[M *4", "\x1b[M#*4"},
		{MouseUTF8, "\x1b[M *4", "\x1b[M#*4"},
		{MouseSGR, "\x1b[<0;10;20M", "\x1b[<0;10;20m"},
		{MouseURXVT, "\x1b[32;10;20M", "\x1b[35;10;20M"},
		{MouseSGRPixels, "\x1b[<0;96;302M", "\x1b[<0;96;302m"},
	} {
		up := at
		up.Action = MouseRelease
		reports{{at, c.press}, {up, c.release}}.
			check(t, Modes{Mouse: TrackNormal, MouseEncoding: c.encoding})
	}
	legacy := Modes{Mouse: TrackAny}
	reports{
		{Mouse{Button: ButtonMiddle}, "\x1b[M!!!"}, {Mouse{Button: ButtonRight}, "\x1b[M\"!!"},
		{Mouse{Button: WheelUp}, "\x1b[M`!!"}, {Mouse{Button: WheelDown}, "\x1b[Ma!!"},
		{Mouse{Button: WheelLeft}, "\x1b[Mb!!"}, {Mouse{Button: WheelRight}, "\x1b[Mc!!"},
		{Mouse{Button: Button8}, "\x1b[M\xa0!!"}, {Mouse{Button: Button11}, "\x1b[M\xa3!!"},
		{Mouse{Button: Button8, Action: MouseRelease}, "\x1b[M#!!"},
		{Mouse{Button: ButtonLeft, Action: MouseMotion}, "\x1b[M@!!"},
		{Mouse{Action: MouseMotion}, "\x1b[MC!!"},
		{Mouse{Button: ButtonLeft, Mods: Shift}, "\x1b[M$!!"},
		{Mouse{Button: ButtonLeft, Mods: Alt}, "\x1b[M(!!"},
		{Mouse{Button: ButtonLeft, Mods: Meta | Alt}, "\x1b[M(!!"},
		{Mouse{Button: ButtonLeft, Mods: Ctrl}, "\x1b[M0!!"},
		{Mouse{Button: ButtonLeft, Mods: Super | Hyper | CapsLock | NumLock}, "\x1b[M !!"},
		{Mouse{Button: Button11, Action: MouseMotion, Mods: Shift | Alt | Ctrl}, "\x1b[M\xdf!!"},
	}.check(t, legacy)
	utf := Modes{Mouse: TrackAny, MouseEncoding: MouseUTF8}
	reports{{Mouse{Button: Button8}, "\x1b[M\u00a0!!"}}.check(t, utf)
	reports{{Mouse{Button: ButtonLeft}, "\x1b[M !!"},
		{Mouse{Button: ButtonLeft, Mods: Ctrl}, "\x1b[M !!"},
		{Mouse{Button: WheelUp}, ""}}.check(t, Modes{Mouse: TrackX10})
}

// Source: ctlseqs, the limits 223 of the normal and 2015 of the UTF-8 encoding.
func TestMouseLimits(t *testing.T) {
	legacy, utf := Modes{Mouse: TrackAny}, Modes{Mouse: TrackAny, MouseEncoding: MouseUTF8}
	press := func(x, y int) Mouse { return Mouse{Button: ButtonLeft, X: x, Y: y} }
	release := func(x, y int) Mouse {
		return Mouse{Button: ButtonLeft, Action: MouseRelease, X: x, Y: y}
	}
	reports{
		{press(222, 222), "\x1b[M \xff\xff"}, {press(223, 0), ""}, {press(0, 223), ""},
		{Mouse{Action: MouseMotion, X: 1 << 30}, ""}, {press(-1, -5), "\x1b[M !!"},
		{release(222, 0), "\x1b[M#\xff!"}, {release(1000, 1000), "\x1b[M#\xff\xff"},
		{press(94, 95), "\x1b[M \x7f\x80"},
	}.check(t, legacy)
	reports{
		{press(94, 95), "\x1b[M \x7f\u0080"}, {press(2014, 2014), "\x1b[M \u07ff\u07ff"},
		{press(2015, 0), ""}, {release(5000, 1), "\x1b[M#\u07ff\""},
	}.check(t, utf)
	reports{{press(5000, 70000), "\x1b[<0;5001;70001M"}}.
		check(t, Modes{Mouse: TrackNormal, MouseEncoding: MouseSGR})
	reports{{Mouse{Button: ButtonLeft, X: 5, PX: -3, PY: 7}, "\x1b[<0;1;8M"}}.
		check(t, Modes{Mouse: TrackNormal, MouseEncoding: MouseSGRPixels})
}

// What is no event is no report.
func TestMouseNonsense(t *testing.T) {
	for enc := MouseLegacy; enc <= MouseSGRPixels; enc++ {
		reports{{Mouse{}, ""}, {Mouse{Action: MouseRelease}, ""}, {Mouse{Button: endButton}, ""},
			{Mouse{Button: WheelUp, Action: MouseRelease}, ""},
			{Mouse{Button: WheelUp, Action: MouseMotion}, ""},
			{Mouse{Button: ButtonLeft, Action: 3}, ""}}.
			check(t, Modes{Mouse: TrackAny, MouseEncoding: enc})
	}
}

// report is what a program reads out of a mouse report.
type report struct {
	code, x, y int
	released   bool
}

// readReport reads one report in an encoding, as a program does.
func readReport(enc MouseEncoding, b []byte) (r report, err error) {
	switch enc {
	case MouseLegacy, MouseUTF8:
		body, ok := bytes.CutPrefix(b, []byte("\x1b[M"))
		if !ok {
			return r, fmt.Errorf("no report: %q", b)
		}
		var n []int
		for len(body) > 0 {
			c, size := rune(body[0]), 1
			if enc == MouseUTF8 {
				c, size = utf8.DecodeRune(body)
			}
			n = append(n, int(c))
			body = body[size:]
		}
		if len(n) != 3 {
			return r, fmt.Errorf("%d numbers in %q", len(n), b)
		}
		r = report{code: n[0] - 32, x: n[1] - 33, y: n[2] - 33}
		r.released = r.code&3 == 3 && r.code&(32|64|128) == 0
	case MouseURXVT:
		var final rune
		_, err = fmt.Sscanf(string(b), "\x1b[%d;%d;%d%c", &r.code, &r.x, &r.y, &final)
		if err != nil {
			return r, err
		}
		r.code, r.x, r.y = r.code-32, r.x-1, r.y-1
		r.released = r.code&3 == 3 && r.code&(32|64|128) == 0
	default:
		var final rune
		_, err = fmt.Sscanf(string(b), "\x1b[<%d;%d;%d%c", &r.code, &r.x, &r.y, &final)
		if err != nil {
			return r, err
		}
		r.x, r.y, r.released = r.x-1, r.y-1, final == 'm'
	}
	return r, nil
}

// mouse is the event that a report tells of. The button of a release is lost but in SGR.
func (r report) mouse(enc MouseEncoding) (e Mouse) {
	e.X, e.Y = r.x, r.y
	if enc == MouseSGRPixels {
		e.X, e.Y, e.PX, e.PY = 0, 0, r.x, r.y
	}
	for bit, mod := range map[int]Mods{4: Shift, 8: Alt, 16: Ctrl} {
		if r.code&bit != 0 {
			e.Mods |= mod
		}
	}
	low := Button(r.code & 3)
	switch {
	case r.released && enc < MouseSGR || r.released && enc == MouseURXVT:
	case r.code&64 != 0:
		e.Button = WheelUp + low
	case r.code&128 != 0:
		e.Button = Button8 + low
	case low != 3:
		e.Button = ButtonLeft + low
	}
	switch {
	case r.released:
		e.Action = MouseRelease
	case r.code&32 != 0:
		e.Action = MouseMotion
	}
	return e
}

func TestMouseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		enc := MouseEncoding(rapid.IntRange(0, int(MouseSGRPixels)).Draw(t, "encoding"))
		last := []int{legacyLast, utf8Last, 1 << 20, 1 << 20, 1 << 20}[enc]
		e := Mouse{
			Button: Button(rapid.IntRange(1, int(endButton)-1).Draw(t, "button")),
			Action: Action(rapid.IntRange(0, 2).Draw(t, "action")),
			Mods:   Mods(rapid.IntRange(0, 7).Draw(t, "mods")),
		}
		if e.Action == MouseMotion && rapid.Bool().Draw(t, "move") {
			e.Button = ButtonNone
		}
		x, y := rapid.IntRange(0, last).Draw(t, "x"), rapid.IntRange(0, last).Draw(t, "y")
		if enc == MouseSGRPixels {
			e.PX, e.PY = x, y
		} else {
			e.X, e.Y = x, y
		}
		out := AppendMouse(nil, Modes{Mouse: TrackAny, MouseEncoding: enc}, e)
		if e.Button.wheel() && e.Action != MousePress {
			if len(out) > 0 {
				t.Fatalf("%+v: got %q", e, out)
			}
			return
		}
		r, err := readReport(enc, out)
		if err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
		want := e
		if e.Action == MouseRelease && enc != MouseSGR && enc != MouseSGRPixels {
			want.Button = ButtonNone
		}
		if got := r.mouse(enc); got != want {
			t.Fatalf("%q: got %+v, want %+v", out, got, want)
		}
	})
}

// Source: ctlseqs, mode 1007.
func TestAltScroll(t *testing.T) {
	on := Modes{AltScroll: true, AltScreen: true}
	app, kitty, mouse, main, off := on, on, on, on, on
	app.AppCursor, kitty.KittyFlags, mouse.Mouse, main.AltScreen, off.AltScroll =
		true, KittyDisambiguate, TrackX10, false, false
	up, down := Mouse{Button: WheelUp}, Mouse{Button: WheelDown, Mods: Shift}
	for _, c := range []struct {
		modes Modes
		mouse Mouse
		lines int
		want  string
	}{
		{on, up, 3, "\x1b[A\x1b[A\x1b[A"}, {on, down, 1, "\x1b[B"}, {app, down, 2, "\x1bOB\x1bOB"},
		{kitty, up, 1, "\x1b[A"}, {on, up, 0, ""}, {on, up, -1, ""}, {mouse, up, 3, ""},
		{main, up, 3, ""},
		{off, up, 3, ""}, {on, Mouse{Button: WheelLeft}, 3, ""}, {on, Mouse{Button: ButtonLeft},
			3, ""},
		{on, Mouse{Button: WheelUp, Action: MouseRelease}, 3, ""},
	} {
		if got := string(AppendAltScroll(nil, c.modes, c.mouse, c.lines)); got != c.want {
			t.Errorf("%+v: %+v: got %q, want %q", c.modes, c.mouse, got, c.want)
		}
	}
	if got, want := len(AppendAltScroll(nil, on, up, 1<<40)), 3*altScrollLines; got != want {
		t.Errorf("2^40 lines: %d bytes, want %d", got, want)
	}
}

// Source: ctlseqs, "FocusIn/FocusOut".
func TestFocus(t *testing.T) {
	for _, c := range []struct {
		on, in bool
		want   string
	}{{true, true, "\x1b[I"}, {true, false, "\x1b[O"}, {false, true, ""}, {false, false, ""}} {
		if got := string(AppendFocus(nil, Modes{Focus: c.on}, c.in)); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}
