package daemon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/disk/disktest"
	"apex/proto"
)

// Putall returns when every file is saved, and its error names each that was not: whether the
// daemon leads or a UI does, and also while the session's own disk refuses.
func TestPutall(t *testing.T) {
	for _, who := range []string{"the daemon leads", "a ui leads", "not durable"} {
		t.Run(who, func(t *testing.T) {
			disk := disktest.New(1)
			d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = disk.Mount() })
			t.Cleanup(func() { disk.SetRoom(-1) })
			c := d.Dial()
			var paths, wins []string
			for _, name := range []string{"well.txt", "changed.txt", "gone.txt", "clean.txt"} {
				path := writeFile(t, name, "abc\n")
				paths = append(paths, path)
				wins = append(wins, open(t, c, path).Window.String())
				if name != "clean.txt" {
					insert(t, c, wins[len(wins)-1], "x")
				}
			}
			switch who {
			case "a ui leads":
				leadAll(t, d)
			case "not durable":
				disk.SetRoom(0)
				_, _ = c.Call(&proto.ProposeIn{Win: wins[3], Proposal: core.Proposal{
					Ask: &core.AskSelect{Q0: 1, Q1: 2}}}) // what finds out
			}
			writeDisk(t, paths[1], "theirs\n")
			if err := os.RemoveAll(filepath.Dir(paths[2])); err != nil {
				t.Fatal(err)
			}
			err := run(c, wins[3], "Putall")
			if core.CodeOf(err) != core.CodeUnsaved || !strings.HasPrefix(err.Error(), "2 of 3 files") {
				t.Fatalf("got %v (%s), want 2 of 3 unsaved", err, core.CodeOf(err))
			}
			for i, named := range []bool{false, true, true, false} {
				if strings.Contains(err.Error(), paths[i]) != named {
					t.Errorf("%s: named in %v, want %v", paths[i], err, named)
				}
			}
			if got := readDisk(t, paths[0]); got != "xabc\n" {
				t.Errorf("%s holds %q when it has ended", paths[0], got)
			}
			if got := readDisk(t, paths[1]); got != "theirs\n" {
				t.Errorf("%s holds %q", paths[1], got)
			}
		})
	}
}

// leadAll attaches a UI that leads everything and answers what it is asked until the test ends.
func leadAll(t *testing.T, d *daemontest.Daemon) {
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Fragile = true
	for _, s := range ui.R.Meta().Shards {
		if s.Kind.Leasable() {
			ui.Lead(s)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ui.Take() {
		}
	}()
	t.Cleanup(func() {
		d.Stop()
		<-done
	})
}

// What failed alike gives Putall its code, and nothing to save is no failure.
func TestPutallCode(t *testing.T) {
	c := daemontest.Start(t).Dial()
	path := writeFile(t, "a.txt", "abc\n")
	win := open(t, c, path).Window.String()
	if err := run(c, win, "Putall"); err != nil {
		t.Errorf("nothing to save: %v", err)
	}
	insert(t, c, win, "x")
	writeDisk(t, path, "theirs\n")
	ask := &proto.ProposeIn{Win: win, Proposal: core.Proposal{Ask: &core.AskExec{Command: "Putall"}}}
	if _, err := c.Call(ask); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("changed on disk: %v", err)
	}
	if _, err := c.Call(ask); err != nil || readDisk(t, path) != "xabc\n" {
		t.Errorf("put again: %v, %q", err, readDisk(t, path))
	}
}
