package tui_test

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"

	"apex/client/tui/tuitest"
	"apex/proto"
)

// What is typed before the files of the command line are here is meant for them: it goes nowhere
// else, and none of it is lost.
func TestTypedBeforeTheFileIsHere(t *testing.T) {
	s := tuitest.NewSession()
	s.Files["/a.txt"] = "there\n"
	files := []proto.File{{Path: "/a.txt"}}
	m := tuitest.New(s, 80, 24, tuitest.Options{}).Model
	m.Starting()
	for _, r := range "hi " {
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	places, err := s.Open(context.Background(), &proto.Open{Files: files, Focus: true})
	if err != nil {
		t.Fatal(err)
	}
	m.Started(places)
	if got := s.Text(places[0].Window); got != "hi there\n" {
		t.Errorf("the file holds %q", got)
	}
	if col := s.Buffer(s.Layout().Columns[0].Tag).Text.String(); col != s.Buffer(s.Layout().Columns[1].Tag).Text.String() {
		t.Errorf("a column's tag holds %q", col)
	}
}
