package cli

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// logAt logs a message at a time.
func logAt(h slog.Handler, at time.Time, message string, attrs ...slog.Attr) {
	r := slog.NewRecord(at, slog.LevelWarn, message, 0)
	r.AddAttrs(attrs...)
	h.Handle(context.Background(), r)
}

func TestLimiter(t *testing.T) {
	var out bytes.Buffer
	l := newLimiter(slog.NewTextHandler(&out, nil))
	start := time.Unix(1_700_000_000, 0)
	loud := l.WithAttrs([]slog.Attr{slog.Int("conn", 1)})
	for i := range 1000 {
		logAt(loud, start.Add(time.Duration(i)*time.Millisecond), "loud", slog.Int("i", i))
		if i < 3 {
			logAt(l, start, "quiet")
		}
	}
	count := func(s string) int { return strings.Count(out.String(), s) }
	if got := count("msg=loud"); got != limitBurst {
		t.Errorf("%d lines of one message in a window, want %d", got, limitBurst)
	}
	if got := count("msg=quiet"); got != 3 {
		t.Errorf("%d lines of another message, want 3", got)
	}
	// The next window says what the last one withheld, and begins anew.
	logAt(loud, start.Add(limitWindow), "loud")
	want := fmt.Sprintf("msg=repeated message=loud times=%d", 1000-limitBurst)
	if count(want) != 1 {
		t.Errorf("no %q in\n%s", want, out.String())
	}
	if got := count("msg=loud"); got != limitBurst+1 {
		t.Errorf("%d lines after the window, want %d", got, limitBurst+1)
	}
	for range 50 {
		logAt(l, start.Add(limitWindow), "loud")
	}
	l.flush()
	l.flush()
	if want := fmt.Sprintf("times=%d\n", 50-(limitBurst-1)); count(want) != 1 {
		t.Errorf("not once %q in\n%s", want, out.String())
	}
}

// Messages that are made up at run time share one place: the table does not grow.
func TestLimiterIsBounded(t *testing.T) {
	var out bytes.Buffer
	l := newLimiter(slog.NewTextHandler(&out, nil))
	for i := range 10 * limitTable {
		logAt(l, time.Unix(1_700_000_000, 0), fmt.Sprint("message ", i))
	}
	if n := len(l.of); n > limitTable+1 {
		t.Errorf("%d messages are told apart, want at most %d", n, limitTable+1)
	}
	if got := strings.Count(out.String(), "\n"); got > limitTable+limitBurst {
		t.Errorf("%d lines, want at most %d", got, limitTable+limitBurst)
	}
}

// However much is logged, the files stay within their bound.
func TestLogIsCapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "apex.log")
	log, end := openLog(path, func() {})
	long := strings.Repeat("x", 64<<10)
	for i := range (logFiles + 2) * logMaxMiB << 4 {
		log.Info(fmt.Sprint("message ", i%limitTable), "long", long)
	}
	end()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil {
		t.Fatal(err)
	}
	var total int64
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %v", name, mode)
		}
		total += info.Size()
	}
	// The one that goes is removed in the background.
	if most := int64(logFiles+1) * logMaxMiB << 20; total > most || len(names) < 2 {
		t.Errorf("%d bytes in %d files, want at most %d", total, len(names), most)
	}
}
