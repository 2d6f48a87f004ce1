package acceptance

import (
	"strings"
	"testing"
)

// Two people's terminals of different sizes: the second takes over, the first watches every
// keystroke and takes it back with a key. An observer takes nothing and scrolls on its own.
func TestTakeOverAndWatch(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	path := m.write("shared.txt", "\n"+numbered(100))

	first, second := m.terminal("first", 100, 30), m.terminal("second", 64, 18)
	first.ui(path)
	first.wait("the lead", func(s screen) bool { return s.leading() && s.has("line 1") })
	second.ui()
	second.wait("the lead", screen.leading)
	first.wait("watching", func(s screen) bool { return s.status("watching") && s.has("F2 takes") })

	// follows types in one terminal, and waits after each key until the other has it.
	follows := func(from, to *terminal, word string) {
		t.Helper()
		before := from.screen().body()
		before, _, _ = strings.Cut(before, "\n")
		for i := range word {
			from.types(word[i : i+1])
			want := before + word[:i+1]
			to.wait("the key "+word[i:i+1], func(s screen) bool {
				line, _, _ := strings.Cut(s.body(), "\n")
				return line == want
			})
		}
	}
	follows(second, first, "second")
	first.keys("F2")
	first.wait("the lead", screen.leading)
	second.wait("watching", func(s screen) bool { return s.status("watching") })
	first.keys("End")
	follows(first, second, "first")

	observer := m.terminal("observer", 80, 24)
	observer.ui("attach", "default", "--observe")
	observer.wait("read-only", func(s screen) bool { return s.status("read-only") })
	if s := first.screen(); !s.leading() {
		t.Errorf("an observer has taken the lead:\n%s", s)
	}
	shown := first.screen().body()
	observer.keys("PageDown", "PageDown")
	observer.wait("the scroll", func(s screen) bool { return !s.has("line 1 ") && s.has("line 40 ") })
	follows(first, second, "!")
	if got := first.screen().body(); strings.Count(got, "\n") != strings.Count(shown, "\n") ||
		!strings.HasPrefix(got, "secondfirst!") {
		t.Errorf("an observer's scroll moved the leader's text to\n%s", got)
	}
	observer.types("nothing of this")
	follows(first, second, "?")
	if got := m.must("text", "read", path); !strings.HasPrefix(got, "secondfirst!?\nline 1 ") {
		t.Errorf("the text begins with %q", got[:min(len(got), 40)])
	}
	observer.detach()
	second.detach()
	alone := first.wait("to be alone", func(s screen) bool { return !strings.Contains(s[0], "with ") })
	if !alone.leading() {
		t.Errorf("the lead is lost when others leave:\n%s", alone)
	}
}
