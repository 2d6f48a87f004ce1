package cli

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Bounds of what one message may write: an error in a loop costs a few lines a minute.
const (
	limitWindow = time.Minute
	limitBurst  = 20  // lines of one message in a window
	limitTable  = 256 // messages that are told apart; further ones share one place
)

// limiter is a slog.Handler that lets a message through limitBurst times in a window, and says
// afterwards how many more there were. Messages are constants, their attributes are what varies.
type limiter struct {
	next slog.Handler
	*counts
}

type counts struct {
	mu sync.Mutex
	of map[limitKey]*count
	// out writes the summaries: without the attributes and groups of whoever logged.
	out slog.Handler
}

type limitKey struct {
	level   slog.Level
	message string
}

type count struct {
	since     time.Time
	passed    int
	withheld  int
	withheldT time.Time // of the last one
}

func newLimiter(next slog.Handler) *limiter {
	return &limiter{next: next, counts: &counts{of: map[limitKey]*count{}, out: next}}
}

func (l *limiter) Enabled(ctx context.Context, level slog.Level) bool {
	return l.next.Enabled(ctx, level)
}

func (l *limiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &limiter{l.next.WithAttrs(attrs), l.counts}
}

func (l *limiter) WithGroup(name string) slog.Handler {
	return &limiter{l.next.WithGroup(name), l.counts}
}

// Handle writes the record unless its message had its share of the window.
func (l *limiter) Handle(ctx context.Context, r slog.Record) error {
	if !l.admit(limitKey{r.Level, r.Message}, r.Time) {
		return nil
	}
	return l.next.Handle(ctx, r)
}

// admit counts one message, and says what was withheld in a window that is over.
func (c *counts) admit(k limitKey, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.of[k]
	if n == nil && len(c.of) >= limitTable {
		k = limitKey{k.level, "other messages"}
		n = c.of[k]
	}
	if n == nil {
		n = &count{since: now}
		c.of[k] = n
	}
	if now.Sub(n.since) >= limitWindow {
		c.say(k, n)
		*n = count{since: now}
	}
	if n.passed < limitBurst {
		n.passed++
		return true
	}
	n.withheld++
	n.withheldT = now
	return false
}

// say writes how many lines were withheld, if any were; mu is held.
func (c *counts) say(k limitKey, n *count) {
	if n.withheld == 0 {
		return
	}
	r := slog.NewRecord(n.withheldT, k.level, "repeated", 0)
	r.AddAttrs(slog.String("message", k.message), slog.Int("times", n.withheld))
	c.out.Handle(context.Background(), r)
}

// flush says what is withheld at the moment.
func (c *counts) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, n := range c.of {
		c.say(k, n)
		n.withheld = 0
	}
}
