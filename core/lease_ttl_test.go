package core

import (
	"testing"

	"pgregory.net/rapid"
)

func TestCheckTTL(t *testing.T) {
	const year = 365 * 24 * 3600 * 1000
	for _, c := range []struct {
		ttl Millis
		ok  bool
	}{{0, false}, {1, false}, {MinTTL - 1, false}, {MinTTL, true}, {30_000, true}, {MaxTTL, true},
		{MaxTTL + 1, false}, {year, false}, {1 << 63, false}} {
		err := CheckTTL(c.ttl)
		if (err == nil) != c.ok || err != nil && err.Code != CodeBadRequest {
			t.Errorf("%d: %v, want ok %v", c.ttl, err, c.ok)
		}
	}
}

// A renewal falls into every life of a lease, and none comes more often than it is of use.
func TestRenewEvery(t *testing.T) {
	for ttl, want := range map[Millis]Millis{MinTTL: 1_000, 3_000: 1_500, 20_000: 10_000,
		30_000: 10_000, MaxTTL: 10_000} {
		if got := RenewEvery(ttl); got != want {
			t.Errorf("%d: every %d, want %d", ttl, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ttl := Millis(rapid.Uint64Range(uint64(MinTTL), uint64(MaxTTL)).Draw(t, "ttl"))
		if p := RenewEvery(ttl); 2*p > ttl || p < minRenewal || p > maxRenewal {
			t.Fatalf("ttl %d: every %d", ttl, p)
		}
	})
}

func TestLapse(t *testing.T) {
	const ttl = 30_000
	for _, c := range []struct {
		name       string
		now, until Millis
		next       Millis
		over       bool
	}{
		{"long before", 1_000, 31_000, 31_000, false},
		{"just before", 30_999, 31_000, 31_000, false},
		{"when it is up", 31_000, 31_000, 0, true},
		{"a little late, as ticks are", 32_000, 31_000, 0, true},
		{"the daemon was suspended", 32_001, 31_000, 52_001, false},
		{"the clock was set a year ahead", 31_536_000_000, 31_000, 31_536_020_000, false},
		{"the clock was set back", 5, 31_000, 31_000, false},
	} {
		next, over := lapse(c.now, c.until, ttl)
		if next != c.next || over != c.over {
			t.Errorf("%s: next %d over %v, want %d %v", c.name, next, over, c.next, c.over)
		}
	}
	// A short one has no more than its own time again.
	if next, over := lapse(100_000, 1, MinTTL); next != 102_000 || over {
		t.Errorf("next %d over %v", next, over)
	}
}
