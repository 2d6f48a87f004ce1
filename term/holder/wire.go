package holder

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// A frame is its length in four bytes, big endian, and one CBOR map with small integers as keys.
// Fields and ops are appended, never renumbered; who doesn't know one ignores it. Daemon and holder
// may be of different builds, in both directions: an upgraded daemon adopts what the old one began.
const (
	protocol    = 1 // what this build speaks
	protocolMin = 1 // the oldest holder that it can talk to

	// frameMaxBytes has room for the longest arguments and environment that the kernel takes
	// (ARG_MAX is 2 MiB by default, a quarter of the stack's limit) and is what a peer can cost.
	frameMaxBytes = 16 << 20
	frameHead     = 4
)

// op is what a request asks for.
type op uint8

const (
	opStart     op = iota + 1 // with Start; the first on the connection that a holder begins with
	opAdopt                   // by a daemon that was started later
	opKill                    // answered when nothing is left, or with what is
	opSignal                  // with Signal and To
	opProcesses               //
	opRelease                 // the exit was recorded
	opAbort                   // the starter gave up: as kill and release, not answered
)

// To is whom a signal is for.
type To uint8

// Whom a signal is for.
const (
	Foreground To = iota + 1 // the terminal's foreground process group
	Group                    // the program's own process group
	All                      // every process of the holder's
)

// request goes from the daemon to the holder.
type request struct {
	ID       uint64        `cbor:"1,keyasint"` // 0 if no answer is wanted
	Op       op            `cbor:"2,keyasint"`
	Start    *startRequest `cbor:"3,keyasint,omitempty"`
	Signal   int           `cbor:"4,keyasint,omitempty"`
	To       To            `cbor:"5,keyasint,omitempty"`
	Protocol int           `cbor:"6,keyasint,omitempty"`
}

// startRequest is a Spec. What the system takes as bytes is no CBOR text, which is UTF-8.
type startRequest struct {
	Dir    []byte   `cbor:"1,keyasint"`
	Name   []byte   `cbor:"2,keyasint"`
	Argv   [][]byte `cbor:"3,keyasint"`
	Env    [][]byte `cbor:"4,keyasint"`
	Cwd    []byte   `cbor:"5,keyasint"`
	Kind   Kind     `cbor:"6,keyasint"`
	Cols   int      `cbor:"7,keyasint,omitempty"`
	Rows   int      `cbor:"8,keyasint,omitempty"`
	Width  int      `cbor:"9,keyasint,omitempty"`
	Height int      `cbor:"10,keyasint,omitempty"`
	Input  bool     `cbor:"11,keyasint,omitempty"` // a descriptor comes with the frame
	Errors bool     `cbor:"12,keyasint,omitempty"` // one more descriptor comes, after that
}

// message goes from the holder to the daemon: the answer to the request of its ID, or, without one,
// news.
type message struct {
	ID        uint64          `cbor:"1,keyasint,omitempty"`
	Code      Code            `cbor:"2,keyasint,omitempty"` // of a refusal; else 0
	Text      []byte          `cbor:"3,keyasint,omitempty"`
	Taken     *taken          `cbor:"4,keyasint,omitempty"` // answers start and adopt
	Exit      *exitRecord     `cbor:"5,keyasint,omitempty"` // news: the program has exited
	Processes []processRecord `cbor:"6,keyasint,omitempty"` // what runs, or is left after a kill
	Leaving   bool            `cbor:"7,keyasint,omitempty"` // news: released, and nothing is left
}

// taken is what a daemon gets to know when it takes a holder. With the frame come the descriptors
// of the master and of the memory file.
type taken struct {
	Protocol int         `cbor:"1,keyasint"`
	Holder   int         `cbor:"2,keyasint"` // process ids
	Child    int         `cbor:"3,keyasint"`
	Kind     Kind        `cbor:"4,keyasint"`
	Started  int64       `cbor:"5,keyasint"` // nanoseconds since 1970
	Exit     *exitRecord `cbor:"6,keyasint,omitempty"`
	Released bool        `cbor:"7,keyasint,omitempty"`
}

type exitRecord struct {
	Code   int   `cbor:"1,keyasint,omitempty"`
	Signal int   `cbor:"2,keyasint,omitempty"`
	Core   bool  `cbor:"3,keyasint,omitempty"`
	At     int64 `cbor:"4,keyasint"` // nanoseconds since 1970
}

func (e Exit) record() *exitRecord {
	return &exitRecord{e.Code, int(e.Signal), e.Core, e.At.UnixNano()}
}

func (r *exitRecord) exit() Exit {
	return Exit{Code: r.Code, Signal: syscall.Signal(r.Signal), Core: r.Core,
		At: time.Unix(0, r.At)}
}

type processRecord struct {
	PID     int      `cbor:"1,keyasint"`
	Parent  int      `cbor:"2,keyasint"`
	Group   int      `cbor:"3,keyasint"`
	Session int      `cbor:"4,keyasint"`
	Started int64    `cbor:"5,keyasint"` // nanoseconds since 1970
	Argv    [][]byte `cbor:"6,keyasint"`
	Orphan  bool     `cbor:"7,keyasint,omitempty"`
}

// appendFrame appends a request or message as a frame.
func appendFrame(b []byte, v any) ([]byte, error) {
	body, err := cbor.Marshal(v)
	if err != nil {
		return b, err
	}
	if len(body) > frameMaxBytes {
		return b, fmt.Errorf("frame of %d bytes, limit %d", len(body), frameMaxBytes)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	return append(b, body...), nil
}

// cutFrame takes a frame off the beginning of b, if there is a whole one: ok says so.
func cutFrame(b []byte, v any) (rest []byte, ok bool, err error) {
	if len(b) < frameHead {
		return b, false, nil
	}
	n := binary.BigEndian.Uint32(b)
	if n > frameMaxBytes {
		return b, false, fmt.Errorf("frame of %d bytes, limit %d", n, frameMaxBytes)
	}
	if uint32(len(b)-frameHead) < n {
		return b, false, nil
	}
	body := b[frameHead : frameHead+n]
	if err := cbor.Unmarshal(body, v); err != nil {
		return b, false, fmt.Errorf("frame: %w", err)
	}
	return b[frameHead+n:], true, nil
}

func rawAll(words []string) [][]byte {
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}

func textAll(words [][]byte) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}
