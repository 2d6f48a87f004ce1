// Command sim runs seeds of the simulator of package core/sim. It prints the seed and the options
// first, and exits 1 with the trace of the first seed that breaks a promise.
package main

import (
	"flag"
	"fmt"
	"os"

	"apex/core/sim"
)

func main() {
	seed := flag.Uint64("seed", 1, "the first seed")
	seeds := flag.Uint64("seeds", 1, "how many seeds to run, one after the other")
	ticks := flag.Int("ticks", sim.DefaultSteps, "steps of each seed")
	lite := flag.Bool("lite", false, "no fault but lost connections")
	trace := flag.Bool("trace", false, "print every message, also of seeds that pass")
	flag.Parse()
	fmt.Printf("sim -seed %d -seeds %d -ticks %d -lite=%v\n", *seed, *seeds, *ticks, *lite)
	o := sim.Options{Steps: *ticks, Lite: *lite}
	if *trace {
		o.Trace = os.Stdout
	}
	var total sim.Counters
	for s := *seed; s-*seed < *seeds; s++ {
		count, err := sim.Run(s, o)
		if err != nil {
			fail(s, o, err)
		}
		total.Add(count)
	}
	fmt.Printf("%d seeds without a finding: %v\n", *seeds, total)
}

// fail runs a seed again with a trace, which a seed repeats exactly, and exits.
func fail(seed uint64, o sim.Options, err error) {
	if o.Trace == nil {
		o.Trace = os.Stdout
		_, again := sim.Run(seed, o)
		if again == nil || again.Error() != err.Error() {
			fmt.Printf("seed %d does not repeat: first %v, then %v\n", seed, err, again)
		}
	}
	fmt.Printf("seed %d: %v\n", seed, err)
	fmt.Printf("run it again: sim -seed %d -ticks %d -lite=%v\n", seed, o.Steps, o.Lite)
	os.Exit(1)
}
