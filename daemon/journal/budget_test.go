package journal

import (
	"strings"
	"testing"

	"apex/daemon/disk/disktest"
)

// Over long editing a journal's files stay within what its state and its history may take: the
// snapshot and a quarter of it (or minOutgrown) in records, what is written ahead, and the budget of
// old generations. While a generation is begun there is a snapshot more.
func TestFilesStayWithinAMultipleOfTheState(t *testing.T) {
	const (
		state  = 8 << 20
		budget = 12 << 20
		record = 40_000
	)
	d := disktest.New(1)
	j := open(t, d.Mount(), dir, Options{HistoryBytes: budget})
	rotate := func() {
		if err := j.Rotate([]Part{text("s", strings.Repeat("s", state))}, j.Stats().Last); err != nil {
			t.Fatal(err)
		}
	}
	rotate()
	most, rotations := int64(0), 0
	payload := strings.Repeat(".", record)
	for range 1000 { // 40 MB of records
		j.add(t, payload)
		if j.NeedsRotate(j.Stats().Snapshot) {
			rotate()
			rotations++
		}
		files, err := list(d.Mount(), dir)
		if err != nil {
			t.Fatal(err)
		}
		total := int64(0)
		for _, f := range files {
			total += f.size
		}
		most = max(most, total)
	}
	headers := int64(state/chunkSize+4) * headerSize
	bound := state + headers + state/outgrownPart + 2*record + fillAhead + budget
	if rotations < 10 || most > bound {
		t.Errorf("%d generations, at most %d bytes, want at most %d", rotations, most, bound)
	}
	j.close(t)
}
