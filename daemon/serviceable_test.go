package daemon_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"apex/core"
	"apex/daemon"
	"apex/daemon/daemontest"
	"apex/proto"
)

// program writes a script that is to be the daemon.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "apex")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// A program that says its version and can't serve does not get the daemon's place, whatever it is
// that it can't: the daemon goes on, and so do the programs in its terminals.
func TestUpgradeRefused(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	win := open(t, c, writeFile(t, "a.txt", "abc\n")).Window.String()
	const version = `[ "$1" = version ] && { echo apex 9; exit; }` + "\n"
	for name, script := range map[string]string{
		"no version":        "exit 1",
		"another program":   "echo gcc 9",
		"no check":          version + `echo "unknown flag: --check" >&2; exit 2`,
		"check without end": version + "echo looking",
		"silent":            version,
		"unreadable":        version + `echo "unreadable 0123: too new"; echo checked`,
		"killed":            version + "kill -9 $$",
	} {
		_, err := c.Call(&proto.Upgrade{Exe: program(t, script)})
		if core.CodeOf(err) != core.CodeBadRequest || !strings.Contains(err.Error(), "the daemon goes on") {
			t.Errorf("%s: %v", name, err)
		}
		if got := read(t, c, win); got != "abc\n" {
			t.Errorf("%s: after it the text is %q", name, got)
		}
	}
}

// Whether this program could be the daemon is found out beside one that runs, and changes nothing of
// what it has. A session that nobody can read is named.
func TestCheckChangesNothing(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	win := open(t, c, writeFile(t, "a.txt", "abc\n")).Window.String()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "other"})
	read(t, c, win) // which waits for the disk
	lost := filepath.Join(d.State, "sessions", strings.Repeat("ab", 16))
	if err := os.Mkdir(lost, 0o700); err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, d)
	var said []string
	o := daemon.Options{State: d.State, Socket: d.Socket, Build: "next"}
	if err := daemon.Check(o, func(line string) { said = append(said, line) }); err != nil {
		t.Error(err)
	}
	if len(said) != 2 || !strings.HasPrefix(said[0], "unreadable "+filepath.Base(lost)+": ") ||
		said[1] != "checked" {
		t.Errorf("it says %q", said)
	}
	if after := filesIn(t, d); !maps.EqualFunc(after, before, bytes.Equal) {
		t.Errorf("the state had %v and has %v", fileNames(before), fileNames(after))
	}
	if left, _ := os.ReadDir(filepath.Dir(d.Socket)); len(left) != 1 {
		t.Errorf("beside the socket there is %v", left)
	}
	o.Socket = filepath.Join(t.TempDir(), "missing", "s")
	if err := daemon.Check(o, func(string) {}); err == nil {
		t.Error("a socket that can't be bound is no error")
	}
	if got := read(t, c, win); got != "abc\n" {
		t.Errorf("the text is %q", got)
	}
}

// filesIn are the files of all sessions, by their paths.
func filesIn(t *testing.T, d *daemontest.Daemon) map[string][]byte {
	t.Helper()
	dirs, err := os.ReadDir(filepath.Join(d.State, "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, dir := range dirs {
		out[dir.Name()] = nil
		for name, b := range tree(t, filepath.Join(d.State, "sessions", dir.Name())) {
			out[filepath.Join(dir.Name(), name)] = b
		}
	}
	return out
}
