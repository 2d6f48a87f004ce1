// Package sim runs whole sessions in one goroutine: an Authority, the disk under it, clients with
// their Replicas, and the connections between them, all from one seed.
//
//	World   the system; nothing in it moves unless a method is called
//	Run     a world driven by one PRNG: a workload, faults, then peace
//
// While faults go on, safety is checked at every border: what is told against what is on disk,
// what is stored against what was stored before. Then everything heals, and convergence is
// demanded: equal bytes everywhere, nothing acknowledged missing, nothing made twice, nothing
// typed lost. A seed always does the same; a failing one is run again with a trace.
package sim
