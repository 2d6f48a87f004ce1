package input

import "testing"

func TestCodeNames(t *testing.T) {
	if got, want := len(codeNames), int(endCode-firstCode); got != want {
		t.Fatalf("%d names, want one for each of %d codes", got, want)
	}
}
