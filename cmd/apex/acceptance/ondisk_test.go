package acceptance

import (
	"os"
	"strings"
	"testing"
)

// onDisk is what a file holds.
func (m *machine) onDisk(path string) string {
	m.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b)
}

// A person looks at a file that other programs write: without unsaved changes it is what the disk
// holds; with some the tag says so and has Merge, which takes both; then it is saved. Undo has every
// text, and nothing fences the person.
func TestFileChangesUnderWindow(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	path := m.write("shared.txt", "first\nsecond\nthird\nfourth\n")
	p := m.terminal("person", 110, 24)
	p.ui(path)
	p.shows("fourth")

	m.write("shared.txt", "first\nsecond\nthird\nFOURTH by another\n")
	p.shows("FOURTH by another")
	p.wait("no mark", func(s screen) bool { return !s.has("changed on disk") && !s.has("modified") })

	p.types("mine ")
	p.shows("mine first")
	m.write("shared.txt", "first\nsecond\nTHIRD by another\nFOURTH by another\n")
	p.wait("the mark", func(s screen) bool { return s.has("changed on disk") && s.has("Merge") })
	p.keys("C-s")
	p.wait("the refusal", func(s screen) bool { return s.has("not saved") })
	if got := m.onDisk(path); strings.Contains(got, "mine") {
		t.Fatalf("a refused save wrote %q", got)
	}
	p.wait("the lead", screen.synced)
	p.execute("Merge")
	s := p.wait("both", func(s screen) bool {
		return s.has("mine first") && s.has("THIRD by another") && !s.has("changed on disk")
	})
	if !s.leading() {
		t.Errorf("the person was fenced:\n%s", s)
	}
	p.keys("C-s")
	const both = "mine first\nsecond\nTHIRD by another\nFOURTH by another\n"
	eventually(t, "the save", func() bool { return m.onDisk(path) == both })
	p.wait("saved", func(s screen) bool { return s.has("written") && !s.has("modified") })

	p.keys("C-z")
	p.wait("the text before the merge", func(s screen) bool {
		return s.has("mine first") && s.has("third") && s.has("FOURTH by another")
	})
	p.keys("C-y")
	p.shows("THIRD by another")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p.shows("file is gone")
	p.keys("C-s")
	eventually(t, "the file again", func() bool {
		b, err := os.ReadFile(path)
		return err == nil && string(b) == both
	})
	p.wait("that it is there", func(s screen) bool { return !s.has("file is gone") })
}

// execute executes a command by the palette.
func (p *terminal) execute(command string) {
	p.m.t.Helper()
	p.keys("C-p")
	p.types(command)
	p.wait("the palette", func(s screen) bool { return s.has("(" + command + ")") })
	p.keys("Enter")
}
