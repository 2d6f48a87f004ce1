package sim

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "run this seed only, with a trace")
	seedsFlag = flag.Uint64("seeds", 600/sweepShare, "how many seeds a sweep runs")
)

// TestSweep runs seeds, and demands that what the simulator is for happened in them.
func TestSweep(t *testing.T) {
	if *seedFlag != 0 {
		if _, err := Run(*seedFlag, Options{Trace: os.Stderr}); err != nil {
			t.Fatal(err)
		}
		return
	}
	var total Counters
	for seed := uint64(1); seed <= *seedsFlag; seed++ {
		count, err := Run(seed, Options{})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		total.Add(count)
	}
	t.Logf("%d seeds: %v", *seedsFlag, total)
	for _, c := range total.fields() {
		if *c.n == 0 {
			t.Errorf("no %s in the whole sweep", c.name)
		}
	}
}

// TestSeedRepeats runs one seed twice: the traces are the same to the byte.
func TestSeedRepeats(t *testing.T) {
	for seed := uint64(1); seed <= 8; seed++ {
		var one, two bytes.Buffer
		Run(seed, Options{Trace: &one})
		Run(seed, Options{Trace: &two})
		if one.Len() == 0 || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatalf("seed %d: traces of %d and %d bytes differ", seed, one.Len(), two.Len())
		}
	}
}
