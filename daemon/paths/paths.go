package paths

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/adrg/xdg"
)

// The environment's say in where things are.
const (
	EnvState  = "APEX_STATE"  // the state directory
	EnvSocket = "APEX_SOCKET" // the socket's path
)

// SocketMaxBytes is the longest path that a socket can have everywhere: 104 bytes on macOS with
// the byte that ends it, 108 on Linux.
const SocketMaxBytes = 103

const sockSuffix = ".sock"

// nameBytes is how much of a hash names what belongs to one state directory.
const nameBytes = 5

// Paths are the places of one daemon.
type Paths struct {
	State  string // directory, absolute
	Socket string // where a daemon of this environment listens
	Given  bool   // the socket was asked for by its path
	Moved  string // for people: why the socket isn't in the runtime directory; empty if it is
}

// Log is where the daemon writes its diagnostics.
func (p Paths) Log() string { return filepath.Join(p.State, "log", "apex.log") }

// Resolve works the places out: from its arguments, else from the environment, else by the rules
// of the system. It touches nothing.
func Resolve(state, socket string) (Paths, error) {
	p := Paths{State: first(state, os.Getenv(EnvState), filepath.Join(xdg.StateHome, "apex"))}
	if state == "" && os.Getenv(EnvState) == "" && homeless() {
		return Paths{}, fmt.Errorf("$HOME is empty: set it, or name a directory with --state or $%s",
			EnvState)
	}
	var err error
	if p.State, err = filepath.Abs(p.State); err != nil {
		return Paths{}, fmt.Errorf("state directory: %w", err)
	}
	if socket = first(socket, os.Getenv(EnvSocket)); socket != "" {
		p.Given = true
		if p.Socket, err = filepath.Abs(socket); err != nil {
			return Paths{}, fmt.Errorf("socket: %w", err)
		}
		return p, checkLength(p.Socket)
	}
	p.Socket, p.Moved = socketFor(p.State, xdg.RuntimeDir)
	return p, checkLength(p.Socket)
}

// homeless reports whether the environment has no place for the user's state: the root directory
// would be taken for one.
func homeless() bool {
	return os.Getenv("HOME") == "" && !filepath.IsAbs(os.Getenv("XDG_STATE_HOME"))
}

func first(candidates ...string) string {
	for _, c := range candidates {
		if c != "" {
			return c
		}
	}
	return ""
}

// socketFor names the socket after its state directory, in the runtime directory if that can be
// used, else in a directory of the user's under /tmp: the shortest path that every system has.
func socketFor(state, runtime string) (socket, moved string) {
	sum := sha256.Sum256([]byte(state))
	name := hex.EncodeToString(sum[:nameBytes]) + sockSuffix
	short := filepath.Join("/tmp", "apex-"+strconv.Itoa(os.Getuid()), name)
	if runtime == "" {
		return short, "there is no runtime directory"
	}
	socket = filepath.Join(runtime, "apex", name)
	switch err := checkOwned(runtime); {
	case err != nil:
		return short, err.Error()
	case len(socket) > SocketMaxBytes:
		return short, fmt.Sprintf("%s: %d bytes, at most %d", socket, len(socket), SocketMaxBytes)
	}
	return socket, ""
}

func checkLength(socket string) error {
	if len(socket) <= SocketMaxBytes {
		return nil
	}
	return fmt.Errorf("socket path %s: %d bytes, at most %d: name a shorter one with --socket or $%s",
		socket, len(socket), SocketMaxBytes, EnvSocket)
}
