package acceptance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// The sizes of the tests that have one.
var (
	kills     = flag.Int("kills", 10, "how often the daemon is killed")
	edits     = flag.Int("edits", 20, "edits by each process that edits beside a person")
	typed     = flag.Int("typed", 2000, "characters that the person types beside them")
	rounds    = flag.Int("rounds", 16, "rounds in which something goes wrong")
	lasting   = flag.Duration("lasting", 0, "how long these rounds go on, at least")
	megabytes = flag.Int("megabytes", 50, "edits that go past a stopped client")
	// A machine may be busy with every other test; this decides nothing but when to give up.
	patience = flag.Duration("patience", 60*time.Second, "how long anything is waited for")

	seed = flag.Uint64("seed", 0, "of what is random; 0 takes one from the clock")
)

// The program under test; everybody may run it. Where the race detector is on, UIs and the daemons
// that they start have it too. Commands don't: it would take most of the time just to begin.
var binary, uiBinary string

func TestMain(m *testing.M) {
	flag.Parse()
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	status, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(status)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "apex-bin-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return 0, err
	}
	if binary, err = build(dir, "apex"); err != nil {
		return 0, err
	}
	uiBinary = binary
	if raceEnabled {
		if uiBinary, err = build(dir, "apex-race", "-race"); err != nil {
			return 0, err
		}
	}
	status := m.Run()
	for pid, command := range running(dir) {
		kill(pid, syscall.SIGKILL)
		fmt.Fprintf(os.Stderr, "left running after the tests: %d %s\n", pid, command)
		status = 1
	}
	return status, nil
}

// build builds the program and returns its path.
func build(dir, name string, flags ...string) (string, error) {
	path := filepath.Join(dir, name)
	args := slices.Concat([]string{"build", "-o", path}, flags, []string{"apex/cmd/apex"})
	c := exec.Command("go", args...)
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", c, err, out)
	}
	return path, nil
}
