package daemon_test

import (
	"os"
	"path/filepath"
	"testing"

	"apex/daemon/daemontest"
	"apex/daemon/disk/disktest"
)

// A daemon starts on a disk that is full: nobody reads in the lock who holds it, and sessions are
// not durable until there is room.
func TestStartOnFullDisk(t *testing.T) {
	disk := disktest.New(1)
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = disk.Mount() })
	t.Cleanup(func() { disk.SetRoom(-1) })
	place := open(t, d.Dial(), writeFile(t, "a.txt", "abc\n"))
	d.Stop()
	disk.SetRoom(0)
	lock := filepath.Join(d.State, "lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", lock); err != nil {
		t.Fatal(err)
	}
	d.Run()
	c := d.Dial()
	if got := read(t, c, place.Window.String()); got != "abc\n" {
		t.Errorf("reads %q", got)
	}
	if session(t, c).Trouble == "" {
		t.Error("the session is said to be durable")
	}
	disk.SetRoom(-1)
	for session(t, c).Trouble != "" {
	}
}
