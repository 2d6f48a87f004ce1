package daemon_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

func TestMain(m *testing.M) { daemontest.Main(m) }

var (
	kills    = flag.Int("kills", 20, "how often TestKill kills the daemon")
	killSeed = flag.Uint64("killseed", rand.Uint64(), "seed of TestKill")
)

// TestKill kills the daemon at random moments while a person types and scripts propose. After each
// restart everything acknowledged is there and what was not is shipped; in the end every character
// typed is there in order, and every change of a script exactly once.
func TestKill(t *testing.T) {
	t.Logf("-killseed=%d", *killSeed)
	k := &killing{t: t, rnd: rand.New(rand.NewPCG(*killSeed, 0)), up: make(chan struct{})}
	k.d = daemontest.Start(t, func(d *daemontest.Daemon) { d.Process = true })
	k.place = open(t, k.d.Dial(), writeFile(t, "a.txt", "|"))
	k.ui = k.d.Attach(core.AttachUI, "", "human:ann")
	k.ui.Fragile = true
	k.ui.Lead(k.place.Buffer.Shard())
	var scripts sync.WaitGroup
	for n := range 3 {
		scripts.Go(func() { k.script(n) })
	}
	for range *kills {
		k.typeUntilKilled()
		k.restart()
	}
	k.finish()
	k.settle()
	scripts.Wait()
	k.check()
	t.Logf("%d kills, %d of them with a tail unacknowledged; %d characters, %d changes by scripts",
		*kills, k.tails, k.typed.Len(), len(k.made))
}

type killing struct {
	t     *testing.T
	d     *daemontest.Daemon
	rnd   *rand.Rand
	place proto.Place
	ui    *daemontest.Peer
	typed strings.Builder
	acked core.Mark
	tails int

	mu   sync.Mutex
	up   chan struct{} // closed when the daemon serves again
	over bool          // scripts end
	made []string      // what scripts were told is applied
}

// key types one character at the end of the text.
func (k *killing) key() {
	buf := k.place.Buffer
	if !k.ui.R.Leads(buf.Shard()) {
		k.ui.Lead(buf.Shard())
		return
	}
	text := k.ui.R.Buffer(buf)
	c := string(rune('a' + k.typed.Len()%26))
	b := core.Bundle{}
	b.Add(buf.Shard(), core.Edit(text.Version, text.Text.Runes(), text.Text.Runes(), c, 0))
	k.ui.Commit(b)
	k.typed.WriteString(c)
}

// take takes in one message; false when the connection is gone.
func (k *killing) take() bool {
	ok := k.ui.Take()
	for _, h := range k.ui.Acked {
		if h.Shard == k.place.Buffer.Shard() && h.Mark.Seq > k.acked.Seq {
			k.acked = h.Mark
		}
	}
	k.ui.Acked = nil
	return ok
}

// typeUntilKilled types and takes messages in, some to some, until the connection is gone, which it
// is soon after a random step.
func (k *killing) typeUntilKilled() {
	left := 1 + k.rnd.IntN(200)
	for alive := true; alive; left-- {
		if left == 0 {
			go k.d.Kill()
		}
		for range k.rnd.IntN(4) {
			k.key()
		}
		k.ui.Send(&proto.Call{ID: 1 << 50, Request: &proto.Ping{}})
		for range 1 + k.rnd.IntN(3) {
			if alive = k.take(); !alive {
				break
			}
		}
	}
	for k.take() { // what had arrived before
	}
	if k.ui.R.Unsynced() > 0 {
		k.tails++
	}
}

// restart starts the daemon again and resumes.
func (k *killing) restart() {
	k.d.Wait()
	k.d.Run()
	k.mu.Lock()
	close(k.up)
	k.up = make(chan struct{})
	k.mu.Unlock()
	k.ui.R.Disconnected()
	k.ui.Join(k.d, "")
	for _, h := range k.ui.Heads {
		if h.Shard != k.place.Buffer.Shard() {
			continue
		}
		if h.Mark.Seq < k.acked.Seq || h.Mark.Seq == k.acked.Seq && h.Mark.Chain != k.acked.Chain {
			k.t.Fatalf("after a kill the log is at %v, acknowledged was %v", h.Mark, k.acked)
		}
	}
	// The acknowledged history is the daemon's: it does not differ where both have it.
	k.ui.Until(func() bool { return k.ui.R.Knows(k.place.Buffer.Shard()) })
}

// script makes changes at the text's beginning, each until it is told that it was applied.
func (k *killing) script(n int) {
	for i := 0; ; i++ {
		mark := fmt.Sprintf("<%d.%d>", n, i)
		intent := core.IntentID{byte(n + 1), byte(i), byte(i >> 8)}
		for {
			k.mu.Lock()
			up, over := k.up, k.over
			k.mu.Unlock()
			if over {
				return
			}
			err := k.propose(intent, mark)
			if err == nil {
				break
			}
			if errors.Is(err, errLost) {
				<-up
			}
		}
		k.mu.Lock()
		k.made = append(k.made, mark)
		k.mu.Unlock()
	}
}

var errLost = errors.New("no connection")

func (k *killing) propose(intent core.IntentID, mark string) error {
	c, err := k.d.TryDial()
	if err != nil {
		return errLost
	}
	defer c.Net.Close()
	reply, err := c.Call(&proto.ProposeIn{Win: k.place.Window.String(), Proposal: core.Proposal{
		Intent: intent, Ask: &core.AskEdit{OnConflict: core.ConflictRebase,
			Edits: []core.Span{{Text: mark}}}}})
	if err != nil {
		return err
	}
	switch o := reply.(*proto.Outcome).Result.Outcome; o {
	case core.Applied, core.AlreadyDone:
		return nil
	default:
		return fmt.Errorf("outcome %v", o)
	}
}

// finish ends the scripts; those that wait are answered by the leader.
func (k *killing) finish() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
}

// settle ships what is left, and answers what scripts still ask.
func (k *killing) settle() {
	k.ui.Until(func() bool { return k.ui.R.Unsynced() == 0 })
	go k.ui.Until(func() bool { return false })
}

// check compares the text with what was typed and what scripts were told.
func (k *killing) check() {
	text := read(k.t, k.d.Dial(), k.place.Window.String())
	head, typed, _ := strings.Cut(text, "|")
	if typed != k.typed.String() {
		k.t.Errorf("typed %q\n text %q", k.typed.String(), typed)
	}
	for _, m := range k.made {
		if n := strings.Count(head, m); n != 1 {
			k.t.Errorf("change %s is there %d times", m, n)
		}
	}
}
