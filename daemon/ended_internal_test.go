package daemon

import (
	"slices"
	"testing"
	"time"
)

// Of ended sessions the old ones go, and the oldest until the rest fits the budget.
func TestSurplus(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	days := func(n int, size int64) ended {
		at := now.Add(time.Duration(-n) * 24 * time.Hour)
		return ended{name: endedName("s", at, "0123"), at: at, size: size}
	}
	cut := days(1, 5)
	cut.name += removedSuffix
	for _, c := range []struct {
		name string
		all  []ended
		gone []int
	}{
		{"nothing", nil, nil},
		{"young and small", []ended{days(3, 10), days(2, 10)}, nil},
		{"too old", []ended{days(100, 10), days(89, 10)}, []int{0}},
		{"too many bytes",
			[]ended{days(3, endedMaxBytes/2), days(2, endedMaxBytes/2), days(1, 1)}, []int{0}},
		{"just in the budget", []ended{days(2, endedMaxBytes-1), days(1, 1)}, nil},
		{"the newest stays", []ended{days(2, 10), days(1, 2*endedMaxBytes)}, []int{0}},
		{"the newest, too old", []ended{days(91, 2*endedMaxBytes)}, []int{0}},
		{"a removal that was cut off", []ended{days(2, 5), cut}, []int{1}},
	} {
		var want []string
		for _, i := range c.gone {
			want = append(want, c.all[i].name)
		}
		var got []string
		for _, e := range surplus(c.all, now) {
			got = append(got, e.name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v go, want %v", c.name, got, want)
		}
	}
}

func TestEndedName(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 1, 2, 3_000_000, time.UTC)
	name := endedName("a.b-c", at, "00ff")
	e, ok := parseEnded(name)
	if !ok || e.label != "a.b-c" || !e.at.Equal(at) {
		t.Errorf("%s is read as %+v, %v", name, e, ok)
	}
	for _, other := range []string{"", "00ff", "a,b", "a,yesterday,00ff", "a,b,c,d"} {
		if e, ok := parseEnded(other); ok {
			t.Errorf("%q is read as %+v", other, e)
		}
	}
}
