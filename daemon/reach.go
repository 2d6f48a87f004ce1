package daemon

import (
	"context"
	"errors"
	"time"

	"apex/term/holder"
)

const (
	// reachFirst is how long a start waits for a holder: one that runs answers in less than a
	// millisecond, and clients wait for the start.
	reachFirst = time.Second
	// reachEvery is how often a holder that does not answer is tried again.
	reachEvery = time.Second
)

// reach finds the holder of a program that a daemon before started, and has take go on with it: nil
// if it is gone, and nothing of the program runs any more. Nothing but holder.Gone says that. One that
// does not answer, stopped or on a machine that thrashes, lives, and its program with it: it is tried
// again until it answers, and so is one that take can't go on with yet. It returns after the first
// try, and says whether that was all; the others end with the gate.
func (d *Daemon) reach(g *gate, name string, take func(*holder.Holder) error) bool {
	said := ""
	try := func(limit time.Duration) bool {
		ctx, cancel := context.WithTimeout(g.open, limit)
		defer cancel()
		ho, err := d.adoptHolder(ctx, name)
		if err == nil {
			if err = take(ho); err == nil {
				return true
			}
			if ho != nil {
				ho.Detach()
			}
		}
		if why := err.Error(); why != said && g.open.Err() == nil {
			d.log.Warn("a program's holder is tried again", "holder", name, "err", err)
			said = why
		}
		return false
	}
	if try(reachFirst) {
		return true
	}
	g.run(func() {
		again := time.NewTicker(reachEvery)
		defer again.Stop()
		for {
			select {
			case <-g.open.Done():
				return
			case <-again.C:
			}
			if try(programEnd) {
				return
			}
		}
	})
	return false
}

// adoptHolder takes a holder over; nil if it is gone, or if there was none. What one that was killed
// has left is ended before.
func (d *Daemon) adoptHolder(ctx context.Context, name string) (*holder.Holder, error) {
	if name == "" {
		return nil, nil
	}
	ho, err := holder.Adopt(ctx, d.holdersDir(), name)
	if !errors.Is(err, holder.Gone) {
		return ho, err
	}
	left, err := holder.EndLost(ctx, d.holdersDir(), name)
	if len(left) > 0 {
		d.log.Warn("what a holder has left is not ended", "holder", name, "processes", len(left),
			"first", left[0].PID)
	}
	return nil, err
}

// discard ends a program of a daemon before that nobody wants any more, and calls then when nothing
// of it runs, or nothing more can be done, with what is to be said of its end. It returns as reach
// does.
func (d *Daemon) discard(g *gate, name string, then func(reason string)) bool {
	return d.reach(g, name, func(ho *holder.Holder) error {
		if ho == nil {
			then(holderLost)
			return nil
		}
		err := abandon(g.open, ho)
		if unanswered(err) {
			return err
		}
		if err != nil {
			d.log.Warn("a program is not ended", "holder", name, "err", err)
		}
		then(endUnwanted)
		return nil
	})
}

// endUnwanted is said of a program that was ended since no window showed it.
const endUnwanted = "nothing showed it any more"

// abandon ends a program that nobody will see, and lets its holder go. If that does not answer in
// time, or ctx ends, it ends the program all the same and stays.
func abandon(ctx context.Context, ho *holder.Holder) error {
	defer ho.Detach()
	err := end(ctx, ho, "")
	if unanswered(err) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, programStart)
	defer cancel()
	_, released := ho.Release(ctx)
	if unanswered(released) {
		return released
	}
	return err
}

// unanswered reports whether it is not known what came of a request to a holder.
func unanswered(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
