package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The README's first command, in a fresh HOME: the file is on the screen, what is typed is saved
// byte for byte, and after a detach everything is as it was left.
func TestFirstCommandAndBack(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	// The compiler's caches are not part of what is tested.
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		m.env = append(m.env, name+"="+strings.TrimSpace(string(value)))
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	original := "first line\n\tsecond\r\nthird " + strings.Repeat("wide 世界 ", 3) + "\n" +
		strings.Repeat("more\n", 60) + "no newline at the end"
	path := m.write("notes.txt", original)
	m.write("other.txt", "another file\n")

	p := m.terminal("first", 100, 30)
	p.shell("cd " + root)
	p.shell("clear; go run ./cmd/apex " + path + "; echo ended with $?; cd " + m.dir)
	p.wait("the file", func(s screen) bool { return s.leading() && s.has("first line") })
	p.types("typed ")
	p.keys("Enter")
	p.types("é世")
	p.shows("é世first line")
	p.keys("C-s")
	p.wait("the save", func(s screen) bool { return s.leading() && !s.has("modified") })
	want := "typed \né世" + original
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Fatalf("saved %q (%v), want %q", got, err, want)
	}

	// Something of everything that has to be there again.
	m.must("open", "other.txt")
	p.shows("another file")
	win := m.info(path).Window
	m.must("exec", win, "Zerox")
	m.must("exec", "other.txt", "Newcol")
	m.must("open", path) // which has the focus then
	m.must("sel", win, "2", "9")
	p.keys("C-Down", "C-Down", "C-Down")
	p.wait("the scroll", func(s screen) bool { return !strings.Contains(s.body(), "typed") })
	p.wait("the disk", screen.synced)
	before := p.picture()
	p.detach()
	pid := m.daemon()
	p.ui()
	p.looks(before)
	if now := m.daemon(); now != pid {
		t.Errorf("another daemon, %d after %d, made by a detach", now, pid)
	}

	// The history is there too, also after the daemon was killed, whose binary is long gone.
	p.detach()
	m.killDaemon()
	p.ui()
	p.looks(before)
	steps(m, win, "undo", original)
	steps(m, win, "redo", want)
}

// steps undoes or redoes until a text is as it was: a line is a step, and so is what was typed on
// it.
func steps(m *machine, win, command, want string) {
	m.t.Helper()
	for range 3 {
		m.must(command, win)
		if m.must("text", "read", win) == want {
			return
		}
	}
	m.t.Errorf("after %s: %q, want %q", command, m.must("text", "read", win), want)
}
