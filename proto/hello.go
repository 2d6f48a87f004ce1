package proto

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"apex/core"
	"apex/core/codec"
)

// Version is the protocol that this build speaks, MinVersion the oldest that it still does. The
// golden bytes in testdata/wire.txt fail until Version moves with a change of any message.
const (
	Version    = 1
	MinVersion = 1
)

// magic is the first field of both first frames: it says that this is an apex socket, and no
// message's number can be taken for it.
const magic = "apex"

// maxBuildBytes bounds the name of a build: it is printed in one line.
const maxBuildBytes = 256

// Server is the daemon's first frame, sent before it has heard anything. Its shape
//
//	["apex", min, max, build, pid]
//
// is frozen for ever, so that any two versions can tell each other what is wrong and what to do.
type Server struct {
	Min, Max uint64 // the protocols that it speaks
	Build    string // for people
	PID      int
}

// Client is the client's first frame: the protocol that it picked out of the daemon's range. Its
// shape is frozen too:
//
//	["apex", protocol, build]
type Client struct {
	Protocol uint64
	Build    string // for people
}

// NewServer returns this build's first frame.
func NewServer(build string, pid int) *Server {
	return &Server{Min: MinVersion, Max: Version, Build: build, PID: pid}
}

// Pick returns the newest protocol that both sides speak, or an unsupported_version error that
// names both and says what to do.
func (s *Server) Pick(build string) (uint64, error) {
	if s.Max < MinVersion || s.Min > Version {
		return 0, mismatch(s, build, span(MinVersion, Version))
	}
	return min(s.Max, Version), nil
}

// Check refuses a client that picked a protocol outside the daemon's range.
func (s *Server) Check(c *Client) error {
	if c.Protocol < s.Min || c.Protocol > s.Max {
		return mismatch(s, c.Build, span(c.Protocol, c.Protocol))
	}
	return nil
}

// mismatch is the one line that a person sees: both versions, the daemon's pid, what to run next.
func mismatch(s *Server, build, speaks string) *core.Error {
	return core.Errorf(core.CodeVersion, "this apex (%s) speaks protocol %s, the daemon (%s, pid %d) "+
		"speaks %s: stop it with `kill %d`, which keeps its sessions, and run the newer apex of the two",
		printable(build), speaks, printable(s.Build), s.PID, span(s.Min, s.Max), s.PID)
}

func span(low, high uint64) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

func (s *Server) append(b []byte) []byte {
	b = codec.AppendText(codec.AppendArray(b, 5), magic)
	b = codec.AppendUint(codec.AppendUint(b, s.Min), s.Max)
	return codec.AppendUint(codec.AppendText(b, printable(s.Build)), uint64(s.PID))
}

func (c *Client) append(b []byte) []byte {
	b = codec.AppendText(codec.AppendArray(b, 3), magic)
	return codec.AppendText(codec.AppendUint(b, c.Protocol), printable(c.Build))
}

// DecodeServer reads the daemon's first frame.
func DecodeServer(frame []byte) (*Server, error) {
	c := codec.NewCursor(frame)
	n := first(&c, 5)
	s := &Server{Min: c.Uint(), Max: c.Uint(), Build: build(&c), PID: int(c.UintMax(math.MaxInt32))}
	c.SkipN(n - 5)
	if c.Err() == nil && s.Min > s.Max {
		c.Fail("protocols %d to %d", s.Min, s.Max)
	}
	if err := c.Done(); err != nil {
		return nil, core.Errorf(core.CodeBadRequest, "not an apex daemon: %v", err)
	}
	return s, nil
}

// DecodeClient reads the client's first frame.
func DecodeClient(frame []byte) (*Client, error) {
	c := codec.NewCursor(frame)
	n := first(&c, 3)
	h := &Client{Protocol: c.Uint(), Build: build(&c)}
	c.SkipN(n - 3)
	if err := c.Done(); err != nil {
		return nil, core.Errorf(core.CodeBadRequest, "not an apex client: %v", err)
	}
	return h, nil
}

func first(c *codec.Cursor, least int) int {
	n := c.ArrayMin(least)
	if m := c.Text(); m != magic {
		c.Fail("first field %q, want %q", m, magic)
	}
	return n
}

func build(c *codec.Cursor) string {
	b := c.Text()
	if len(b) > maxBuildBytes {
		c.Fail("build of %d bytes, at most %d", len(b), maxBuildBytes)
	}
	return b
}

// printable makes s a valid text string without control characters, at most maxBuildBytes long.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
	for len(s) > maxBuildBytes {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}
