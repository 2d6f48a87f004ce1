package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"apex/core"
)

// RetryAfter says in how long a daemon that was busy may be asked again; not ok of any other error.
func RetryAfter(err error) (time.Duration, bool) {
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.CodeBusy || e.RetryAfter == 0 {
		return 0, false
	}
	return time.Duration(e.RetryAfter) * time.Millisecond, true
}

// patiently asks until the daemon is not busy any more, as long as ctx lets it and until late, zero for
// no such time. What was answered busy was not done. Many who wait come back one after the other.
func patiently[T any](ctx context.Context, late time.Time, do func() (T, error)) (T, error) {
	for {
		v, err := do()
		wait, busy := RetryAfter(err)
		if !busy {
			return v, err
		}
		wait += rand.N(wait)
		if !late.IsZero() && time.Until(late) < wait {
			return v, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return v, err
		}
	}
}
