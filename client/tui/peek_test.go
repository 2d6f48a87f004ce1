package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"apex/client"
	"apex/client/tui/tuitest"
	"apex/core"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// TestPeek shows lines of a text that has not arrived, keeps what is typed, and types it when the text
// is there.
func TestPeek(t *testing.T) {
	session := tuitest.NewSession()
	id := session.File("/home/ann/big.txt", strings.Repeat("a line\n", 1000))
	session.MustAsk(&core.AskSelect{Buffer: session.Window(id).Body, View: id.Body(), Q0: 3500, Q1: 3500, Show: true})
	body := session.Window(id).Body
	session.Hidden = map[core.BufferID]bool{body: true}
	session.Peeks = []proto.Lines{{View: proto.View(id.Body()), Buffer: body, Name: "/home/ann/big.txt",
		Q0: 3493, Line: 499, Bytes: []byte("before\nsome line\nafter\n"), Origin: 3500, Dot0: 3505, Dot1: 3505,
		Runes: 7000, Count: 1001}}
	s := tuitest.New(session, 60, 12, tuitest.Options{})
	s.Do(s.Model.Init())
	if !s.Has("some line") || s.Has("before") || !s.Has("loading") {
		t.Errorf("peeked:\n%s", s)
	}
	if x, y := s.Find("some line"); s.Cursor.X != x+5 || s.Cursor.Y != y {
		t.Errorf("caret at %+v:\n%s", s.Cursor, s)
	}
	led := false
	session.Led = func(core.Shard) bool { return led }
	s.Type("xy")
	if !s.Has("2 keys wait") {
		t.Errorf("typed:\n%s", s)
	}
	led, session.Hidden = true, nil
	session.Tell(client.Event{Kind: client.EventLease, Shard: body.Shard()})
	s.Wake()
	if got := session.Buffer(body).Text.Substring(3500, 3509); got != "xya line\n" {
		t.Errorf("the text at the caret is %q", got)
	}
	if s.Has("loading") || !s.Has("xya line") {
		t.Errorf("arrived:\n%s", s)
	}
}

// What is shown of a text that has not arrived can be scrolled, and stays there when it arrives and
// when this client leads it.
func TestPeekScrolls(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "line %03d\n", i)
	}
	session := tuitest.NewSession()
	id := session.File("/home/ann/big.txt", text.String())
	body := session.Window(id).Body
	session.Hidden = map[core.BufferID]bool{body: true}
	const first, shown, lines, width = 400, 450, 100, len("line 000\n")
	session.Peeks = []proto.Lines{{View: proto.View(id.Body()), Buffer: body,
		Name: "/home/ann/big.txt", Q0: first * width, Line: first, Origin: shown * width,
		Dot0: shown * width, Dot1: shown * width, Runes: 1000 * width, Count: 1001,
		Bytes: []byte(text.String()[first*width : (first+lines)*width])}}
	led := false
	session.Led = func(s core.Shard) bool { return led || s != body.Shard() }
	s := tuitest.New(session, 60, 12, tuitest.Options{})
	s.Do(s.Model.Init())
	x, y := s.Find("line 452")
	s.Wheel(tea.MouseWheelDown, x, y)
	if s.Has("line 450") || !s.Has("line 455") || !s.Has("loading") {
		t.Errorf("scrolled:\n%s", s)
	}
	_, was := s.Find("line 455")
	session.Hidden = nil
	s.Wake()
	led = true
	session.Tell(client.Event{Kind: client.EventLease, Shard: body.Shard()})
	s.Wake()
	if _, at := s.Find("line 455"); s.Has("line 450") || s.Has("loading") || at != was {
		t.Errorf("arrived:\n%s", s)
	}
}
