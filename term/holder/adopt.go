package holder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// adoptMax bounds how long a holder may take to answer: it waits for nothing.
	adoptMax = 10 * time.Second
	// busyMax is how long a daemon that takes over waits for one that was killed to be gone: the
	// kernel closes its files one after the other.
	busyMax   = 2 * time.Second
	busyPause = 10 * time.Millisecond
)

// Adopt takes over a holder that another daemon started or had. From then on this process reads the
// program's output. The error is an *Error.
//
// Gone is the only code that says that there is no such holder; a dead one's socket is removed, and
// EndLost ends what it left. (One that lives and whose socket and trace somebody removed is Gone until
// it has them again, socketEvery later.) With every other the holder may live, and it may be tried
// again: NoAnswer if it did not answer in adoptMax, or before ctx ended, as one that is stopped or
// whose memory is swapped out, or if it has to make its socket again; Busy if
// another daemon has it; Denied if it is another user's; Descriptors if this process has none left;
// Unsupported if its build is too old; Internal for what the system says else. BadSpec says that
// the name is none.
func Adopt(ctx context.Context, dir, name string) (*Holder, error) {
	if !validName(name) {
		return nil, &Error{Name: name, Code: BadSpec, Text: "not a holder's name"}
	}
	ctx, cancel := context.WithTimeout(ctx, adoptMax)
	defer cancel()
	for begun := time.Now(); ; {
		h, err := adopt(ctx, dir, name)
		if err == nil || !passes(err) || time.Since(begun) > busyMax {
			return h, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(busyPause):
		}
	}
}

// passes reports whether what keeps a daemon out may pass in a moment.
func passes(err error) bool { return errors.Is(err, Busy) || errors.Is(err, NoAnswer) }

func adopt(ctx context.Context, dir, name string) (*Holder, error) {
	fd, err := connect(dir, name)
	if errors.Is(err, Gone) {
		if t, ok := readTrace(dir, name); ok && t.lives() {
			return nil, &Error{Name: name, Code: NoAnswer, Text: "it lives and has no socket"}
		}
	}
	if err != nil {
		return nil, err
	}
	if _, err := samePeer(fd); err != nil {
		unix.Close(fd)
		return nil, &Error{Name: name, Code: Denied, Text: err.Error()}
	}
	l, err := newLink(fd)
	if err != nil {
		return nil, failed(name, Internal, "connect", err)
	}
	var h *Holder
	err = l.send(&request{ID: 1, Op: opAdopt, Protocol: protocol})
	if err == nil {
		h, err = take(ctx, l, dir, name)
	}
	if err == nil {
		return h, nil
	}
	l.close()
	if errors.Is(err, Gone) {
		// It closed the connection: it died, or this process was stopped for longer than it waits.
		// The next try tells.
		return nil, &Error{Name: name, Code: Busy, Text: "it closed the connection"}
	}
	return nil, failed(name, Internal, "adopt", err)
}

// List is the names of the holders in a directory that may be alive, and of those whose programs may
// be (EndLost), in order; the sockets of dead ones are removed. A directory that does not exist has
// none.
func List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{}, nil
	}
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), traceSuffix); ok && validName(name) {
			names = append(names, name)
			continue
		}
		name, ok := strings.CutSuffix(e.Name(), socketSuffix)
		if !ok || !validName(name) {
			continue
		}
		fd, err := connect(dir, name)
		if err == nil {
			unix.Close(fd)
		}
		if !errors.Is(err, Gone) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
