package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"apex/daemon/disk"
	"apex/proto/fd"
)

// Peer is what the child process of a floor does: it answers on its standard input, a socket.
// mode echo sends 16 bytes back as they come; mode pour sends the bytes that the environment names.
func Peer(mode string) error {
	fd := 0
	buf := make([]byte, 1<<20)
	switch mode {
	case "echo":
		for {
			n, err := syscall.Read(fd, buf[:16])
			if n <= 0 || err != nil {
				return err
			}
			if _, err := syscall.Write(fd, buf[:n]); err != nil {
				return err
			}
		}
	case "pour":
		for {
			n, err := syscall.Read(fd, buf[:16])
			if n <= 0 || err != nil {
				return err
			}
			var size int
			fmt.Sscan(string(buf[:n]), &size)
			for size > 0 {
				k, err := syscall.Write(fd, buf[:min(size, len(buf))])
				if err != nil {
					return err
				}
				size -= k
			}
		}
	}
	return fmt.Errorf("no such peer %q", mode)
}

// peer starts a child process in a mode and returns the socket to it, a blocking descriptor.
func (r *rig) peer(mode string) (ours int, err error) {
	ours, end, err := fd.SocketPair()
	if err != nil {
		return 0, err
	}
	theirs := os.NewFile(uintptr(end), "peer")
	defer theirs.Close()
	c := exec.Command(r.exe, "bench", "--peer", mode)
	c.Stdin, c.Stderr = theirs, os.Stderr
	if err := c.Start(); err != nil {
		return 0, err
	}
	r.kids = append(r.kids, c)
	r.fds = append(r.fds, ours)
	return ours, nil
}

// roundTrip returns the floor of everything that asks and is answered: 16 bytes to another process
// and back by raw system calls.
func (r *rig) roundTrip() (func() error, error) {
	fd, err := r.peer("echo")
	if err != nil {
		return nil, err
	}
	buf := make([]byte, 16)
	return func() error {
		if _, err := syscall.Write(fd, buf); err != nil {
			return err
		}
		for n := 0; n < len(buf); {
			k, err := syscall.Read(fd, buf[n:])
			if k <= 0 || err != nil {
				return fmt.Errorf("echo: %d bytes, %v", k, err)
			}
			n += k
		}
		return nil
	}, nil
}

// rounds is how many times a figure in microseconds is taken.
const rounds = 2000

// against measures value against floor, p50 of n each in microseconds. They take turns, a stretch
// each, so that both see the machine in the same moods: how long it takes to wake a process may
// differ tenfold from one second to the next.
func against(n int, floor, value func() error) (measured, error) {
	const stretch = 50
	var floors, values []time.Duration
	for len(values) < n {
		for _, side := range []struct {
			f  func() error
			to *[]time.Duration
		}{{floor, &floors}, {value, &values}} {
			times, err := sample(stretch, side.f)
			if err != nil {
				return measured{}, err
			}
			*side.to = append(*side.to, times...)
		}
	}
	return measured{median(values), median(floors), "us"}, nil
}

// sample returns how long each of n calls of f took, after some that do not count.
func sample(n int, f func() error) ([]time.Duration, error) {
	warm := max(n/10, 1)
	times := make([]time.Duration, 0, n)
	for i := range n + warm {
		start := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		if i >= warm {
			times = append(times, time.Since(start))
		}
	}
	return times, nil
}

// median returns the median in microseconds.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds()) / 1000
}

// p50 returns the median duration of f in microseconds.
func p50(n int, f func() error) (float64, error) {
	times, err := sample(n, f)
	if err != nil {
		return 0, err
	}
	return median(times), nil
}

// syncFloor returns an append + fdatasync of a small record on the disk of the state directory. The
// file is zero-filled ahead, as a journal that knows its disk does it.
func (r *rig) syncFloor() (func() error, error) {
	f, err := disk.OS.OpenFile(filepath.Join(r.dir, "floor"), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	r.files = append(r.files, f)
	if _, err := f.WriteAt(make([]byte, 1<<20), 0); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	record := make([]byte, 128)
	off := int64(0)
	return func() error {
		if _, err := f.WriteAt(record, off); err != nil {
			return err
		}
		off += int64(len(record))
		return f.Sync()
	}, nil
}

// pour is the time that n bytes take from another process through a socket, in milliseconds.
func (r *rig) pour(n int) (float64, error) {
	fd, err := r.peer("pour")
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 1<<20)
	us, err := p50(20, func() error {
		if _, err := syscall.Write(fd, fmt.Appendf(nil, "%-16d", n)); err != nil {
			return err
		}
		for left := n; left > 0; {
			k, err := syscall.Read(fd, buf)
			if k <= 0 || err != nil {
				return fmt.Errorf("pour: %d bytes, %v", k, err)
			}
			left -= k
		}
		return nil
	})
	return us / 1000, err
}

// durableFloor returns what a durable answer can't do without: a sync and a round trip.
func (r *rig) durableFloor() (func() error, error) {
	trip, err := r.roundTrip()
	if err != nil {
		return nil, err
	}
	sync, err := r.syncFloor()
	if err != nil {
		return nil, err
	}
	return func() error { return errors.Join(sync(), trip()) }, nil
}
