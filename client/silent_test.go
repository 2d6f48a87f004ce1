package client

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"apex/core"
	"apex/daemon/paths"
)

// Who holds the state directory, or else listens on the socket, is named when nobody answers.
func TestExplain(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	d := Daemon{State: state, Socket: filepath.Join(t.TempDir(), "s")}
	why := unavailable("no answer")
	if err := d.Explain(nil, why); err != error(why) {
		t.Errorf("without a daemon: %v", err)
	}
	l, err := net.Listen("unix", d.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nc, err := net.Dial("unix", d.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	check := func(name string, nc net.Conn, socket string) {
		t.Helper()
		var silent *SilentError
		err := d.Explain(nc, why)
		if !errors.As(err, &silent) || silent.PID != os.Getpid() || silent.Socket != socket ||
			core.CodeOf(err) != core.CodeUnavailable || !errors.Is(err, why) || silent.Stopped {
			t.Errorf("%s: %v", name, err)
		}
		if again := d.Explain(nc, err); again != err {
			t.Errorf("%s, said twice: %v", name, again)
		}
	}
	check("a socket of no daemon's", nc, d.Socket)
	lock, err := paths.Acquire(state)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	if err := d.Explain(nil, why); err != error(why) {
		t.Errorf("one that has not said who it is: %v", err)
	}
	if err := lock.Record(paths.Owner{PID: os.Getpid(), Socket: d.Socket}); err != nil {
		t.Fatal(err)
	}
	check("the holder, without a stream", nil, "")
	check("the holder", nc, "")
	if err := d.Explain(nc, context.Canceled); err != context.Canceled {
		t.Errorf("given up by the caller: %v", err)
	}
}
