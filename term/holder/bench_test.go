package holder_test

import (
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"apex/term/holder"

	"golang.org/x/sys/unix"
)

// From the start of a holder to the first output of its program.
func BenchmarkStart(b *testing.B) {
	var resident, private int
	s := spec(b, holder.Pty, script("printf x; read x")...)
	for b.Loop() {
		h, err := holder.Start(bounded(b), "", s)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := h.Read(); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		resident, private = memory(b, h.Info().Holder)
		end(b, h)
		b.StartTimer()
	}
	b.ReportMetric(float64(resident), "rss-KiB")
	b.ReportMetric(float64(private), "own-KiB")
}

// memory is what a process has in memory, and what of it no other process shares, in KiB.
func memory(b *testing.B, pid int) (resident, private int) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		b.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch f[0] {
		case "Rss:":
			resident = number(b, f[1])
		case "Private_Dirty:", "Private_Clean:":
			private += number(b, f[1])
		}
	}
	return resident, private
}

func seconds(u unix.Rusage) float64 { return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9 }

// A flood through a terminal into the shared memory, in bytes for a second of this process's CPU
// and in bytes for a second.
func BenchmarkRead(b *testing.B) {
	for name, kind := range map[string]holder.Kind{"pty": holder.Pty, "pipe": holder.Pipe} {
		b.Run(name, func(b *testing.B) {
			h := start(b, spec(b, kind, "yes", strings.Repeat("y", 78)))
			var before, after unix.Rusage
			unix.Getrusage(unix.RUSAGE_SELF, &before)
			bytes, reads := 0, 0
			for b.Loop() {
				o, err := h.Read()
				if err != nil && err != io.EOF {
					b.Fatal(err)
				}
				bytes += len(o.Bytes)
				reads++
			}
			unix.Getrusage(unix.RUSAGE_SELF, &after)
			cpu := seconds(after) - seconds(before)
			b.ReportMetric(float64(bytes)/1e6/cpu, "MB/CPU-s")
			b.ReportMetric(float64(bytes)/1e6/b.Elapsed().Seconds(), "MB/s")
			b.ReportMetric(float64(bytes)/float64(reads), "B/read")
		})
	}
}
