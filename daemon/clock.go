package daemon

import (
	"time"

	"apex/core"
)

// clock tells a session the time by which its deadlines pass: the wall's, but that it never goes back
// and never stands still. A clock that is set back by an hour must not make somebody who waits half a
// second wait an hour. It belongs to who holds the session's turn.
type clock struct {
	last core.Millis
	at   time.Time // when it was last, by the monotonic clock
}

func (c *clock) now() core.Millis {
	t := time.Now()
	last := c.last
	c.last = advance(last, core.Millis(t.UnixMilli()), t.Sub(c.at))
	if passed := time.Duration(c.last-last) * time.Millisecond; last != 0 && passed < t.Sub(c.at) {
		c.at = c.at.Add(passed) // a part of a millisecond is not forgotten
	} else {
		c.at = t
	}
	return c.last
}

// advance returns what time it is where it was last, passed ago, when the wall shows wall.
func advance(last, wall core.Millis, passed time.Duration) core.Millis {
	if last == 0 {
		return wall
	}
	return max(wall, last+core.Millis(max(passed, 0).Milliseconds()))
}
