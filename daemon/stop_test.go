package daemon_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/disk/disktest"
	"apex/proto"
)

// refused is a daemon whose disk has become full while somebody typed.
type refused struct {
	*daemontest.Daemon
	disk *disktest.Disk
	c    *daemontest.Client
	ui   *daemontest.Peer // who typed, and leads
	buf  core.BufferID
	win  string
	want int // bytes of the text
}

func refusing(t *testing.T) *refused {
	r := &refused{disk: disktest.New(1)}
	r.Daemon = daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = r.disk.Mount() })
	t.Cleanup(func() { r.disk.SetRoom(-1) })
	r.c = r.Dial()
	place := open(t, r.c, writeFile(t, "a.txt", "abc\n"))
	r.win, r.want = place.Window.String(), 4
	ui := r.Attach(core.AttachUI, "", "human:ann")
	r.ui, r.buf = ui, place.Buffer
	ui.Fragile = true
	ui.Lead(place.Buffer.Shard())
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })
	r.disk.SetRoom(0)
	for session(t, r.c).Trouble == "" {
		b := core.Bundle{}
		version := core.Version((r.want - 4) / 1024)
		b.Add(place.Buffer.Shard(), core.Edit(version, 0, 0, strings.Repeat("x", 1024), 0))
		ui.Commit(b)
		pong(t, ui)
		r.want += 1024
	}
	return r
}

// after starts the daemon again, after a loss of power, and checks that the text is whole.
func (r *refused) after(t *testing.T) {
	t.Helper()
	r.Stop()
	r.disk.PowerCut()
	r.FS = r.disk.Mount()
	r.Run()
	if got := info(r.Dial(), r.win); got.Bytes != r.want {
		t.Errorf("after the stop %d bytes, want %d", got.Bytes, r.want)
	}
}

// A stop that would lose what the disk refuses is refused, and the daemon goes on. When there is
// room, a stop takes everything along, without waiting for the next try.
func TestStopWhileDiskRefuses(t *testing.T) {
	t.Parallel()
	r := refusing(t)
	_, err := r.c.Call(&proto.Stop{})
	if core.CodeOf(err) != core.CodeUnsaved || !strings.Contains(err.Error(), "default") {
		t.Errorf("stop got %v, want a refusal that names the session", err)
	}
	if got := info(r.Dial(), r.win); got.Bytes != r.want {
		t.Errorf("after the refusal %d bytes, want %d", got.Bytes, r.want)
	}
	r.disk.SetRoom(-1)
	daemontest.Must[*proto.Done](r.c, &proto.Stop{})
	r.after(t)
}

// A signal can't be refused: what there is room for by then is kept.
func TestSignalAfterDiskRefused(t *testing.T) {
	t.Parallel()
	r := refusing(t)
	r.disk.SetRoom(-1)
	r.after(t)
}

// A daemon that has to leave while the disk refuses, by force or by a signal, ends with an error
// that says what is lost and what is kept where.
func TestStopThatLoses(t *testing.T) {
	for _, forced := range []bool{true, false} {
		t.Run(fmt.Sprint("forced ", forced), func(t *testing.T) {
			t.Parallel()
			stopThatLoses(t, forced)
		})
	}
}

func stopThatLoses(t *testing.T, forced bool) {
	r := refusing(t)
	if forced {
		daemontest.Must[*proto.Done](r.c, &proto.Stop{Force: true})
	}
	err := r.Leave()
	for _, want := range []string{`"default"`, "a.txt", filepath.Join(r.State, "sessions")} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it ends with %v, want it to name %s", err, want)
		}
	}
	if len(r.Lines("not everything is on disk")) == 0 {
		t.Error("the log says nothing of what was lost")
	}
	r.disk.SetRoom(-1)
	r.Run()
}
