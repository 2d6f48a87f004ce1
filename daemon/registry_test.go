package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// labels lists the sessions.
func labels(c *daemontest.Client) []string {
	var out []string
	for _, s := range daemontest.Must[*proto.Sessions](c, &proto.SessionList{}).Sessions {
		out = append(out, s.Label)
	}
	return out
}

// Of many who make, rename and end sessions at once, each request has one answer that makes sense,
// and what is listed afterwards can be used, is listed once, and is the same after a restart.
func TestSessionsAtOnce(t *testing.T) {
	d := daemontest.Start(t)
	var wg sync.WaitGroup
	for n := range 8 {
		c := d.Dial()
		wg.Go(func() {
			for i := range 20 {
				a, b := fmt.Sprintf("s%d", (n+i)%5), fmt.Sprintf("s%d", (n*i)%5)
				var err error
				switch i % 3 {
				case 0:
					_, err = c.Call(&proto.SessionNew{Label: a})
				case 1:
					_, err = c.Call(&proto.SessionRename{Old: a, New: b})
				case 2:
					_, err = c.Call(&proto.SessionEnd{Session: a, Force: n%2 == 0})
				}
				switch core.CodeOf(err) {
				case "", core.CodeExists, core.CodeNotFound, core.CodeBusy:
				default:
					t.Errorf("request %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
	c := d.Dial()
	list := labels(c)
	for _, label := range list {
		if _, err := c.Call(&proto.Open{Session: label, HasText: true, Name: label}); err != nil {
			t.Errorf("session %s: %v", label, err)
		}
	}
	d.Stop()
	d.Run()
	c = d.Dial()
	if again := labels(c); !slices.Equal(again, list) || !slices.Equal(slices.Compact(again), list) {
		t.Errorf("listed %v, after a restart %v", list, again)
	}
	for _, label := range list {
		w := daemontest.Must[*proto.WindowList](c, &proto.Windows{Session: label}).Windows
		if len(w) != 1 || w[0].Name != label {
			t.Errorf("session %s has the windows of another: %+v", label, w)
		}
	}
}

// Many who attach to a session that is not there get one session.
func TestAttachCreatesOnce(t *testing.T) {
	d := daemontest.Start(t)
	var wg sync.WaitGroup
	ids := make([]core.SessionID, 8)
	for i := range ids {
		c := d.Dial()
		wg.Go(func() {
			r, err := c.Call(&proto.Attach{Session: "new", Create: true,
				Hello: core.Hello{Kind: core.AttachUI}})
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = r.(*proto.Attached).Welcome.Session
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("sessions %v and %v", id, ids[0])
		}
	}
}

// A session with unsaved work is not ended unless that is forced; its clients are told, its label
// is free, its files are set aside, and it does not come back.
func TestEnd(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	win := open(t, c, writeFile(t, "a.txt", "abc\n")).Window.String()
	insert(t, c, win, "x")
	ui := d.Attach(core.AttachUI, "", "human:ann")
	if _, err := c.Call(&proto.SessionEnd{}); core.CodeOf(err) != core.CodeUnsaved {
		t.Fatalf("end with unsaved work: %v", err)
	}
	if got := read(t, c, win); got != "xabc\n" {
		t.Fatalf("after a refused end: %q", got)
	}
	daemontest.Must[*proto.Done](c, &proto.SessionEnd{Force: true})
	if code := ending(t, ui.Client); code != core.CodeNotFound {
		t.Errorf("its client was told %q", code)
	}
	d.Stop()
	d.Run()
	if l := labels(d.Dial()); len(l) != 0 {
		t.Errorf("it came back: %v", l)
	}
	if kept, err := os.ReadDir(filepath.Join(d.State, "ended")); err != nil || len(kept) != 1 {
		t.Errorf("set aside: %v, %v", kept, err)
	}
}

// A session that can't be read is listed with the reason; end -f sets its files aside. Two sessions
// that have one label are both there, the older one under it.
func TestOddDirectories(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "old"})
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "new"})
	daemontest.Must[*proto.Done](c, &proto.SessionEnd{Session: "old"})
	daemontest.Must[*proto.Done](c, &proto.SessionRename{Old: "new", New: "old"})
	d.Stop()
	ended, sessions := filepath.Join(d.State, "ended"), filepath.Join(d.State, "sessions")
	kept, err := os.ReadDir(ended)
	if err != nil || len(kept) != 1 {
		t.Fatalf("set aside: %v, %v", kept, err)
	}
	name := kept[0].Name()
	if err := os.Rename(filepath.Join(ended, name), filepath.Join(sessions, name)); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(sessions, strings.Repeat("ab", 16))
	if err := os.Mkdir(broken, 0o700); err != nil {
		t.Fatal(err)
	}
	writeDisk(t, filepath.Join(broken, "00000001.journal"), strings.Repeat("no journal at all ", 1000))
	unborn := filepath.Join(sessions, strings.Repeat("cd", 16))
	if err := os.Mkdir(unborn, 0o700); err != nil {
		t.Fatal(err)
	}
	writeDisk(t, unborn+".new", "") // it was being made
	for range 2 {
		d.Run()
		c = d.Dial()
		if l := labels(c); !slices.Equal(l, []string{"damaged-abababab", "old", "old-2"}) {
			t.Errorf("listed %v", l)
		}
		list := daemontest.Must[*proto.Sessions](c, &proto.SessionList{}).Sessions
		if list[0].Trouble == "" || list[1].Created >= list[2].Created {
			t.Errorf("listed %+v", list)
		}
		d.Stop()
	}
	d.Run()
	c = d.Dial()
	_, err = c.Call(&proto.SessionEnd{Session: "damaged-abababab"})
	if core.CodeOf(err) != core.CodeUnsaved {
		t.Errorf("end: %v", err)
	}
	daemontest.Must[*proto.Done](c, &proto.SessionEnd{Session: "damaged-abababab", Force: true})
	aside := entries(t, ended)
	if !slices.ContainsFunc(aside, func(name string) bool {
		return strings.HasPrefix(name, "damaged-abababab,") &&
			strings.HasSuffix(name, ","+strings.Repeat("ab", 16))
	}) {
		t.Errorf("set aside: %v", aside)
	}
}

// Whoever is in a session sees who else comes and goes.
func TestRoster(t *testing.T) {
	d := daemontest.Start(t)
	ann := d.Attach(core.AttachUI, "", "human:ann")
	actors := func(want ...string) {
		t.Helper()
		for {
			m, ok := ann.Recv().(*proto.Presence)
			if !ok {
				continue
			}
			var got []string
			for _, p := range m.Peers {
				got = append(got, p.Actor)
			}
			if slices.Equal(got, want) {
				return
			}
		}
	}
	bob := d.Attach(core.AttachTool, "", "agent:bob")
	actors("human:ann", "agent:bob")
	bob.Net.Close()
	actors("human:ann")
}
