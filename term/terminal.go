package term

import (
	"errors"
	"io"
	"sync"
	"time"

	"apex/term/holder"
	"apex/term/record"
	"apex/term/vt"
)

const (
	// frameEvery is the time between frames of a terminal that prints without a pause: 60 a second,
	// what a display can show.
	frameEvery = time.Second / 60
	// syncMax is how long a program may keep an update to itself: one that was killed in the middle
	// must not freeze its terminal. Terminals that have the mode take about as long.
	syncMax = 150 * time.Millisecond
	// saveEvery is how old what is on disk may be of a terminal that changes.
	saveEvery = 5 * time.Second
	// saveBytes is how much output there may be since: half of the ring.
	saveBytes = holder.RingBytes / 2
)

// Size is that of a terminal, in cells and in pixels; pixels are 0 where they are not known.
type Size = holder.Size

// Options of a Terminal.
type Options struct {
	Record  string     // path of the file for the screen and the history
	Screen  vt.Options // of the screen
	Size    Size       // of a new one
	Colours vt.Colours // in which it is seen

	// Frame takes what is to be shown, in order. It must not wait, nor call the Terminal.
	Frame func(*Frame)
	// Event takes what the program did once. It must not wait, nor call the Terminal.
	Event func(vt.Event)
	// Exited is called once, on a goroutine of the Terminal's, when the program has exited, all that
	// it wrote is on the screen, and the record is on disk.
	Exited func(holder.Exit)
	// Failed is told what went wrong with the record. Nothing depends on it.
	Failed func(error)
}

// Terminal is a hosted program and its screen. All methods are safe for concurrent use.
type Terminal struct {
	opts   Options
	holder *holder.Holder // nil for one whose program has ended before this daemon started
	wait   sync.WaitGroup // for its goroutines
	done   chan struct{}  // closed when the program's end is known and shown

	mu      sync.Mutex // the turn
	screen  *vt.Screen
	file    *record.File
	point   vt.Point // at the last frame
	shown   *Frame   // the last frame
	marked  uint64   // marks that it knows of
	fed     uint64   // bytes of output that the screen has
	exit    *holder.Exit
	closed  bool
	touched time.Time // the last output
	framed  time.Time // the last frame
	synced  time.Time // when the update that is going on began; zero without one
	frames  *time.Timer
	saves   *time.Timer
	saving  bool   // saves is running
	failing bool   // the last save failed
	saved   uint64 // bytes of output that the record covers
	keep    uint64 // the record's lines from here on are void
	waiters []*waiter
	entered uint64 // marks that there were when a line was entered last
	lined   bool   // a line was entered since

	running chan struct{} // capacity 1: a command is being run
}

// Start shows a program that was just started. Without a disk that takes its record it goes on in
// memory, and Failed is told.
func Start(h *holder.Holder, o Options) *Terminal {
	file, err := record.Create(o.Record)
	if err != nil {
		o.failed(err)
		file = record.Later(o.Record)
	}
	t := newTerminal(h, o, file)
	t.screen = vt.New(o.Size.Cols, o.Size.Rows, o.Screen)
	t.screen.SetColours(o.Colours)
	t.publish()
	t.goOn()
	return t
}

// Resume goes on with a terminal of a daemon before, whose holder was adopted. Without a holder,
// which is nil, the program has ended as ended says: the terminal shows what was last seen of it. What
// can't be read of the record is missing, and Failed is told.
func Resume(h *holder.Holder, ended holder.Exit, o Options) *Terminal {
	file, state, err := record.Open(o.Record)
	if err != nil {
		if !errors.Is(err, record.ErrNone) {
			o.failed(err)
		}
		file, err = record.Later(o.Record), nil
	}
	t := newTerminal(h, o, file)
	if state.Screen != nil {
		t.screen, err = vt.Restore(state.Screen, state.Line)
		t.keep, t.fed, t.saved = state.End(), state.Covered, state.Covered
	}
	if t.screen == nil {
		if err != nil {
			o.failed(err)
		}
		t.screen, t.keep, t.fed, t.saved = vt.New(o.Size.Cols, o.Size.Rows, o.Screen), 0, 0, 0
	}
	t.screen.SetColours(o.Colours)
	t.screen.Replies()
	t.mu.Lock()
	defer t.mu.Unlock()
	if h != nil {
		t.touched = time.Now() // for all that is known: quiet begins anew
		t.catchUp()
	} else {
		t.exit = &ended
		close(t.done)
	}
	t.publishLocked()
	t.goOn()
	return t
}

func newTerminal(h *holder.Holder, o Options, file *record.File) *Terminal {
	t := &Terminal{opts: o, holder: h, file: file, done: make(chan struct{}),
		running: make(chan struct{}, 1)}
	t.frames = time.AfterFunc(time.Hour, t.publish)
	t.frames.Stop()
	t.saves = time.AfterFunc(time.Hour, t.saveLate)
	t.saves.Stop()
	return t
}

func (o *Options) failed(err error) {
	if o.Failed != nil {
		o.Failed(err)
	}
}

// gapNote says where output is missing: more than the holder keeps was printed while no daemon was
// there.
const gapNote = "\r\n\x1b[0;7m output is missing here \x1b[0m\r\n"

// catchUp takes in what the program printed since the record. The turn is held.
func (t *Terminal) catchUp() {
	b, err := t.holder.Bytes(t.fed)
	var gap *holder.GapError
	if errors.As(err, &gap) {
		t.screen.Answer(false)
		t.screen.Write([]byte("\x18" + gapNote)) // CAN ends what was cut
		t.fed = gap.Oldest
		b, err = t.holder.Bytes(t.fed)
	}
	if err != nil {
		t.opts.failed(err)
		return
	}
	again := min(t.holder.Answered()-min(t.fed, t.holder.Answered()), uint64(len(b)))
	t.screen.Answer(false)
	t.screen.Write(b[:again])
	t.screen.Replies()
	t.screen.Events()
	t.screen.Answer(true)
	t.fed += again
	t.take(b[again:])
}

// goOn starts the goroutines of a terminal whose program may run.
func (t *Terminal) goOn() {
	if t.holder == nil {
		return
	}
	ended := make(chan struct{})
	t.wait.Go(func() {
		defer close(ended)
		t.read()
	})
	t.wait.Go(func() {
		select {
		case <-t.holder.Exited():
			if t.holder.Exit().Lost {
				t.finish() // there is nobody to read from any more
			}
		case <-ended:
		}
	})
}

// read takes in output until there is no more.
func (t *Terminal) read() {
	for {
		out, err := t.holder.Read()
		switch {
		case errors.Is(err, holder.ErrExited):
			t.finish()
		case errors.Is(err, io.EOF):
			t.finish()
			return
		case err != nil:
			return
		default:
			t.mu.Lock()
			if !t.closed { // else the next daemon has them
				t.take(out.Bytes)
			}
			t.mu.Unlock()
		}
	}
}

// take takes in output. The turn is held.
func (t *Terminal) take(b []byte) {
	if len(b) == 0 {
		return
	}
	t.screen.Write(b)
	t.fed += uint64(len(b))
	t.touched = time.Now()
	t.answer()
	t.publishLocked()
	if t.fed-t.saved >= saveBytes {
		t.save()
	} else if t.saved != t.fed {
		t.saveSoon()
	}
}

// answer sends what the program asked for, once: if the daemon dies in between, not at all.
func (t *Terminal) answer() {
	replies := t.screen.Replies()
	t.holder.SetAnswered(t.fed)
	if len(replies) > 0 {
		_, _ = t.holder.Write(replies) // a program that asks and never reads gets no answer
	}
	if t.opts.Event == nil {
		t.screen.Events()
		return
	}
	for _, e := range t.screen.Events() {
		t.opts.Event(e)
	}
}

// publish makes a frame if it is time for one.
func (t *Terminal) publish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.publishLocked()
}

// publishLocked hands over a frame, or sees to it that it is done as soon as it may be.
func (t *Terminal) publishLocked() {
	if t.closed {
		return
	}
	now := time.Now()
	if wait := t.wants(now); wait > 0 {
		t.frames.Reset(wait)
		return
	}
	t.framed = now
	f := t.draw()
	if t.opts.Frame != nil {
		t.opts.Frame(f)
	}
	t.check()
}

// wants returns how long the next frame has to wait.
func (t *Terminal) wants(now time.Time) time.Duration {
	wait := frameEvery - now.Sub(t.framed)
	if _, on := t.screen.SyncStart(); on && t.exit == nil {
		if t.synced.IsZero() {
			t.synced = now
		}
		wait = max(wait, syncMax-now.Sub(t.synced))
	} else {
		t.synced = time.Time{}
	}
	return wait
}

// force makes a frame now: it is an answer to what somebody did.
func (t *Terminal) force() {
	t.framed, t.synced = time.Time{}, time.Now().Add(-syncMax)
	t.publishLocked()
}

// finish takes in that the program has exited and that all it wrote is here. Only the first time
// does anything.
func (t *Terminal) finish() {
	select {
	case <-t.holder.Exited():
	case <-t.holder.Gone():
	}
	select {
	case <-t.holder.Exited(): // a holder that died is gone, too
	default:
		return // detached: the next daemon hears of it
	}
	t.mu.Lock()
	if t.exit != nil || t.closed {
		t.mu.Unlock()
		return
	}
	exit := t.holder.Exit()
	t.exit = &exit
	t.force()
	t.save()
	close(t.done)
	t.mu.Unlock()
	if t.opts.Exited != nil {
		t.opts.Exited(exit)
	}
}

// Close leaves the program to its holder, for the next daemon, and saves what there is to save.
func (t *Terminal) Close() error {
	if t.holder != nil {
		t.holder.Detach()
	}
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil
	}
	t.closed = true
	t.frames.Stop()
	t.saves.Stop()
	t.save()
	err := errors.Join(t.file.Sync(), t.file.Close())
	for _, w := range t.waiters {
		w.done <- outcome{err: ErrClosed}
	}
	t.waiters = nil
	t.mu.Unlock()
	t.wait.Wait()
	return err
}

// ErrClosed says that the daemon has let go of the terminal.
var ErrClosed = errors.New("the terminal was let go")

// Frame returns what the terminal shows.
func (t *Terminal) Frame() *Frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.draw()
}

// Done is closed when the program has ended and the last of it is shown.
func (t *Terminal) Done() <-chan struct{} { return t.done }

// Holder returns the program's holder, nil if there is none.
func (t *Terminal) Holder() *holder.Holder { return t.holder }

// Show calls f with what the terminal shows, with the turn held.
func (t *Terminal) Show(f func(*Frame)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(t.draw())
}

// Republish makes a frame, after a change of what its taker keeps with it, in the turn.
func (t *Terminal) Republish(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	if !t.closed {
		t.force()
	}
}

// Running reports whether the program runs, and its process id.
func (t *Terminal) Running() (pid int, running bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holder == nil || t.exit != nil {
		return 0, false
	}
	return t.holder.Info().PID, true
}
