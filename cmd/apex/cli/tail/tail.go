package tail

import (
	"context"
	"errors"
	"time"

	"apex/client"
	"apex/core"
)

// Options say what to follow.
type Options struct {
	Daemon  client.Daemon
	Session string // label
	Actor   string // who follows, for others to see
	// Shards are those to follow; empty: all there are and all that come. Those of terminals have no
	// log on disk: they are not among them.
	Shards []core.Shard
	From   core.Seq // the first entry of each; 0: what comes from now on
}

// Sink takes in what is followed. Its errors end the tail.
type Sink interface {
	// Batch takes the entries of a batch from a number on.
	Batch(b *core.Sealed, from core.Seq) error
	// Gap says that entries from first to last are no longer kept.
	Gap(s core.Shard, first, last core.Seq) error
	// Flush is called when nothing more is at hand.
	Flush() error
	// Notice is a word for the person.
	Notice(text string)
}

const (
	// patience is how long a daemon that went away may take to come back.
	patience = 30 * time.Second
	// redialEvery is how often it is looked for.
	redialEvery = 50 * time.Millisecond
)

// Tail follows a session.
type Tail struct {
	opts  Options
	sink  Sink
	id    core.SessionID // once attached
	begun bool           // shards that are new from now on are wanted from their first entry
	// next has the number wanted next of each shard that is followed. The metalog always is: it
	// tells of new shards.
	next map[core.Shard]core.Seq
}

// Run follows until ctx ends, which is no error, or until it can't go on: the session ended, the
// daemon stayed away, the sink refused.
func Run(ctx context.Context, opts Options, sink Sink) error {
	t := &Tail{opts: opts, sink: sink, next: map[core.Shard]core.Seq{}}
	for {
		err := t.link(ctx)
		switch {
		case ctx.Err() != nil:
			return sink.Flush()
		case !lost(err):
			return errors.Join(err, sink.Flush())
		case t.begun:
			sink.Notice("the daemon went away, waiting for it: " + err.Error())
		}
		select {
		case <-ctx.Done():
		case <-time.After(redialEvery): // it may still be stopping
		}
	}
}

// lostError is the end of a link, after which another is made.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

func lost(err error) bool {
	var l *lostError
	return errors.As(err, &l)
}

// link follows over one connection, until it ends.
func (t *Tail) link(ctx context.Context) error {
	l, err := t.dial(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	stop := context.AfterFunc(ctx, l.bye)
	defer stop()
	heads, err := t.attach(l)
	if err != nil {
		return err
	}
	return t.follow(l, heads)
}

// dial connects to the daemon. One that was there already is waited for, and not started: whoever
// stopped it meant to.
func (t *Tail) dial(ctx context.Context) (*link, error) {
	if !t.begun {
		return dial(ctx, t.opts.Daemon)
	}
	d := t.opts.Daemon
	d.NoStart = true
	late := time.After(patience)
	for {
		l, err := dial(ctx, d)
		if err == nil {
			return l, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late:
			return nil, err
		case <-time.After(redialEvery):
		}
	}
}

// wants reports whether a shard is followed: without a choice every one that has a log on disk.
func (t *Tail) wants(s core.Shard) bool {
	for _, w := range t.opts.Shards {
		if w == s {
			return true
		}
	}
	return len(t.opts.Shards) == 0 && s.Kind.Journaled()
}
