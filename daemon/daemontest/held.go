package daemontest

import (
	"sync"

	"apex/daemon/disk"
)

// HeldFS is a file system whose syncs can be held back.
type HeldFS struct {
	disk.FS
	mu   sync.Mutex
	free sync.Cond
	held bool
}

// NewHeldFS wraps a file system.
func NewHeldFS(fsys disk.FS) *HeldFS {
	h := &HeldFS{FS: fsys}
	h.free.L = &h.mu
	return h
}

// Hold keeps every sync from returning until Release.
func (h *HeldFS) Hold() { h.set(true) }

// Release lets syncs go on.
func (h *HeldFS) Release() { h.set(false) }

func (h *HeldFS) set(held bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = held
	h.free.Broadcast()
}

func (h *HeldFS) wait() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.held {
		h.free.Wait()
	}
}

// OpenFile opens a file whose Sync can be held back.
func (h *HeldFS) OpenFile(name string, flag int) (disk.File, error) {
	f, err := h.FS.OpenFile(name, flag)
	if err != nil {
		return nil, err
	}
	return heldFile{f, h}, nil
}

type heldFile struct {
	disk.File
	fs *HeldFS
}

// Sync waits while syncs are held back.
func (f heldFile) Sync() error {
	f.fs.wait()
	return f.File.Sync()
}
