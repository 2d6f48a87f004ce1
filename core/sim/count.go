package sim

import (
	"fmt"
	"sort"
	"strings"
)

// Counters say what a run exercised: a sweep in which one stays at zero tests less than it claims.
type Counters struct {
	Steps        int
	Crashes      int
	LossyCrashes int // that lost records which were not durable
	Cuts         int
	Resumes      int
	Resyncs      int
	Snapshots    int
	Takeovers    int
	Refused      int
	Recovered    int // tails handed over as proposals
	DiskFailures int
	Rewrites     int
	Tokens       int
	Proposals    int
	Deaths       int
	Fences       int
	Reclaims     int
	Transfers    int
	Results      tally
}

// tally counts by name.
type tally map[string]int

func (t tally) String() string {
	names := make([]string, 0, len(t))
	for n := range t {
		names = append(names, n)
	}
	sort.Strings(names)
	var s strings.Builder
	for _, n := range names {
		fmt.Fprintf(&s, " %s:%d", n, t[n])
	}
	return strings.TrimSpace(s.String())
}
