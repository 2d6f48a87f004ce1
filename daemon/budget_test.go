package daemon_test

import (
	"fmt"
	"strings"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// A session that is edited for long is read again from little: the generation that is written to
// holds its state and a quarter of it, or 1 MiB, in records. `ls` says what its files take, and
// `text info` what the undo history keeps.
func TestFilesOfALongSession(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "work"})
	daemontest.Must[*proto.Opened](c, &proto.Open{Session: "work", Name: "a", HasText: true,
		Text: []byte("begin\n")})
	const edits = 400
	for i := range edits { // 20 MB, all of which goes through the undo history
		daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Session: "work", Win: "a",
			Proposal: core.Proposal{Ask: &core.AskSet{Text: strings.Repeat(fmt.Sprintf("line %d\n", i), 5_000)}}})
	}
	info := daemontest.Must[*proto.TextInfo](c, &proto.Info{Session: "work", Win: "a"})
	if info.UndoBytes < 1<<20 || info.UndoBytes > 17<<20 || !info.UndoDropped || info.UndoSteps == 0 {
		t.Errorf("the undo history has %d bytes in %d steps, dropped: %v", info.UndoBytes, info.UndoSteps,
			info.UndoDropped)
	}
	state := int64(0)
	for _, s := range states(t, exported(t, c, "work")) {
		n := counting(0)
		if err := s.WriteSnapshot(&n); err != nil {
			t.Fatal(err)
		}
		state += int64(n)
	}
	dir := sessionFiles(t, d, c, "work")
	// Frames' headers, a commit, what is written ahead; and the snapshot may be of before the undo
	// history last gave up a quarter.
	const slack = 1<<20 + 16<<20/4*5/4
	newest := int64(0)
	for {
		checked := daemontest.Must[*proto.Checked](c, &proto.Fsck{Session: "work"}).Sessions[0]
		if len(checked.Findings) > 0 || checked.Generations < 3 {
			t.Fatalf("%+v", checked)
		}
		files := journals(t, dir)
		newest = int64(len(files[fmt.Sprintf("%08d.journal", len(files))]))
		if newest <= state+max(1<<20, state/4)+slack {
			break // else the next generation is being written
		}
	}
	s := daemontest.Must[*proto.Sessions](c, &proto.SessionList{}).Sessions[0]
	if s.Bytes < newest/2 || s.Bytes > 256<<20+2*state {
		t.Errorf("ls says %d bytes; the newest generation has %d", s.Bytes, newest)
	}
}

type counting int64

func (n *counting) Write(p []byte) (int, error) {
	*n += counting(len(p))
	return len(p), nil
}
