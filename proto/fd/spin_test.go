package fd

import "testing"

// Slow yields become rare, however long they go on, and are rare for a while after quick ones.
func TestSpinner(t *testing.T) {
	var s spinner
	slow := 0
	for range 1_000_000 {
		if s.begin() {
			slow++
			s.end(slowYield, false)
		}
	}
	if slow < 10 || slow > 100 {
		t.Errorf("%d slow yields in a million reads", slow)
	}
	rest := func() (n int) {
		for s.rest.Load() > 0 {
			s.begin()
			n++
		}
		return n
	}
	if n := rest(); n > longestRest {
		t.Errorf("a slow yield costs %d reads", n)
	}
	for range 10 {
		if !s.begin() {
			t.Fatal("nobody may stay awake")
		}
		s.end(0, true)
	}
	s.begin()
	s.end(slowYield, false)
	if n := rest(); n < longestRest/8 || n > longestRest/2 {
		t.Errorf("after ten quick ones it costs %d reads", n)
	}
	for range 200 {
		s.begin()
		s.end(0, true)
	}
	s.begin()
	if s.begin() {
		t.Error("two stay awake at a time")
	}
	s.end(slowYield, false)
	if n := rest(); n != firstRest {
		t.Errorf("after many quick ones it costs %d reads, want %d", n, firstRest)
	}
}
