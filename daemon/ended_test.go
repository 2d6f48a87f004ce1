package daemon_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/disk"
	"apex/proto"
)

// Who ends a session again is told that it has ended, as long as its files are kept.
func TestEndAgain(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	end := func(label string) (string, error) {
		reply, err := c.Call(&proto.SessionEnd{Session: label})
		if err != nil {
			return "", err
		}
		return reply.(*proto.Done).Message, nil
	}
	for range 2 { // a label may be used again
		daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "work"})
		if said, err := end("work"); err != nil || said != "" {
			t.Errorf("the first end: %q, %v", said, err)
		}
		if said, err := end("work"); err != nil || said == "" {
			t.Errorf("the second end: %q, %v", said, err)
		}
	}
	if _, err := end("never"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("one that never was: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(d.State, "ended")); err != nil {
		t.Fatal(err)
	}
	if _, err := end("work"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("one of which nothing is kept: %v", err)
	}
}

// What was kept for long enough is removed while the daemon runs; names of others are left alone.
func TestEndedAreRemoved(t *testing.T) {
	state := t.TempDir()
	if err := os.Chmod(state, 0o700); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(state, "ended", "a,20200101T000000.000Z,00ff")
	cut := filepath.Join(state, "ended", "b,20260101T000000.000Z,00fe.removed")
	other := filepath.Join(state, "ended", "mine")
	for _, dir := range []string{old, cut, other} {
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "sub", "1.log"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.State = state })
	c := d.Dial()
	for len(d.Lines("an ended session is removed")) < 2 {
		daemontest.Must[*proto.Done](c, &proto.Ping{})
	}
	if left := entries(t, filepath.Join(state, "ended")); len(left) != 1 || left[0] != "mine" {
		t.Errorf("left: %v", left)
	}
}

// noRename is a disk that keeps directories where they are.
type noRename struct {
	disk.FS
	stuck atomic.Bool
}

func (f *noRename) Rename(from, to string) error {
	if f.stuck.Load() && filepath.Base(filepath.Dir(to)) == "ended" {
		return errors.New("no room for names")
	}
	return f.FS.Rename(from, to)
}

// A session that ended and could not be moved aside stays listed, and to end it again tries again.
func TestEndedNotMoved(t *testing.T) {
	fs := &noRename{FS: disk.OS}
	fs.stuck.Store(true)
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = fs })
	c := d.Dial()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "work"})
	if _, err := c.Call(&proto.SessionEnd{Session: "work"}); err == nil {
		t.Error("the end is said to be done")
	}
	list := func() []proto.SessionInfo {
		return daemontest.Must[*proto.Sessions](c, &proto.SessionList{}).Sessions
	}
	if all := list(); len(all) != 1 || all[0].Label != "work" || all[0].Trouble == "" {
		t.Errorf("listed: %+v", all)
	}
	fs.stuck.Store(false)
	daemontest.Must[*proto.Done](c, &proto.SessionEnd{Session: "work", Force: true})
	if all := list(); len(all) != 0 {
		t.Errorf("listed: %+v", all)
	}
	if left := entries(t, filepath.Join(d.State, "sessions")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range found {
		out = append(out, e.Name())
	}
	return out
}
