package daemon_test

import (
	"fmt"
	"strings"
	"testing"

	"apex/daemon"
	"apex/daemon/daemontest"
	"apex/proto"
)

// Who does not know the windows is shown what each of them shows, as much as a frame may have.
func TestPeekAtAll(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: daemon.DefaultLabel})
	all := &proto.Peek{Lines: 2}
	if got := daemontest.Must[*proto.Peeked](c, all).Views; len(got) > 0 {
		t.Errorf("no window shows %+v", got)
	}
	var want []string
	for i := range 3 {
		text := fmt.Sprintf("text %d\n", i)
		open(t, c, writeFile(t, "a.txt", text+strings.Repeat("more\n", 100)))
		want = append(want, text+"more\nmore\n")
	}
	got := map[string]bool{}
	views := daemontest.Must[*proto.Peeked](c, all).Views
	for _, v := range views {
		got[string(v.Bytes)] = true
	}
	for _, text := range want {
		if !got[text] {
			t.Errorf("%q is not among %v", text, got)
		}
	}
	if len(views) != len(want) {
		t.Errorf("%d windows, want %d", len(views), len(want))
	}
	const screens = 100
	for i := range screens {
		open(t, c, writeFile(t, fmt.Sprintf("%d.txt", i), strings.Repeat("x", 200_000)))
	}
	size := 0
	views = daemontest.Must[*proto.Peeked](c, all).Views
	for _, v := range views {
		size += len(v.Bytes)
	}
	if size > 2<<20 || len(views) < 20 {
		t.Errorf("%d bytes of %d windows", size, len(views))
	}
}
