package daemon_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// rss returns a process's resident memory in bytes, 0 where that can't be read.
func rss(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// BenchmarkMemory opens 100 MB of text in a daemon of its own and reports its memory as a multiple
// of the text: at its peak, when it has settled, and when it has settled after a restart.
func BenchmarkMemory(b *testing.B) {
	const files, size = 10, 10 << 20
	dir := b.TempDir()
	var open proto.Open
	for i := range files {
		path := filepath.Join(dir, strconv.Itoa(i))
		line := fmt.Sprintf("%d: the quick brown fox jumps over the lazy dog\n", i)
		if err := os.WriteFile(path, bytes.Repeat([]byte(line), size/len(line)), 0o600); err != nil {
			b.Fatal(err)
		}
		open.Files = append(open.Files, proto.File{Path: path})
	}
	for b.Loop() {
		d := daemontest.Start(b, func(d *daemontest.Daemon) { d.Process = true })
		c := d.Dial()
		empty := rss(d.PID)
		daemontest.Must[*proto.Opened](c, &open)
		b.ReportMetric(float64(empty)/(1<<20), "empty-MiB")
		b.ReportMetric(float64(rss(d.PID))/(files*size), "opened/text")
		b.ReportMetric(float64(settled(d))/(files*size), "settled/text")
		began := time.Now()
		d.Kill()
		d.Wait()
		d.Run()
		daemontest.Must[*proto.WindowList](d.Dial(), &proto.Windows{})
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "restart-ms")
		b.ReportMetric(float64(rss(d.PID))/(files*size), "restarted/text")
		b.ReportMetric(float64(settled(d))/(files*size), "resettled/text")
		d.Stop()
	}
}

// settled waits until a daemon has had the time to give memory back, and returns what it keeps.
func settled(d *daemontest.Daemon) int64 {
	time.Sleep(12 * time.Second)
	return rss(d.PID)
}

// BenchmarkRestart makes a million entries of one-rune edits, each a batch of its own, and reports
// how long a daemon that was killed takes to answer again, as a multiple of reading its files.
func BenchmarkRestart(b *testing.B) {
	const entries, flush = 1_000_000, 1000
	for b.Loop() {
		d := daemontest.Start(b, func(d *daemontest.Daemon) { d.Process = true })
		place := daemontest.Must[*proto.Opened](d.Dial(), &proto.Open{HasText: true, Name: "x"}).Places[0]
		ui := d.Attach(core.AttachUI, "", "human:ann")
		ui.Lead(place.Buffer.Shard())
		for n := 0; n < entries; n += flush {
			out := core.Out{}
			var all core.Append
			for i := n; i < n+flush; i++ {
				key := core.Bundle{}
				key.Add(place.Buffer.Shard(), core.Edit(core.Version(i), i, i, "x", 0))
				o, err := ui.R.Commit(key)
				if err != nil {
					b.Fatal(err)
				}
				out = o
				all.Batches = append(all.Batches, out.Send[0].(*core.Append).Batches...)
			}
			ui.Send(&all)
			ui.Until(func() bool { return ui.R.Unsynced() < 5*flush })
		}
		ui.Until(func() bool { return ui.R.Unsynced() == 0 })
		d.Kill()
		d.Wait()
		began := time.Now()
		size := readAll(b, filepath.Join(d.State, "sessions"))
		floor := time.Since(began)
		began = time.Now()
		d.Run()
		daemontest.Must[*proto.WindowList](d.Dial(), &proto.Windows{})
		took := time.Since(began)
		b.ReportMetric(float64(size)/(1<<20), "MiB")
		b.ReportMetric(float64(took.Milliseconds()), "restart-ms")
		b.ReportMetric(float64(took)/float64(floor), "ratio")
		d.Stop()
	}
}

// readAll reads every file below a directory and returns how many bytes there are.
func readAll(b *testing.B, dir string) (bytes int64) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		bytes += int64(len(content))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}
