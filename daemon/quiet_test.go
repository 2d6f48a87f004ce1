package daemon_test

import (
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// When a text that somebody follows has been quiet the daemon sends its hash. A replica that differs
// says so and has the text again; the daemon counts it and logs a line.
func TestDivergenceIsCounted(t *testing.T) {
	t.Parallel() // it is quiet for seconds
	d := daemontest.Start(t)
	c := d.Dial()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "work"})
	made := daemontest.Must[*proto.Opened](c, &proto.Open{Session: "work", Name: "a", HasText: true,
		Text: []byte("some text\n")})
	shard := made.Places[0].Buffer.Shard()
	p := d.Attach(core.AttachObserver, "work", "human:ann")
	p.Until(func() bool { return p.R.Knows(shard) })
	daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Session: "work", Win: "a",
		Proposal: core.Proposal{Ask: &core.AskSet{Text: "another text\n"}}})
	check := awaitCheck(t, p, shard)
	st, ok := p.R.State(shard)
	if !ok || st.Mark.Seq != check.Seq || st.Hash() != check.Hash {
		t.Fatalf("the check %v is not of what the replica has at %v", check, st.Mark)
	}
	check.Hash[0] ^= 1
	p.Do(p.R.Receive(check))
	if p.R.Knows(shard) {
		t.Fatal("the replica goes on with what differs")
	}
	p.Until(func() bool { return p.R.Knows(shard) })
	status := daemontest.Must[*proto.DaemonStatus](c, &proto.Status{})
	if status.Diverged != 1 || status.Sessions[0].Diverged != 1 {
		t.Errorf("%d replicas are said to differ, %d of the session", status.Diverged,
			status.Sessions[0].Diverged)
	}
	if n := len(d.Lines("a replica differs")); n != 1 {
		t.Errorf("%d lines say so", n)
	}
}

// awaitCheck takes messages in until a check of a shard's newest state comes.
func awaitCheck(t *testing.T, p *daemontest.Peer, s core.Shard) *core.Check {
	t.Helper()
	for {
		m := p.Recv()
		if m == nil {
			t.Fatal("the connection ended")
		}
		if c, ok := m.(*core.Check); ok && c.Shard == s {
			return c
		}
		if x, ok := m.(core.Msg); ok {
			p.Do(p.R.Receive(x))
		}
	}
}
