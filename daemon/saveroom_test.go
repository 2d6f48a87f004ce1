package daemon

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"apex/daemon/file"
)

// fullDisk is a file system with room for so many bytes, of which each save takes some while it runs
// and gives back what it can't use.
type fullDisk struct {
	mu   sync.Mutex
	room int
}

func (d *fullDisk) take(n int) (got int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	got = min(n, d.room)
	d.room -= got
	return got
}

// save takes size bytes, for good if there are so many. meanwhile runs while they are taken.
func (d *fullDisk) save(size int, meanwhile func()) (file.Saved, error) {
	got := d.take(size)
	meanwhile()
	if got < size {
		d.take(-got)
		return file.Saved{}, fmt.Errorf("write: %w", syscall.ENOSPC)
	}
	return file.Saved{}, nil
}

// A small file is saved although a large one beside it, for which there is no room, takes what there
// is while it is tried.
func TestSaveBesideOneTooLarge(t *testing.T) {
	var rooms saveRooms
	d := &fullDisk{room: 1000}
	path := filepath.Join(t.TempDir(), "file")
	small := make(chan error)
	tried := make(chan struct{})
	smallTried := sync.OnceFunc(func() { close(tried) })
	begin := sync.OnceFunc(func() {
		go func() {
			_, err := rooms.save(path, func() (file.Saved, error) { return d.save(3, smallTried) })
			small <- err
		}()
		<-tried // and has found the disk full
	})
	_, large := rooms.save(path, func() (file.Saved, error) { return d.save(5000, begin) })
	if err := <-small; err != nil {
		t.Errorf("the small one: %v", err)
	}
	if !errors.Is(large, syscall.ENOSPC) {
		t.Errorf("the large one: %v", large)
	}
}
