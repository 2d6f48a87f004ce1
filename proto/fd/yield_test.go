package fd

import "testing"

// Slow yields become rare, however long they go on, and quick ones make up for them.
func TestYielder(t *testing.T) {
	var y yielder
	slow := 0
	for range 1_000_000 {
		if !y.resting() {
			slow++
			y.took(slowYield)
		}
	}
	if slow < 10 || slow > 100 {
		t.Errorf("%d slow yields in a million reads", slow)
	}
	for range longestRest {
		y.resting()
	}
	for range 20 {
		y.took(0)
	}
	y.took(slowYield)
	rest := 0
	for y.resting() {
		rest++
	}
	if rest != firstRest {
		t.Errorf("after many quick ones a slow one costs %d reads, want %d", rest, firstRest)
	}
}
