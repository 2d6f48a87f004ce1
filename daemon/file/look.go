package file

import (
	"os"
	"syscall"
	"time"
)

// Look is what the inode of a file says of it: a hint whether it has changed, for who has read it.
type Look struct {
	st status
	at time.Time
}

// Rest is how long ago a file must have changed for its times to tell the next change: file systems
// round them, some to two seconds.
const Rest = 3 * time.Second

// LookAt looks at the file at path, through links.
func LookAt(path string) (Look, error) {
	at := time.Now()
	info, err := os.Stat(path)
	if err != nil {
		return Look{}, err
	}
	return Look{statusOf(info), at}, nil
}

// Same reports whether b, a later look, hints at no change since: the inode is as it was, and was so
// for long enough before, rest, that a change after it would show.
func (a Look) Same(b Look, rest time.Duration) bool {
	latest := a.st.modified
	if a.st.changed.After(latest) {
		latest = a.st.changed
	}
	return a.st.same(b.st) && a.at.Sub(latest) > rest
}

func statusOf(info os.FileInfo) status {
	raw := info.Sys().(*syscall.Stat_t)
	return status{
		mode: info.Mode(), size: info.Size(), modified: info.ModTime(), changed: changeTime(raw),
		links: uint64(raw.Nlink), uid: int(raw.Uid), gid: int(raw.Gid),
		dev: uint64(raw.Dev), ino: raw.Ino,
	}
}
