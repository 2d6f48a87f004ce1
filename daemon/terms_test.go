package daemon_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"apex/core"
	"apex/core/cell"
	"apex/daemon/daemontest"
	"apex/proto"
	"apex/term/holder"
)

// termMillis is more than anything here takes on a slow machine.
const termMillis = 30_000

// terminals is a client of terminals in a test.
type terminals struct {
	t *testing.T
	c *daemontest.Client
}

func (x terminals) make(argv ...string) string {
	x.t.Helper()
	made := daemontest.Must[*proto.TermMade](x.c, &proto.TermNew{Argv: argv, Dir: x.t.TempDir()})
	return made.Term.String()
}

func (x terminals) match(term, pattern string) *proto.TermMet {
	x.t.Helper()
	met := daemontest.Must[*proto.TermMet](x.c, &proto.TermWait{Term: term, Kind: proto.WaitMatch,
		Pattern: pattern, Timeout: termMillis, HasFrom: true})
	if !met.Met {
		x.t.Fatalf("%s: %q never came: %+v; screen:\n%s", term, pattern, met, x.screen(term))
	}
	return met
}

func (x terminals) exits(term string) *proto.TermMet {
	x.t.Helper()
	met := daemontest.Must[*proto.TermMet](x.c, &proto.TermWait{Term: term, Kind: proto.WaitExit,
		Timeout: termMillis})
	if !met.Ended {
		x.t.Fatalf("%s did not end", term)
	}
	return met
}

func (x terminals) types(term, text string) {
	x.t.Helper()
	daemontest.Must[*proto.Done](x.c, &proto.TermInput{Term: term, Kind: proto.InputText, Text: []byte(text)})
}

func (x terminals) screen(term string) string {
	x.t.Helper()
	g := daemontest.Must[*proto.TermGrid](x.c, &proto.TermScreen{Term: term})
	var rows []string
	for _, r := range g.State.Grid {
		rows = append(rows, cell.RowText(r.Runs))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

func (x terminals) lines(term string) []string {
	x.t.Helper()
	var out []string
	for from := uint64(0); ; {
		r := daemontest.Must[*proto.TermText](x.c, &proto.TermRead{Term: term, From: from})
		for _, l := range r.Lines {
			out = append(out, l.Text)
		}
		if from = r.Next; !r.More {
			return out
		}
	}
}

func TestTerminal(t *testing.T) {
	d := daemontest.Start(t)
	x := terminals{t, d.Dial()}
	id := x.make("sh", "-c", "echo $TERM $TERM_PROGRAM $winid; read x; echo got $x; exit 5")
	met := x.match(id, "^xterm-256color apex w0")
	if met.Column != 0 {
		t.Errorf("met %+v", met)
	}
	list := daemontest.Must[*proto.Terms](x.c, &proto.TermList{}).Terms
	if len(list) != 1 || !list[0].Running || list[0].PID == 0 || list[0].Cols != 80 {
		t.Fatalf("terminals %+v", list)
	}
	procs := daemontest.Must[*proto.Procs](x.c, &proto.Ps{}).Procs
	if len(procs) != 1 || procs[0].PID != list[0].PID || procs[0].State != proto.ProcRunning {
		t.Errorf("processes %+v", procs)
	}
	windows := daemontest.Must[*proto.WindowList](x.c, &proto.Windows{}).Windows
	if len(windows) != 1 || windows[0].Term.String() != id || !strings.HasSuffix(windows[0].Name, "/-sh") {
		t.Errorf("windows %+v", windows)
	}
	daemontest.Must[*proto.Done](x.c, &proto.TermResize{Term: windows[0].Name, Cols: 20, Rows: 5})
	daemontest.Must[*proto.Done](x.c, &proto.TermInput{Term: "-sh", Kind: proto.InputNames,
		Names: []string{"a", "Enter"}})
	if met := x.exits(id); met.Status != 5 || !met.HasStatus {
		t.Errorf("end %+v", met)
	}
	if !strings.Contains(x.screen(id), "got a") {
		t.Errorf("screen %q", x.screen(id))
	}
	for _, bad := range []struct {
		r    proto.Request
		code core.Code
	}{
		{&proto.TermNew{Argv: []string{"/no/such/program"}}, core.CodeNotFound},
		{&proto.TermNew{Dir: "/no/such/dir"}, core.CodeNotFound},
		{&proto.TermNew{Dir: "relative"}, core.CodeBadRequest},
		{&proto.TermNew{Cols: 10_000, Rows: 10_000}, core.CodeTooLarge},
		{&proto.TermInfo{Term: "t0.99"}, core.CodeNotFound},
		{&proto.TermInfo{Term: "nothing"}, core.CodeNotFound},
		{&proto.TermInput{Term: id, Kind: proto.InputText, Text: []byte("x")}, core.CodeNotFound},
		{&proto.TermInput{Term: id, Kind: proto.InputNames, Names: []string{"NoKey"}}, core.CodeBadRequest},
		{&proto.TermWait{Term: id, Kind: proto.WaitMatch, Pattern: "("}, core.CodeBadRequest},
		{&proto.TermKill{Term: id, Signal: "TERM"}, core.CodeNotFound},
		{&proto.TermResize{Term: id, Cols: 0, Rows: 5}, core.CodeTooLarge},
		{&proto.TermResize{Term: id, Cols: 10_000, Rows: 10_000}, core.CodeTooLarge},
	} {
		if _, err := x.c.Call(bad.r); core.CodeOf(err) != bad.code {
			t.Errorf("%+v: got %v, want %v", bad.r, err, bad.code)
		}
	}
	if n := len(daemontest.Must[*proto.WindowList](x.c, &proto.Windows{}).Windows); n != 1 {
		t.Errorf("%d windows after starts that failed", n)
	}
}

// What was typed waits for a program that does not read as long as the connection that asked is there,
// and does not keep it.
func TestInputEndsWithItsConnection(t *testing.T) {
	d := daemontest.Start(t)
	x := terminals{t, d.Dial()}
	id := x.make("sh", "-c", "stty raw; echo ready; exec sleep 1000")
	x.match(id, "^ready")
	c := d.Dial()
	c.Send(&proto.Call{ID: 1 << 50, Request: &proto.TermInput{Term: id, Kind: proto.InputText,
		Text: bytes.Repeat([]byte("x"), 1<<20)}})
	clients := func() int {
		return daemontest.Must[*proto.DaemonStatus](x.c, &proto.Status{}).Clients
	}
	daemontest.Must[*proto.TermDetail](c, &proto.TermInfo{Term: id}) // the input came before it
	if n := clients(); n != 2 {
		t.Errorf("%d clients, want 2", n)
	}
	c.Net.Close()
	for clients() != 1 {
	}
}

// TestTerminalFollowed: who follows a terminal's shard sees what it shows.
func TestTerminalFollowed(t *testing.T) {
	d := daemontest.Start(t)
	x := terminals{t, d.Dial()}
	id := x.make("sh", "-c", "for i in 1 2 3; do read x; seq $i 200; done; echo end; read x")
	term, _ := core.ParseTermID(id)
	p := d.Attach(core.AttachObserver, "", "human:bob")
	p.Do(p.R.Follow(term.Shard()))
	for range 3 {
		x.types(id, "\r")
	}
	x.match(id, "^end$")
	want := daemontest.Must[*proto.TermGrid](x.c, &proto.TermScreen{Term: id}).State
	if !p.Until(func() bool {
		s, ok := p.R.State(term.Shard())
		return ok && s.Term() != nil && string(s.Term().Append(nil)) == string(want.Append(nil))
	}) {
		t.Error("the follower never showed what the terminal shows")
	}
}

// TestTerminalSurvivesKill: a program that counts does not notice that daemons are killed, and none
// of its lines is missing.
func TestTerminalSurvivesKill(t *testing.T) {
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.Process = true })
	x := terminals{t, d.Dial()}
	id := x.make("sh", "-c", `i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done; echo end; read x; exit 4`)
	pid := daemontest.Must[*proto.Terms](x.c, &proto.TermList{}).Terms[0].PID
	for n := range 4 {
		x.match(id, fmt.Sprintf("^line %d", 1+n*300))
		d.Kill()
		d.Wait()
		d.Run()
		x.c = d.Dial()
	}
	x.match(id, "^end$")
	if now := daemontest.Must[*proto.Terms](x.c, &proto.TermList{}).Terms[0].PID; now != pid {
		t.Errorf("pid %d, before the kills %d", now, pid)
	}
	next := 1
	for _, l := range x.lines(id) {
		if l == fmt.Sprint("line ", next) {
			next++
		} else if strings.HasPrefix(l, "line") {
			t.Fatalf("%q, want line %d", l, next)
		}
	}
	if next != 3001 {
		t.Errorf("lines up to %d", next-1)
	}
	x.types(id, "\r")
	x.exits(id)
	// The end is known to a daemon that comes later too, and the screen is there.
	d.Kill()
	d.Wait()
	d.Run()
	x.c = d.Dial()
	if met := x.exits(id); met.Status != 4 {
		t.Errorf("end %+v", met)
	}
	if !strings.Contains(x.screen(id), "end") {
		t.Errorf("screen %q", x.screen(id))
	}
}

// alive reports whether a process runs: not whether it is a zombie.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}

// TestNothingIsLeftRunning: what a terminal started ends with its window, with its session, and
// whatever it did to get away.
func TestNothingIsLeftRunning(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc")
	}
	escape := `(setsid sh -c 'trap "" HUP TERM; echo $$ >%s; sleep 1000 & wait; sleep 1000' &) ; sleep 1000`
	for _, how := range []string{"end", "window", "kill"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			d := daemontest.Start(t)
			x := terminals{t, d.Dial()}
			file := filepath.Join(t.TempDir(), "pid")
			id := x.make("sh", "-c", fmt.Sprintf(escape, file))
			var pid int
			for deadline := time.Now().Add(termMillis * time.Millisecond); pid == 0; {
				b, _ := os.ReadFile(file)
				pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
				if time.Now().After(deadline) {
					t.Fatal("the program did not start")
				}
				time.Sleep(time.Millisecond)
			}
			switch how {
			case "end":
				daemontest.Must[*proto.Done](x.c, &proto.SessionEnd{Force: true})
			case "kill":
				daemontest.Must[*proto.Done](x.c, &proto.Kill{IDs: []string{id}})
			case "window":
				term, _ := core.ParseTermID(id)
				w := daemontest.Must[*proto.Terms](x.c, &proto.TermList{}).Terms[0].Window
				daemontest.Must[*proto.Outcome](x.c, &proto.ProposeIn{
					Proposal: core.Proposal{Ask: &core.AskDelete{Window: w, Force: true}}})
				p := d.Attach(core.AttachObserver, "", "human:bob")
				if !p.Until(func() bool { return !p.R.Meta().Has(term.Shard()) }) {
					t.Fatal("the terminal's shard stays")
				}
			}
			if alive(pid) {
				syscall.Kill(pid, syscall.SIGKILL)
				t.Errorf("process %d still runs", pid)
			}
			if how == "kill" {
				return // its holder goes when the window does
			}
			for deadline := time.Now().Add(termMillis * time.Millisecond); ; time.Sleep(time.Millisecond) {
				left, err := holder.List(filepath.Join(d.State, "holders"))
				if err == nil && len(left) == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("holders %v stay (%v)", left, err)
				}
			}
		})
	}
}
