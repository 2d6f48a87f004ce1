package tui_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"apex/client"
	"apex/client/tui"
	"apex/client/tui/paint"
	"apex/client/tui/tuitest"
	"apex/core"
	"apex/core/cell"
	"apex/core/edit"

	tea "charm.land/bubbletea/v2"
	"github.com/cockroachdb/datadriven"
)

// runScript runs a script of datadriven: what a person does and what is then on the screen.
//
//	file name=PATH          the input is the text of a file that is open in a window
//	disk name=PATH          the input is the text of a file on disk
//	screen size=80x24 [profile=none|16|256] [light] [ascii] [prefix=KEY] [remote=HOST]  begins;
//	                        shows the screen
//	keys                    keys by name, blanks between; "text with blanks" is typed
//	paste                   the input is pasted
//	mouse                   a line each: press|shift-press|move|drag|release|click|double|triple|wheel BUTTON AT
//	                        AT is x,y or a text on the screen, +n for cells after its first, or .
//	                        for the cell of the line before
//	pause                   lets a second pass
//	show                    shows the screen
//	styles                  which cells look other than plain text, by the names of their styles
//	text                    the text, dot and origin of the window with the focus, or its tag
//	layout                  columns and windows as the session has them
//	status                  title, messages to the terminal, and how the program stands
//	leads no|later|yes|layout  which shards this client leads; the status goes with it: another UI
//	                        leads, or nobody and the leases are on their way
//	other                   what the input says is typed by another at the beginning of the body
//	state                   sets fields of the status: offline, why=TEXT, retry=SECONDS, draining, observer, unsynced=N, mute (the
//	                        daemon answers nothing), trouble (it stores nothing), unkept (nor when it was attached to), room
//	attach NAME             another UI attaches
//	seen changed|gone|clean the file of the window with the focus is seen to be so on disk
//	term name=PATH          a terminal of 80x24 in a window with the focus; the input is printed
//	print                   the input is printed in the last terminal; \n ends a line
//	told                    what was typed into terminals, and what else they were asked
//	tell                    sets what the last terminal tells: title=T, cwd=DIR, bell, exit=N, signal=S,
//	                        cols=N, clip, progress=N, cursor=block|bar|underline, hidden, modes=paste,focus,reverse,
//	                        altscroll,presses,clicks,drags,motion; alt shows the input on the
//	                        alternate screen, and main the other again; stiff keeps its size;
//	                        cleared drops the history
//	link                    the input is printed as a link to=URL
//	ran COMMAND [code=CODE] a command of the window with the focus ends; the input is its message
//
// Every command but the first few answers with nothing, or with what it shows.
func runScript(t *testing.T, file string) {
	e := &env{session: tuitest.NewSession()}
	datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
		t.Helper()
		out, err := e.command(t, d)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return out
	})
}

type env struct {
	session *tuitest.Session
	screen  *tuitest.Screen
	theme   *tui.Theme
	term    *tuitest.Term // the last
	x, y    int           // where the mouse was last
}

func (e *env) command(t *testing.T, d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "file", "disk":
		return "", e.file(t, d)
	case "screen":
		return e.begin(t, d)
	case "keys":
		return "", e.keys(d.Input)
	case "paste":
		e.screen.Paste(d.Input)
	case "mouse":
		return "", e.mouse(d.Input)
	case "pause":
		e.screen.Pause()
	case "show":
		return e.screen.String(), nil
	case "styles":
		return e.styles(), nil
	case "text":
		return e.text(), nil
	case "layout":
		return e.layout(), nil
	case "status":
		return e.status(), nil
	case "ran":
		e.ran(d)
	case "start", "ended", "runs":
		return e.programs(t, d)
	case "term", "print", "tell", "told", "link":
		return e.onTerm(t, d)
	case "leads", "other", "state", "attach", "wake", "seen", "tool", "recovers":
		return "", e.world(d)
	default:
		return "", fmt.Errorf("no command %s", d.Cmd)
	}
	return "", nil
}

func (e *env) file(t *testing.T, d *datadriven.TestData) error {
	var name string
	d.ScanArgs(t, "name", &name)
	input, err := unescape(d.Input)
	if err != nil {
		return err
	}
	if input != "" {
		input += "\n"
	}
	e.session.Files[name] = input
	if d.Cmd == "file" {
		e.session.File(name, input)
	}
	return nil
}

// unescape reads \x01, \t, \u200b and the like.
func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, `"`, `\"`), "\n", `\n`)
	return strconv.Unquote(`"` + s + `"`)
}

func (e *env) begin(t *testing.T, d *datadriven.TestData) (string, error) {
	var size string
	d.ScanArgs(t, "size", &size)
	var w, h int
	if _, err := fmt.Sscanf(size, "%dx%d", &w, &h); err != nil {
		return "", err
	}
	if e.screen != nil {
		e.screen.Send(tea.WindowSizeMsg{Width: w, Height: h})
		return e.screen.String(), nil
	}
	o := tuitest.Options{Profile: paint.TrueColour}
	o.Light, o.ASCII = d.HasArg("light"), d.HasArg("ascii")
	d.MaybeScanArgs(t, "prefix", &o.Prefix)
	d.MaybeScanArgs(t, "remote", &o.Remote)
	var profile string
	if d.HasArg("profile") {
		d.ScanArgs(t, "profile", &profile)
		o.Profile = profiles[profile]
	}
	e.theme = tui.NewTheme(o.Profile, !o.Light, !o.ASCII)
	e.screen = tuitest.New(e.session, w, h, o)
	return e.screen.String(), nil
}

var profiles = map[string]paint.Profile{
	"none": paint.NoColour, "16": paint.Colour16, "256": paint.Colour256,
}

// keys reads key names and quoted texts.
func (e *env) keys(input string) error {
	for input = strings.TrimSpace(input); input != ""; input = strings.TrimSpace(input) {
		if input[0] == '"' {
			quoted, err := strconv.QuotedPrefix(input)
			if err != nil {
				return fmt.Errorf("%q: %v", input, err)
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return err
			}
			e.screen.Type(text)
			input = input[len(quoted):]
			continue
		}
		name, rest, _ := strings.Cut(strings.ReplaceAll(input, "\n", " "), " ")
		times := 1
		if n, count, ok := strings.Cut(name, "*"); ok {
			name = n
			times, _ = strconv.Atoi(count)
		}
		for range times {
			e.screen.Key(name)
		}
		input = rest
	}
	return nil
}

var buttons = map[string]tea.MouseButton{
	"left": tea.MouseLeft, "middle": tea.MouseMiddle, "right": tea.MouseRight,
	"none": tea.MouseNone, "up": tea.MouseWheelUp, "down": tea.MouseWheelDown,
}

func (e *env) mouse(input string) error {
	for _, line := range strings.Split(input, "\n") {
		f := strings.SplitN(line, " ", 3)
		if len(f) != 3 {
			return fmt.Errorf("mouse %q: want what, button, at", line)
		}
		b, ok := buttons[f[1]]
		if !ok {
			return fmt.Errorf("no button %q", f[1])
		}
		x, y, err := e.at(f[2])
		if err != nil {
			return err
		}
		s := e.screen
		switch f[0] {
		case "shift-press":
			s.Pause()
			s.Send(tea.MouseClickMsg{X: x, Y: y, Button: b, Mod: tea.ModShift})
		case "press":
			s.Pause()
			s.Press(b, x, y)
		case "chord":
			s.Press(b, x, y)
		case "drag", "move":
			s.Drag(b, x, y)
		case "release":
			s.Release(b, x, y)
		case "click", "double", "triple":
			s.Pause()
			for range map[string]int{"click": 1, "double": 2, "triple": 3}[f[0]] {
				s.Click(b, x, y)
			}
		case "wheel":
			s.Wheel(b, x, y)
		default:
			return fmt.Errorf("no mouse %q", f[0])
		}
	}
	return nil
}

// at finds a cell: x,y or a text, with +n cells.
func (e *env) at(s string) (x, y int, err error) {
	if s == "." {
		return e.x, e.y, nil
	}
	defer func() { e.x, e.y = x, y }()
	if n, _ := fmt.Sscanf(s, "%d,%d", &x, &y); n == 2 {
		return x, y, nil
	}
	plus := 0
	if i := strings.LastIndex(s, "+"); i > 0 {
		if n, err := strconv.Atoi(s[i+1:]); err == nil {
			plus, s = n, s[:i]
		}
	}
	if !e.screen.Has(s) {
		return 0, 0, fmt.Errorf("%q is not on the screen:\n%s", s, e.screen)
	}
	x, y = e.screen.Find(s)
	return x + plus, y, nil
}

func (e *env) text() string {
	v := e.session.Layout().Focus
	if v.Kind == core.ViewInvalid {
		return "no focus"
	}
	at := e.session.View(v)
	w, ok := v.Window()
	text := ""
	switch {
	case !ok:
	case v.Kind == core.ViewTag:
		text = e.session.Tag(w)
	default:
		text = e.session.Text(w)
	}
	return fmt.Sprintf("%v dot %d,%d origin %d\n%s", v, at.Q0, at.Q1, at.Origin, show(text))
}

// show makes blanks at line ends, control characters and broken bytes visible.
func show(s string) string {
	if s == "" {
		return "(empty)\n"
	}
	q := strconv.Quote(s)
	q = strings.ReplaceAll(q[1:len(q)-1], `\n`, "⏎\n")
	q = strings.ReplaceAll(strings.ReplaceAll(q, `\t`, "→"), `\"`, `"`)
	return strings.TrimSuffix(q, "\n") + "\n"
}

// styles lists runs of cells in a style that stands for something.
func (e *env) styles() string {
	t := e.theme
	names := []struct {
		name  string
		style cell.Style
	}{{"select", t.Select}, {"selected", t.Selected}, {"execute", t.Execute}, {"look", t.Look},
		{"escape", t.Escape}, {"tag with focus", t.TagFocus}, {"good", t.Good}, {"warn", t.Warn},
		{"bad", t.Bad}}
	var b strings.Builder
	width, height := e.screen.Grid.Size()
	for y := range height {
		for x := 0; x < width; {
			style := e.screen.Grid.At(x, y).Style()
			end := x + 1
			for end < width && e.screen.Grid.At(end, y).Style() == style {
				end++
			}
			for _, n := range names {
				if n.style == style {
					fmt.Fprintf(&b, "%d,%d-%d %s\n", y, x, end-1, n.name)
					break
				}
			}
			x = end
		}
	}
	return b.String()
}

func (e *env) layout() string {
	var b strings.Builder
	l := e.session.Layout()
	total := 0
	for _, c := range l.Columns {
		total += c.Weight
	}
	for _, c := range l.Columns {
		fmt.Fprintf(&b, "column %d%%\n", (c.Weight*100+total/2)/total)
		sum := 0
		for _, s := range c.Slots {
			sum += s.Share
		}
		for _, s := range c.Slots {
			name := e.session.Buffer(e.session.Window(s.Window).Body).Name
			show := []string{"", " collapsed", " maximised", " hidden"}[s.Show]
			fmt.Fprintf(&b, "  %s %d%%%s\n", name, (s.Share*100+sum/2)/sum, show)
		}
	}
	fmt.Fprintf(&b, "focus %v\n", l.Focus)
	return b.String()
}

func (e *env) status() string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %s\n", e.screen.Title)
	for _, r := range e.screen.Raw {
		fmt.Fprintf(&b, "sent %q\n", r)
	}
	e.screen.Raw = nil
	if e.screen.Motion {
		b.WriteString("all motion of the mouse\n")
	}
	fmt.Fprintf(&b, "quit %v ended %v took %d\n", e.screen.Quit, e.session.Ended, e.session.Took)
	return b.String()
}

// other types at the dot of a window's body as bob.
func (e *env) other(w core.WindowID, input string) {
	s := e.session
	id := s.Window(w).Body
	at := s.View(w.Body()).Q1
	n := len([]rune(input))
	s.Do(core.Author{Attachment: 2, Actor: "human:bob"}, id.Shard(),
		core.Edit(s.Buffer(id).Version, at, at, input, 0), core.Select(w.Body(), at+n, at+n))
}

// ran lets a command that was executed in the window with the focus end.
func (e *env) ran(d *datadriven.TestData) {
	s := e.session
	w, _ := s.Layout().Focus.Window()
	o := core.Status{Message: d.Input}
	for _, a := range d.CmdArgs[1:] {
		o.Code = core.Code(a.Vals[0])
	}
	body := s.Window(w).Body
	s.Do(tuitest.Me, w.Shard(), core.Of(&core.Exec{Command: d.CmdArgs[0].Key, Buffer: body,
		Version: s.Buffer(body).Version}))
	runs := s.Window(w).Runs
	o.Of = runs[len(runs)-1].At
	s.Do(tuitest.Me, w.Shard(), core.Of(&o))
	if e.screen != nil {
		e.screen.Wake()
	}
}

// world changes what the session is to the client.
func (e *env) world(d *datadriven.TestData) error {
	s := e.session
	arg := ""
	if len(d.CmdArgs) > 0 {
		arg = d.CmdArgs[0].Key
	}
	switch d.Cmd {
	case "leads":
		s.Led = func(sh core.Shard) bool {
			return arg == "yes" || arg == "layout" && sh.Kind != core.KindBuffer
		}
		s.Status.Leading, s.Status.Watching = arg == "yes" || arg == "layout", arg == "no"
		s.Tell(client.Event{Kind: client.EventLease, Shard: core.LayoutShard})
	case "tool": // takes the lease of the text with the focus, answers what was handed over, or lapses
		w, _ := s.Layout().Focus.Window()
		body := s.Window(w).Body
		switch arg {
		case "takes":
			s.Lease(body)
		case "answers":
			s.AnswerHanded()
		case "lapses":
			s.Lapse(body)
		}
	case "recovers": // keeps a text in +Recovered, as somebody else's
		s.Later(func() {
			s.MustAsk(&core.AskWindow{Name: edit.RecoveredName(s), Kind: core.BufferScratch, Reuse: true,
				Append: true, Text: d.Input + "\n"})
			s.Tell(client.Event{Kind: client.EventChanged, Shard: core.LayoutShard})
		})
	case "other":
		w, _ := s.Layout().Focus.Window()
		input, err := unescape(d.Input)
		if err != nil {
			return err
		}
		s.Later(func() { e.other(w, input) })
	case "attach":
		s.Join(core.AttachUI, arg)
	case "seen":
		w, _ := s.Layout().Focus.Window()
		op := map[string]core.Body{"changed": &core.DiskChanged{Disk: core.Hash{1}},
			"gone": &core.DiskChanged{Missing: true}, "clean": &core.Clean{}}[arg]
		s.Later(func() { s.Do(core.Author{}, s.Window(w).Body.Shard(), core.Of(op)) })
	case "state":
		for _, a := range d.CmdArgs {
			switch a.Key {
			case "offline":
				s.Status.Connected = false
			case "why":
				s.Status.Err = errors.New(strings.Join(a.Vals, " "))
			case "retry": // in so many seconds
				n, _ := strconv.Atoi(a.Vals[0])
				s.Status.Retry = e.screen.Now().Add(time.Duration(n) * time.Second)
			case "redialled": // so often since the beginning
				if n, _ := strconv.Atoi(a.Vals[0]); n != s.Redials {
					return fmt.Errorf("redialled %d times, want %d", s.Redials, n)
				}
			case "online":
				s.Status.Connected = true
			case "draining":
				s.Status.Draining = true
			case "observer":
				s.Status.Observer, s.Status.Leading = true, false
				s.Led = func(core.Shard) bool { return false }
			case "mute":
				s.Mute = true
			case "trouble":
				s.Mute, s.Trouble = false, "not durable: disk full"
			case "unkept":
				s.Mute, s.Trouble, s.Status.Unkept = false, "not durable: disk full", true
				s.Status.Since = time.Unix(1, 0)
			case "room":
				s.Trouble = ""
			case "unsynced":
				s.Status.Unsynced, _ = strconv.Atoi(a.Vals[0])
			case "ended":
				s.Status.Connected, s.Status.Ended = false, true
				s.Tell(client.Event{Kind: client.EventEnded, Err: errors.New("the session was ended")})
				e.screen.Wake()
				return nil
			case "fenced":
				s.Tell(client.Event{Kind: client.EventRecovered, Shard: core.LayoutShard})
			}
		}
		s.Tell(client.Event{Kind: client.EventLink})
	}
	if e.screen != nil {
		e.screen.Wake()
	}
	return nil
}
