package daemon

import "sync"

// pathLocks keeps two who work on one path apart.
type pathLocks struct {
	mu    sync.Mutex
	paths map[string]*pathLock
}

type pathLock struct {
	sync.Mutex
	users int
}

// lock waits for the path and returns what ends the wait of the next.
func (l *pathLocks) lock(path string) (unlock func()) {
	l.mu.Lock()
	if l.paths == nil {
		l.paths = map[string]*pathLock{}
	}
	p := l.paths[path]
	if p == nil {
		p = &pathLock{}
		l.paths[path] = p
	}
	p.users++
	l.mu.Unlock()
	p.Lock()
	return func() {
		p.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if p.users--; p.users == 0 {
			delete(l.paths, path)
		}
	}
}
