package acceptance

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// mount makes a directory that is a file system of its own, of a size as mount(8) has it.
func (m *machine) mount(dir, size string) {
	m.t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		m.t.Fatal(err)
	}
	mount := exec.Command("mount", "-t", "tmpfs", "-o", "mode=700,size="+size, "tmpfs", dir)
	if out, err := mount.CombinedOutput(); err != nil {
		m.t.Skipf("no file system can be mounted here: %v: %s", err, out)
	}
	m.t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			m.t.Errorf("umount: %v: %s", err, out)
		}
	})
}

// resize gives it another size.
func (m *machine) resize(dir, size string) {
	m.t.Helper()
	if out, err := exec.Command("mount", "-o", "remount,size="+size, dir).CombinedOutput(); err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
}

// notDurable reports whether the UI says that nothing is kept.
func (s screen) notDurable() bool { return s.status("not durable") }

// listed is what `apex ls` tells of a session's disk.
type listed struct {
	Label, Trouble string
	Durable        bool
	Unsynced       int
}

func (m *machine) listed() listed {
	m.t.Helper()
	var all []listed
	m.decode(m.must("ls", "--json"), &all)
	if len(all) != 1 {
		m.t.Fatalf("sessions %+v", all)
	}
	return all[0]
}

// withoutRoom is a machine whose state directory has room for nothing, and a UI on a file there, which
// says so.
func withoutRoom(t *testing.T) (m *machine, p *terminal, path string) {
	t.Helper()
	t.Parallel()
	needTmux(t)
	m = newMachine(t)
	m.mount(m.state(), "64k")
	path = m.write("notes.txt", "begun\n")
	p = m.terminal("first", 100, 24)
	p.start(path)
	p.wait("the file, not durable", func(s screen) bool { return s.notDurable() && s.has("begun") })
	return m, p, path
}

// A fresh machine whose state directory has room for nothing: the file is on the screen, what is
// typed is saved to its own disk, and everybody is told that the session is not durable; a second
// UI attaches and takes over. When room is made it is caught up with by itself, and a kill -9 then
// loses nothing.
func TestStateWithoutRoom(t *testing.T) {
	m, p, path := withoutRoom(t)
	p.shows("no space left on device")
	p.types("typed ")
	p.keys("C-s")
	eventually(t, "the save, which is noted down later", func() bool {
		b, err := os.ReadFile(path)
		return err == nil && string(b) == "typed begun\n"
	})
	m.reads(path, []byte("typed begun\n"))
	if got := m.listed(); got.Durable || got.Unsynced == 0 || !strings.Contains(got.Trouble, "not durable") {
		t.Errorf("listed as %+v", got)
	}
	if out := m.must("status"); !strings.Contains(out, "default: not durable: ") {
		t.Errorf("status says\n%s", out)
	}
	if a := m.apex("x", "text", "write", path); a.status != 1 || !strings.Contains(a.err, "disk refuses") {
		t.Errorf("a script that writes: status %d, %s", a.status, a.err)
	}

	q := m.terminal("second", 100, 24)
	q.start()
	q.wait("the session", func(s screen) bool { return s.notDurable() && s.has("typed begun") })
	q.types("more ")
	q.shows("typed more begun")
	q.wait("what is not stored", func(s screen) bool { return strings.Contains(s[0], " unsynced ") })

	m.resize(m.state(), "16m")
	q.wait("the disk", screen.synced)
	p.wait("the other's text", func(s screen) bool { return s.status("watching") && s.has("typed more begun") })
	if got := m.listed(); !got.Durable || got.Trouble != "" {
		t.Errorf("listed as %+v", got)
	}
	m.killDaemon()
	m.reads(path, []byte("typed more begun\n"))
	q.wait("the next daemon", screen.synced)
	q.detach()
	p.detach()
}

// The daemon is killed while the disk had room for nothing: the session is made again by the UI that
// has it, and what was typed is in it.
func TestKilledWithoutRoom(t *testing.T) {
	m, p, path := withoutRoom(t)
	p.types("typed in vain?")
	p.shows("typed in vain?")
	m.resize(m.state(), "16m")
	kill(m.daemon(), 9)
	p.wait("the next daemon", screen.synced)
	eventually(t, "the text", func() bool {
		for _, win := range []string{path, "+Recovered"} {
			if a := m.apex("", "text", "read", win); strings.Contains(a.out, "typed in vain?") {
				return true
			}
		}
		return false
	})
	p.detach()
}

// A home that is read-only, without a state directory: the session is in memory until it can be made.
func TestStateNotWritable(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	m.mount(m.path("home"), "16m")
	m.resize(m.path("home"), "16m,ro")
	path := m.write("notes.txt", "begun\n")
	p := m.terminal("first", 100, 24)
	p.start(path)
	p.wait("the file, not durable", func(s screen) bool { return s.notDurable() && s.has("begun") })
	if got := m.listed(); got.Durable || !strings.Contains(got.Trouble, "read-only file system") {
		t.Errorf("listed as %+v", got)
	}
	if a := m.apex("", "open", path); a.status != 1 || !strings.Contains(a.err, "read-only file system") {
		t.Errorf("open: status %d, %s%s", a.status, a.out, a.err)
	}
	m.resize(m.path("home"), "16m,rw")
	eventually(t, "the session to be durable", func() bool { return m.listed().Durable })
	p.wait("the disk", screen.synced)
	p.detach()
	m.must("stop")
	m.reads(path, []byte("begun\n"))
}
