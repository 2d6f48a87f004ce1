package cli

import (
	"log/slog"

	"gopkg.in/natefinch/lumberjack.v2"
)

// Bounds of the daemon's diagnostics: at most logFiles files of logMaxMiB, whatever goes wrong and
// however often. A session's own log is elsewhere.
const (
	logMaxMiB = 8
	logFiles  = 3
)

// openLog returns the daemon's logger, which writes to a file that is begun anew when it is full,
// and what closes it. The file is made when the first line is written.
func openLog(path string) (log *slog.Logger, end func()) {
	file := &lumberjack.Logger{Filename: path, MaxSize: logMaxMiB, MaxBackups: logFiles - 1}
	limit := newLimiter(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelInfo}))
	return slog.New(limit), func() {
		limit.flush()
		file.Close()
	}
}
