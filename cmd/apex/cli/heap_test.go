package cli

import "testing"

// Garbage is bounded by a fixed headroom and a part of the heap, whatever is live.
func TestGCPercent(t *testing.T) {
	for _, tt := range []struct{ live, garbage int }{
		{0, 33 << 20}, {4 << 20, 33 << 20}, {32 << 20, 40 << 20}, {128 << 20, 64 << 20},
		{1 << 30, 288 << 20},
	} {
		got := max(tt.live, minHeapBytes) / 100 * gcPercent(uint64(tt.live))
		if got > tt.garbage || got < tt.garbage*9/10 {
			t.Errorf("%d MiB live: %d bytes of garbage, want about %d", tt.live>>20, got, tt.garbage)
		}
	}
}
