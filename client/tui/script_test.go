package tui_test

import (
	"testing"

	"apex/client/tui/tuitest"

	"github.com/cockroachdb/datadriven"
)

// TestScripts runs the scripts in testdata: what a person does, and what is then on the screen.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", tuitest.Run)
}
