package journal

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"apex/daemon/disk"
)

// TestMain makes the test binary the process that TestKill9 kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv("APEX_JOURNAL_TEST_DIR"); dir != "" {
		if err := writeUntilKilled(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeUntilKilled appends records that say their own number and prints what is durable. It begins
// a new generation now and then.
func writeUntilKilled(dir string) error {
	j, err := Open(disk.OS, dir, Options{Durable: func(upTo uint64) { fmt.Println(upTo) }})
	if err != nil {
		return err
	}
	report, err := j.Recover(discard{})
	if err != nil {
		return err
	}
	go func() {
		for {
			upTo := j.Stats().Last
			if err := j.Rotate([]Part{text("upTo", fmt.Sprint(upTo))}, upTo); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}()
	for n := report.Last + 1; ; n++ {
		if _, err := j.Append(fmt.Appendf(nil, "%0*d", 1+n%3000, n)); err != nil {
			return err
		}
		if n%3 == 0 {
			if err := j.Flush(); err != nil {
				return err
			}
		}
	}
}

// numbers is a receiver that checks what writeUntilKilled wrote.
type numbers struct {
	t    *testing.T
	last uint64
}

func (r *numbers) Part(_ string, data []byte) {
	r.last, _ = strconv.ParseUint(string(data), 10, 64)
}

func (r *numbers) Record(n uint64, _ time.Time, payload []byte) {
	got, err := strconv.ParseUint(string(payload), 10, 64)
	if err != nil || got != n || n != r.last+1 {
		r.t.Errorf("got record %d with %d, %v after %d", n, got, err, r.last)
	}
	r.last = n
}

func (r *numbers) Damage(d Damage) { r.t.Errorf("got damage %v", d) }
func (r *numbers) Reset()          { r.last = 0 }

// A process that is killed at any moment, rotations included, loses nothing that was durable.
func TestKill9(t *testing.T) {
	dir := t.TempDir()
	last := uint64(0)
	for round := range 15 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "APEX_JOURNAL_TEST_DIR="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for seen := 0; lines.Scan(); seen++ {
			if last, err = strconv.ParseUint(lines.Text(), 10, 64); err != nil {
				t.Fatal(err)
			}
			if seen == 5*round {
				_ = cmd.Process.Kill() // what it printed before it died is read on
			}
		}
		_ = cmd.Wait()
		j, err := Open(disk.OS, dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := &numbers{t: t}
		report, err := j.Recover(r)
		if err != nil || report.NotDurable != nil || r.last < last || report.Last != r.last {
			t.Fatalf("round %d: got records up to %d, want %d: %+v, %v",
				round, r.last, last, report, err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if last == 0 {
		t.Fatal("nothing was written")
	}
}
