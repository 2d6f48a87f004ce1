package holder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"apex/proto/fd"

	"golang.org/x/sys/unix"
)

// Holder is the daemon's side of one holder. One goroutine reads (Read); the other methods are safe
// for concurrent use.
type Holder struct {
	dir   string
	info  Info
	child process // as it was when it was taken; without a pid if it had exited
	ours  bool    // the holder is this process's child, to be waited for when it ends
	link  *link

	master *fd.File
	output output
	input  input

	mu      sync.Mutex // of what follows, and of sends on the link
	waiting map[uint64]chan message
	lastID  uint64
	exit    Exit

	detached atomic.Bool
	detach   sync.Once
	leaving  bool          // the connection's goroutine's: the holder said that it leaves
	exited   chan struct{} // closed when exit is known
	gone     chan struct{} // closed when the connection has ended and its goroutine with it
}

// Info is what does not change about a holder.
type Info struct {
	Name    string
	PID     int // of the program
	Holder  int // of the holder's process
	Kind    Kind
	Started time.Time
	// Released says that a former daemon had recorded the exit and that the holder is there for
	// what the program left.
	Released bool
}

// take waits for a holder's answer to start or adopt and makes this process the reader. On an error
// the link stays the caller's.
func take(ctx context.Context, l *link, dir, name string) (*Holder, error) {
	stop := context.AfterFunc(ctx, func() { l.file.SetReadDeadline(time.Unix(1, 0)) })
	var m message
	err := l.receive(&m)
	switch {
	case !stop():
		return nil, &Error{Name: name, Code: NoAnswer, Text: ctx.Err().Error()}
	case errors.Is(err, errCut):
		return nil, &Error{Name: name, Code: Descriptors, Text: "for the program's terminal"}
	case errors.Is(err, io.EOF):
		return nil, &Error{Name: name, Code: Gone, Text: "its process has ended"}
	case err != nil:
		return nil, failed(name, Internal, "answer", err)
	case m.Code != 0:
		return nil, &Error{Name: name, Code: m.Code, Text: string(m.Text)}
	case m.Taken == nil || m.Taken.Protocol < protocolMin:
		return nil, &Error{Name: name, Code: Unsupported}
	case len(l.fds) != 2:
		return nil, &Error{Name: name, Code: Internal,
			Text: fmt.Sprintf("%d descriptors came, want 2", len(l.fds))}
	}
	return newHolder(l, dir, name, m.Taken)
}

func newHolder(l *link, dir, name string, t *taken) (*Holder, error) {
	r, err := mapRing(l.fds[1], false)
	if err != nil {
		return nil, failed(name, Unsupported, "memory", err)
	}
	master, err := fd.New(l.fds[0])
	if err != nil {
		return nil, errors.Join(failed(name, Internal, "terminal", err), r.unmap())
	}
	unix.Close(l.fds[1])
	h := &Holder{
		dir: dir, info: Info{Name: name, PID: t.Child, Holder: t.Holder, Kind: t.Kind,
			Started: time.Unix(0, t.Started), Released: t.Released},
		link: l, master: master,
		waiting: map[uint64]chan message{},
		exited:  make(chan struct{}), gone: make(chan struct{}),
	}
	l.fds = nil
	h.output.ring = r
	h.output.fill = h.fill
	if t.Exit != nil {
		h.setExit(t.Exit.exit())
	} else if p, ok := lookUp(t.Child); ok {
		h.child = p
	}
	if p, ok := lookUp(t.Holder); ok {
		h.ours = p.parent == os.Getpid()
	}
	go h.listen()
	return h, nil
}

// Info is what does not change.
func (h *Holder) Info() Info { return h.info }

// Exited is closed when the program has exited, even if processes that it left hold its terminal
// open, or when the holder died.
func (h *Holder) Exited() <-chan struct{} { return h.exited }

// Exit is how the program ended, once Exited is closed; before that it is the zero Exit.
func (h *Holder) Exit() Exit {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.exit
}

// Gone is closed when this side has no connection any more: after Detach, after the holder left, or
// after it died.
func (h *Holder) Gone() <-chan struct{} { return h.gone }

func (h *Holder) setExit(e Exit) {
	h.mu.Lock()
	select {
	case <-h.exited:
		h.mu.Unlock()
		return
	default:
	}
	h.exit = e
	close(h.exited)
	h.mu.Unlock()
	// A reader that waits looks again.
	h.master.SetReadDeadline(time.Unix(1, 0))
}

// listen hands messages to who waits for them until the connection ends.
func (h *Holder) listen() {
	defer close(h.gone)
	for {
		var m message
		if err := h.link.receive(&m); err != nil {
			break
		}
		h.hand(m)
	}
	h.mu.Lock()
	for id, answer := range h.waiting {
		close(answer)
		delete(h.waiting, id)
	}
	h.waiting = nil
	h.mu.Unlock()
	if h.detached.Load() {
		return
	}
	if !h.leaving {
		h.setExit(Exit{Lost: true, At: time.Now()})
	}
	if h.ours {
		unix.Wait4(h.info.Holder, nil, 0, nil) // it is ending
	}
}

func (h *Holder) hand(m message) {
	switch {
	case m.ID != 0:
		h.mu.Lock()
		answer := h.waiting[m.ID]
		delete(h.waiting, m.ID)
		h.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	case m.Exit != nil:
		h.setExit(m.Exit.exit())
	case m.Leaving:
		h.leaving = true
	}
}

// ask sends a request and waits for its answer. The error has the code Gone if there is no holder
// any more; if ctx ends, what was asked for goes on.
func (h *Holder) ask(ctx context.Context, r *request) (message, error) {
	answer := make(chan message, 1)
	h.mu.Lock()
	if h.waiting == nil || h.detached.Load() {
		h.mu.Unlock()
		return message{}, h.lost()
	}
	h.lastID++
	r.ID = h.lastID
	h.waiting[r.ID] = answer
	err := h.link.send(r)
	if err != nil {
		delete(h.waiting, r.ID)
	}
	h.mu.Unlock()
	if err != nil {
		return message{}, h.lost()
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return message{}, h.lost()
		case m.Code != 0:
			return message{}, &Error{Name: h.info.Name, Code: m.Code, Text: string(m.Text)}
		}
		return m, nil
	case <-ctx.Done():
		h.mu.Lock()
		delete(h.waiting, r.ID)
		h.mu.Unlock()
		return message{}, ctx.Err()
	}
}

// lost is why there is no connection.
func (h *Holder) lost() error {
	if h.detached.Load() {
		return ErrClosed
	}
	return &Error{Name: h.info.Name, Code: Gone}
}

// Detach ends this side and leaves the program running: from then on the holder reads. A Read that
// is under way returns ErrClosed, and so does every later one; the memory of the last Output stays
// until then. Detach may be called more than once, and after the holder is gone.
func (h *Holder) Detach() {
	h.detach.Do(func() {
		h.detached.Store(true)
		h.master.SetReadDeadline(time.Unix(1, 0))
		h.master.SetWriteDeadline(time.Unix(1, 0))
		h.output.close()
		h.input.close()
		h.master.Close()
		// Not before this process has stopped reading: the holder begins.
		h.link.file.Close()
		<-h.gone
		h.link.close()
	})
}
