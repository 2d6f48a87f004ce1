package tui_test

import (
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScripts runs the scripts in testdata: what a person does, and what is then on the screen.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", runScript)
}
