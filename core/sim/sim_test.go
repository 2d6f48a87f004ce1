package sim

import (
	"flag"
	"os"
	"testing"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "run this seed only, with a trace")
	seedsFlag = flag.Uint64("seeds", 100, "how many seeds a sweep runs")
)

func TestSweep(t *testing.T) {
	if *seedFlag != 0 {
		if _, err := Run(*seedFlag, Options{Trace: os.Stderr}); err != nil {
			t.Fatal(err)
		}
		return
	}
	for seed := uint64(1); seed <= *seedsFlag; seed++ {
		if _, err := Run(seed, Options{}); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
