package core_test

import (
	"testing"

	"apex/core/coretest"

	"github.com/cockroachdb/datadriven"
)

// TestScenarios runs the scripts in testdata/scenario. Whatever a script did, in the end everybody
// is connected or gone, and every replica, the daemon and its disk hold the same bytes.
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/scenario", func(t *testing.T, path string) {
		env, err := coretest.New()
		if err != nil {
			t.Fatal(err)
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := env.Handle(d)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			return out
		})
		env.World.Settle()
		if env.World.Err == nil {
			env.World.Err = env.World.Agree()
		}
		if env.World.Err != nil {
			t.Errorf("%s: after the script: %v", path, env.World.Err)
		}
	})
}
