package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"apex/daemon/file"
)

// saveRooms shares the room of file systems among saves. A save needs room for a second copy, and a
// large one that finds none must not take it from the small ones beside it: what found none is tried
// again alone, when the copies of the others are gone.
type saveRooms struct {
	mu    sync.Mutex
	rooms map[uint64]*sync.RWMutex // by device: one that hangs keeps nobody else waiting
}

// save runs a save of the file at path.
func (r *saveRooms) save(path string, save func() (file.Saved, error)) (file.Saved, error) {
	room := r.room(device(path))
	room.RLock()
	saved, err := save()
	room.RUnlock()
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return saved, err
	}
	room.Lock()
	defer room.Unlock()
	return save()
}

func (r *saveRooms) room(device uint64) *sync.RWMutex {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rooms == nil {
		r.rooms = map[uint64]*sync.RWMutex{}
	}
	if r.rooms[device] == nil {
		r.rooms[device] = &sync.RWMutex{}
	}
	return r.rooms[device]
}

// device is where the file at path is written; 0 if that is not known.
func device(path string) uint64 {
	info, err := os.Stat(filepath.Dir(final(path)))
	if err != nil {
		return 0
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Dev)
}
