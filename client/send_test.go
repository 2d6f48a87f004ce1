package client

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"apex/core"
	"apex/proto"
)

// TestSendKeepsOrder: requests that nobody waits for arrive in the order in which they were sent,
// and each is answered once; an error is the daemon's.
func TestSendKeepsOrder(t *testing.T) {
	d := newFake(t)
	s := attach(t, human(d))
	var mu sync.Mutex
	var got, want []string
	d.set(func() {
		d.asked = func(r proto.Request) (proto.Reply, error) {
			mu.Lock()
			defer mu.Unlock()
			in := r.(*proto.TermInput)
			if got = append(got, string(in.Text)); string(in.Text) == "7" {
				return nil, core.Errorf(core.CodeBusy, "not now")
			}
			return &proto.Done{}, nil
		}
	})
	p := newPump(s)
	defer p.stop()
	var answers sync.WaitGroup
	for i := range 100 {
		text := fmt.Sprint(i)
		want = append(want, text)
		answers.Add(1)
		err := s.Send(&proto.TermInput{Term: "t0.1", Kind: proto.InputText, Text: []byte(text)},
			func(_ proto.Reply, err error) {
				defer answers.Done()
				if (core.CodeOf(err) == core.CodeBusy) != (text == "7") {
					t.Errorf("%s: %v", text, err)
				}
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	answers.Wait()
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// TestSendWithoutALink: a request that can't be sent fails at once.
func TestSendWithoutALink(t *testing.T) {
	d := newFake(t)
	s := attach(t, human(d))
	s.Close()
	err := s.Send(&proto.Ping{}, func(proto.Reply, error) { t.Error("answered") })
	if core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("got %v", err)
	}
}
