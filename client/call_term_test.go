package client

import (
	"context"
	"reflect"
	"testing"

	"apex/core"
	"apex/proto"
)

// termCalls are the requests about terminals and processes, what each sends and what it makes of
// the answer.
var termCalls = []struct {
	name  string
	sends proto.Request
	reply proto.Reply
	want  any // of the call; nil: nothing
	call  func(context.Context, *Conn) (any, error)
}{
	{"NewTerm", &proto.TermNew{Session: "s", Dir: "/", Argv: []string{"top"}, Cols: 8, Rows: 2},
		&proto.TermMade{Window: 3, Term: 4}, &proto.TermMade{Window: 3, Term: 4},
		func(ctx context.Context, c *Conn) (any, error) {
			return c.NewTerm(ctx, &proto.TermNew{Session: "s", Dir: "/", Argv: []string{"top"}, Cols: 8,
				Rows: 2})
		}},
	{"Terms", &proto.TermList{Session: "s"}, &proto.Terms{Terms: []proto.TermEntry{{Term: 4}}},
		[]proto.TermEntry{{Term: 4}},
		func(ctx context.Context, c *Conn) (any, error) { return c.Terms(ctx, "s") }},
	{"TermInfo", &proto.TermInfo{Session: "s", Term: "t"}, &proto.TermDetail{End: 9},
		&proto.TermDetail{End: 9},
		func(ctx context.Context, c *Conn) (any, error) { return c.TermInfo(ctx, "s", "t") }},
	{"Input", &proto.TermInput{Session: "s", Term: "t", Kind: proto.InputText, Text: []byte("x")},
		&proto.Done{}, nil, func(ctx context.Context, c *Conn) (any, error) {
			return nil, c.Input(ctx, &proto.TermInput{Session: "s", Term: "t", Kind: proto.InputText,
				Text: []byte("x")})
		}},
	{"ReadTerm", &proto.TermRead{Session: "s", Term: "t", From: 1, To: 3},
		&proto.TermText{Term: 4, Next: 2, More: true, Lines: []proto.TermLine{{Text: "a"}}},
		&proto.TermText{Term: 4, Next: 2, More: true, Lines: []proto.TermLine{{Text: "a"}}},
		func(ctx context.Context, c *Conn) (any, error) {
			return c.ReadTerm(ctx, &proto.TermRead{Session: "s", Term: "t", From: 1, To: 3})
		}},
	{"WaitTerm", &proto.TermWait{Session: "s", Term: "t", Kind: proto.WaitMatch, Pattern: "x"},
		&proto.TermMet{Met: true, Text: "x"}, &proto.TermMet{Met: true, Text: "x"},
		func(ctx context.Context, c *Conn) (any, error) {
			return c.WaitTerm(ctx, &proto.TermWait{Session: "s", Term: "t", Kind: proto.WaitMatch,
				Pattern: "x"})
		}},
	{"RunTerm", &proto.TermRun{Session: "s", Term: "t", Command: "ls", Timeout: 5},
		&proto.TermOutput{Output: []byte("a\n"), HasStatus: true},
		&proto.TermOutput{Output: []byte("a\n"), HasStatus: true},
		func(ctx context.Context, c *Conn) (any, error) {
			return c.RunTerm(ctx, &proto.TermRun{Session: "s", Term: "t", Command: "ls", Timeout: 5})
		}},
	{"ResizeTerm", &proto.TermResize{Session: "s", Term: "t", Cols: 8, Rows: 2}, &proto.Done{}, nil,
		func(ctx context.Context, c *Conn) (any, error) {
			return nil, c.ResizeTerm(ctx, "s", "t", 8, 2)
		}},
	{"ClearTerm", &proto.TermClear{Session: "s", Term: "t"}, &proto.Done{}, nil,
		func(ctx context.Context, c *Conn) (any, error) { return nil, c.ClearTerm(ctx, "s", "t") }},
	{"KillTerm", &proto.TermKill{Session: "s", Term: "t", Signal: "HUP"}, &proto.Done{}, nil,
		func(ctx context.Context, c *Conn) (any, error) { return nil, c.KillTerm(ctx, "s", "t", "HUP") }},
	{"FindTerm", &proto.TermFind{Session: "s", Term: "t", Pattern: "x", End: true, Backwards: true},
		&proto.TermFound{Found: true, Line: 7}, &proto.TermFound{Found: true, Line: 7},
		func(ctx context.Context, c *Conn) (any, error) {
			return c.FindTerm(ctx, &proto.TermFind{Session: "s", Term: "t", Pattern: "x", End: true,
				Backwards: true})
		}},
	{"Processes", &proto.Ps{Session: "s", All: true},
		&proto.Procs{Procs: []proto.ProcInfo{{PID: 7, State: proto.ProcEnding}}},
		[]proto.ProcInfo{{PID: 7, State: proto.ProcEnding}},
		func(ctx context.Context, c *Conn) (any, error) { return c.Processes(ctx, "s", true) }},
	{"Kill", &proto.Kill{Session: "s", IDs: []string{"p0.1", "sort"}, Signal: "KILL"}, &proto.Done{},
		nil, func(ctx context.Context, c *Conn) (any, error) {
			return nil, c.Kill(ctx, "s", []string{"p0.1", "sort"}, "KILL")
		}},
	{"Env", &proto.EnvGet{Session: "s"}, &proto.EnvList{Vars: []proto.EnvVar{{Name: "A", Value: "b"}}},
		[]proto.EnvVar{{Name: "A", Value: "b"}},
		func(ctx context.Context, c *Conn) (any, error) { return c.Env(ctx, "s") }},
	{"SetEnv", &proto.EnvSet{Session: "s", Vars: []proto.EnvVar{{Name: "A", Unset: true}},
		Mode: proto.EnvReplace}, &proto.Done{}, nil, func(ctx context.Context, c *Conn) (any, error) {
		return nil, c.SetEnv(ctx, "s", []proto.EnvVar{{Name: "A", Unset: true}}, proto.EnvReplace)
	}},
	{"Upgrade", &proto.Upgrade{Exe: "/bin/apex"}, &proto.Done{}, nil,
		func(ctx context.Context, c *Conn) (any, error) { return nil, c.Upgrade(ctx, "/bin/apex") }},
}

func TestTermCalls(t *testing.T) {
	d := newFake(t)
	var got proto.Request
	var reply proto.Reply
	d.set(func() {
		d.asked = func(r proto.Request) (proto.Reply, error) {
			got = r
			return reply, nil
		}
	})
	c := connect(t, d)
	defer c.Close()
	for _, x := range termCalls {
		d.set(func() { reply = x.reply })
		v, err := x.call(context.Background(), c)
		if err != nil || !reflect.DeepEqual(v, x.want) {
			t.Errorf("%s = %+v, %v, want %+v", x.name, v, err, x.want)
		}
		if !reflect.DeepEqual(got, x.sends) {
			t.Errorf("%s sends %+v, want %+v", x.name, got, x.sends)
		}
		d.set(func() { reply = &proto.Roster{} })
		if _, err := x.call(context.Background(), c); core.CodeOf(err) != core.CodeInternal {
			t.Errorf("%s takes a reply of another kind: %v", x.name, err)
		}
	}
}

func TestScreen(t *testing.T) {
	d := newFake(t)
	d.set(func() {
		d.asked = func(r proto.Request) (proto.Reply, error) {
			grid := []*core.TermRow{core.NewTermRow(nil, false)}
			return &proto.TermGrid{Term: 4, State: &core.Term{Cols: 8, Rows: 1, Grid: grid, Title: "t"}}, nil
		}
	})
	c := connect(t, d)
	defer c.Close()
	got, err := c.Screen(context.Background(), "s", "t")
	if err != nil || got.Term != 4 || got.State.Title != "t" || len(got.State.Grid) != 1 {
		t.Errorf("Screen = %+v, %v", got, err)
	}
}

// What waits on purpose is waited for: for a program, for what it is to read, for its end.
func TestPatientTermRequests(t *testing.T) {
	for _, r := range []proto.Request{&proto.TermNew{}, &proto.TermInput{}, &proto.TermWait{},
		&proto.TermRun{}, &proto.TermKill{}, &proto.Kill{}, &proto.SessionEnd{}, &proto.Upgrade{}} {
		if !patient(r) {
			t.Errorf("%T is given up after %v", r, AnswerTimeout)
		}
	}
	for _, r := range []proto.Request{&proto.TermList{}, &proto.TermInfo{}, &proto.TermRead{},
		&proto.TermScreen{}, &proto.TermFind{}, &proto.TermResize{}, &proto.TermClear{}, &proto.Ps{},
		&proto.EnvGet{}, &proto.EnvSet{}} {
		if patient(r) {
			t.Errorf("%T is waited for without end", r)
		}
	}
}
