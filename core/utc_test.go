package core

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestUTC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 253_402_300_799_999).Draw(t, "ms") // to the end of 9999
		want := time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC")
		if got := Millis(ms).UTC(); got != want {
			t.Fatalf("%d: got %s, want %s", ms, got, want)
		}
	})
}
