package daemon

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"apex/core"
	"apex/daemon/paths"
	"apex/proto"
)

// upgradeProbe is how long the program that is to be the daemon may take to say what it is.
const upgradeProbe = 3 * time.Second

// upgrade has the daemon replaced by another program in the same process: it drains as for a stop,
// but the programs in its terminals go on, and whoever runs this daemon starts the other one when
// Run has returned. A program that can't say its version is refused, and so is one that does not prove
// that it can read the state and bind the socket (check.go).
func (d *Daemon) upgrade(exe string) (proto.Reply, error) {
	if exe == "" {
		own, err := os.Executable()
		if err != nil {
			return nil, core.Errorf(core.CodeUnavailable, "where this daemon's program is: %v", err)
		}
		exe = strings.TrimSuffix(own, " (deleted)") // what an installation put in its place
	}
	if !filepath.IsAbs(exe) {
		return nil, core.Errorf(core.CodeBadRequest, "program %s: want an absolute path", exe)
	}
	ctx, cancel := context.WithTimeout(context.Background(), upgradeProbe)
	defer cancel()
	said, err := exec.CommandContext(ctx, exe, "version").Output()
	switch {
	case err != nil:
		return nil, core.Errorf(core.CodeBadRequest, "program %s: does not say its version (%v): the "+
			"daemon goes on", exe, err)
	case !strings.HasPrefix(string(said), "apex "):
		return nil, core.Errorf(core.CodeBadRequest, "program %s: does not say that it is apex: the daemon "+
			"goes on", exe)
	}
	if err := d.fit(exe); err != nil {
		return nil, core.Errorf(core.CodeBadRequest, "program %s: can't take this daemon's place (%v): the "+
			"daemon goes on", exe, err)
	}
	if err := d.insistAll(); err != nil { // what a disk refuses would be lost
		return nil, err
	}
	if !d.successor.CompareAndSwap(nil, &exe) {
		return nil, core.Errorf(core.CodeBusy, "the daemon is being replaced already")
	}
	d.log.Info("upgrading", "exe", exe, "version", strings.TrimSpace(string(said)))
	d.Stop()
	return &proto.Done{Message: strings.TrimSpace(string(said))}, nil
}

// Successor is the program that is to replace this one in its process when Run has returned; empty
// if none is. The state directory's lock is still held then: see Lock.
func (d *Daemon) Successor() string {
	if s := d.successor.Load(); s != nil {
		return *s
	}
	return ""
}

// Lock is the lock of the state directory, which Run leaves to the successor.
func (d *Daemon) Lock() *paths.Lock { return d.home.lock }
