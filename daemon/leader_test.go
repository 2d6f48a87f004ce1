package daemon_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// TestLeaderKilled has tools propose while the leader that is asked dies, at whatever point of its
// answer, 200 times: each proposal is applied once, or refused by code; none is silent, none twice.
func TestLeaderKilled(t *testing.T) {
	const sessions, each = 20, 10 // each kill costs the two seconds that a leader is waited for
	d := daemontest.Start(t)
	var all sync.WaitGroup
	var tally sync.Map
	for n := range sessions {
		all.Go(func() {
			k := &leaderKiller{t: t, d: d, label: fmt.Sprintf("s%d", n), tally: &tally}
			k.run(each)
		})
	}
	all.Wait()
	tally.Range(func(what, n any) bool {
		t.Logf("%v: %v times", what, n)
		return true
	})
}

type leaderKiller struct {
	t     *testing.T
	d     *daemontest.Daemon
	label string
	tally *sync.Map
}

func (k *leaderKiller) run(times int) {
	c := k.d.Dial()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: k.label})
	o := daemontest.Must[*proto.Opened](c, &proto.Open{Session: k.label, HasText: true, Name: "t",
		Text: []byte("text\n")})
	place := o.Places[0]
	want := map[string]int{}
	for i := range times {
		leader := k.d.Attach(core.AttachUI, k.label, "human:ann")
		leader.Fragile = true
		leader.Lead(place.Buffer.Shard())
		token := fmt.Sprintf("<%d>", i)
		answer := make(chan core.Code, 1)
		go func() {
			reply, err := k.d.Dial().Call(&proto.ProposeIn{Session: k.label, Win: place.Window.String(),
				Proposal: core.Proposal{Intent: core.IntentID{1, byte(i)}, Ask: &core.AskEdit{
					OnConflict: core.ConflictRebase, Edits: []core.Span{{Text: token}}}}})
			code := core.CodeOf(err)
			if o, ok := reply.(*proto.Outcome); ok && o.Result.Outcome != core.Applied &&
				o.Result.Outcome != core.AlreadyDone {
				code = core.Code(o.Result.Outcome)
			}
			answer <- code
		}()
		how := k.dies(leader)
		code := <-answer
		if code == "" {
			want[token] = 1
		}
		k.count(how + ", then " + outcomeName(code))
	}
	got := string(daemontest.Must[*proto.Text](c, &proto.Read{Session: k.label,
		Win: place.Window.String()}).Bytes)
	for i := range times {
		token := fmt.Sprintf("<%d>", i)
		if n := strings.Count(got, token); n != want[token] {
			k.t.Errorf("%s: %s is in the text %d times, want %d", k.label, token, n, want[token])
		}
	}
}

func outcomeName(c core.Code) string {
	if c == "" {
		return "applied"
	}
	return string(c)
}

// dies has the leader take the proposal and end somewhere on the way to its answer.
func (k *leaderKiller) dies(leader *daemontest.Peer) (how string) {
	defer leader.Net.Close()
	if rand.IntN(4) == 0 {
		return "killed before it was asked"
	}
	var asked *core.Evaluate
	for asked == nil {
		m := leader.Recv()
		e, ok := m.(*core.Evaluate)
		switch {
		case m == nil:
			return "lost"
		case ok:
			asked = e
		default:
			if x, ok := m.(core.Msg); ok {
				leader.Do(leader.R.Receive(x))
			}
		}
	}
	var frames []byte
	for _, m := range leader.R.Receive(asked).Send {
		b, err := proto.Append(frames, m)
		if err != nil {
			k.t.Error(err)
		}
		frames = b
	}
	switch n := rand.IntN(3); n {
	case 0:
		return "killed when it was asked"
	case 1:
		leader.Write(frames[:rand.IntN(len(frames))])
		return "killed in the middle of its answer"
	default:
		leader.Write(frames)
		return "killed after its answer"
	}
}

func (k *leaderKiller) count(what string) {
	for {
		n, _ := k.tally.LoadOrStore(what, 0)
		if k.tally.CompareAndSwap(what, n, n.(int)+1) {
			return
		}
	}
}
