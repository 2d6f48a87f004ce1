package daemon_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/paths"
	"apex/proto"
)

// A state directory that is deleted or moved away under the daemon is made again: everything is
// written there, and nobody else can have it meanwhile.
func TestStateDirectoryGone(t *testing.T) {
	for name, away := range map[string]func(state string) error{
		"deleted": os.RemoveAll,
		"moved":   func(state string) error { return os.Rename(state, state+".old") },
		"lock deleted": func(state string) error {
			return os.Remove(filepath.Join(state, "lock"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := daemontest.Start(t)
			place := open(t, d.Dial(), writeFile(t, "a.txt", "abc\n"))
			ui := d.Attach(core.AttachUI, "", "human:ann")
			ui.Lead(place.Buffer.Shard())
			if err := away(d.State); err != nil {
				t.Fatal(err)
			}
			for len(d.Lines("made again")) == 0 {
				pong(t, ui)
			}
			b := core.Bundle{}
			b.Add(place.Buffer.Shard(), core.Edit(0, 0, 0, "x", 0))
			ui.Commit(b)
			ui.Until(func() bool { return ui.R.Unsynced() == 0 })
			if trouble := session(t, d.Dial()).Trouble; trouble != "" {
				t.Errorf("has trouble: %s", trouble)
			}
			var held *paths.HeldError
			if l, err := paths.Acquire(d.State); !errors.As(err, &held) || held.Owner.Socket != d.Socket {
				t.Errorf("a second lock: %v, %v", l, err)
			}
			d.Stop()
			d.Run()
			if got := read(t, d.Dial(), place.Window.String()); got != "xabc\n" {
				t.Errorf("after a restart it reads %q", got)
			}
		})
	}
}

// A stop right after the directory went writes everything before it leaves.
func TestStopWithoutStateDirectory(t *testing.T) {
	d := daemontest.Start(t)
	place := open(t, d.Dial(), writeFile(t, "a.txt", "abc\n"))
	if err := os.RemoveAll(d.State); err != nil {
		t.Fatal(err)
	}
	d.Stop()
	d.Run()
	if got := read(t, d.Dial(), place.Window.String()); got != "abc\n" {
		t.Errorf("after a restart it reads %q", got)
	}
}

// While another daemon has the directory that took the place, nothing is acknowledged, nothing is
// written there, and the daemon leaves.
func TestStateDirectoryTaken(t *testing.T) {
	d := daemontest.Start(t)
	place := open(t, d.Dial(), writeFile(t, "a.txt", "abc\n"))
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Fragile = true
	ui.Lead(place.Buffer.Shard())
	fresh := t.TempDir()
	if err := os.Chmod(fresh, 0o700); err != nil {
		t.Fatal(err)
	}
	other, err := paths.Acquire(fresh)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Release()
	if err := os.Rename(d.State, d.State+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(fresh, d.State); err != nil {
		t.Fatal(err)
	}
	for ui.Recv() != nil {
	}
	if err := d.Leave(); err == nil || !strings.Contains(err.Error(), "where the state directory went") {
		t.Errorf("it left with %v", err)
	}
	if files := fileNames(tree(t, d.State)); len(files) != 1 || !strings.HasPrefix(files[0], "lock") {
		t.Errorf("the other's directory has %v", files)
	}
	if len(d.Lines("another daemon")) == 0 {
		t.Error("the log does not say why it left")
	}
}

// A session whose directory, or whose journal in it, is deleted under the daemon is written anew,
// and nothing is acknowledged before that. The others don't notice.
func TestSessionDirectoryGone(t *testing.T) {
	for name, away := range map[string]func(dir string) error{
		"deleted": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, filepath.Join(filepath.Dir(dir), "x")) },
		"emptied": emptied,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := daemontest.Start(t)
			c := d.Dial()
			daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "other"})
			place := open(t, c, writeFile(t, "a.txt", "abc\n"))
			ui := d.Attach(core.AttachUI, "", "human:ann")
			ui.Lead(place.Buffer.Shard())
			id := session(t, c).Session
			if err := away(filepath.Join(d.State, "sessions", fmt.Sprintf("%x", id[:]))); err != nil {
				t.Fatal(err)
			}
			for len(d.Lines("durable again")) == 0 {
				pong(t, ui)
			}
			b := core.Bundle{}
			b.Add(place.Buffer.Shard(), core.Edit(0, 0, 0, "x", 0))
			ui.Commit(b)
			ui.Until(func() bool { return ui.R.Unsynced() == 0 })
			if n := len(d.Lines("not durable")); n > 1 {
				t.Errorf("%d sessions were not durable", n)
			}
			if trouble := session(t, c).Trouble; trouble != "" {
				t.Errorf("has trouble: %s", trouble)
			}
			d.Stop()
			d.Run()
			if got := read(t, d.Dial(), place.Window.String()); got != "xabc\n" {
				t.Errorf("after a restart it reads %q", got)
			}
		})
	}
}
