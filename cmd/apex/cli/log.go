package cli

import (
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"gopkg.in/natefinch/lumberjack.v2"
)

// Bounds of the daemon's diagnostics: at most logFiles files of logMaxMiB, whatever goes wrong and
// however often. A session's own log is elsewhere.
const (
	logMaxMiB = 8
	logFiles  = 3
)

// openLog returns the daemon's logger, which writes to a file that is begun anew when it is full, and
// what closes it. The file is made when the first line is written. moved is called when the file is
// made again because it, or the directory, was deleted or moved away.
func openLog(path string, moved func()) (log *slog.Logger, end func()) {
	file := &logFile{path: path, moved: moved,
		file: &lumberjack.Logger{Filename: path, MaxSize: logMaxMiB, MaxBackups: logFiles - 1}}
	limit := newLimiter(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelInfo}))
	return slog.New(limit), func() {
		limit.flush()
		file.file.Close()
	}
}

// logFile is a file that is written under its name: an open one goes on without a name when the
// state directory is deleted, and nobody reads what is written there.
type logFile struct {
	path  string
	moved func()

	mu   sync.Mutex
	file *lumberjack.Logger
	last os.FileInfo // of the file that the last line went to; nil if none did
}

// Write writes a line.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	moved := false
	if l.last != nil {
		now, err := os.Stat(l.path)
		moved = err != nil || !os.SameFile(l.last, now)
	}
	if moved {
		l.file.Close()
		if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(line)
	l.last, _ = os.Stat(l.path)
	if moved {
		l.moved()
	}
	return n, err
}
