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
	Unkept       int // welcomes of a daemon whose disk refused
	Tokens       int
	Bundles      int // over two buffers
	Proposals    int
	Deaths       int
	Fences       int
	Reclaims     int
	Transfers    int
	Tenures      int // leases that tools asked for
	Lapses       int // leases that tools did not renew
	Terms        int // states of terminals that were published
	Adopted      int // terminals that a daemon which came back found again
	Merges       int // what waited of a terminal became one snapshot
	Hashed       int // states whose hash was worked out for replicas to compare
	Diverged     int // replicas that said that they differ: none in an honest world
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

// Add adds another run's counters.
func (c *Counters) Add(d Counters) {
	to, from := c.fields(), d.fields()
	for i := range to {
		*to[i].n += *from[i].n
	}
	if c.Results == nil {
		c.Results = tally{}
	}
	for k, v := range d.Results {
		c.Results[k] += v
	}
}

type counter struct {
	name string
	n    *int
}

// fields names the counters.
func (c *Counters) fields() []counter {
	return []counter{
		{"steps", &c.Steps}, {"crashes", &c.Crashes}, {"lossy_crashes", &c.LossyCrashes},
		{"cuts", &c.Cuts}, {"resumes", &c.Resumes}, {"resyncs", &c.Resyncs}, {"snapshots", &c.Snapshots},
		{"takeovers", &c.Takeovers}, {"refused", &c.Refused}, {"recoveries", &c.Recovered},
		{"disk_failures", &c.DiskFailures}, {"rewrites", &c.Rewrites}, {"unkept", &c.Unkept},
		{"tokens", &c.Tokens}, {"bundles", &c.Bundles},
		{"proposals", &c.Proposals}, {"deaths", &c.Deaths}, {"fences", &c.Fences},
		{"reclaims", &c.Reclaims}, {"transfers", &c.Transfers},
		{"tenures", &c.Tenures}, {"lapses", &c.Lapses},
		{"terms", &c.Terms}, {"adopted", &c.Adopted}, {"merges", &c.Merges}, {"hashed", &c.Hashed},
	}
}

// String prints the counters on one line.
func (c Counters) String() string {
	var s strings.Builder
	for _, f := range c.fields() {
		fmt.Fprintf(&s, "%s %d, ", f.name, *f.n)
	}
	return s.String() + "results " + c.Results.String()
}
