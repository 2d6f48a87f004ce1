package acceptance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// The sizes of the tests that have one.
var (
	kills     = flag.Int("kills", 10, "how often the daemon is killed")
	edits     = flag.Int("edits", 20, "edits by each process that edits beside a person")
	typed     = flag.Int("typed", 2000, "characters that the person types beside them")
	megabytes = flag.Int("megabytes", 50, "edits that go past a stopped client")
	// A machine may be busy with every other test; this decides nothing but when to give up.
	patience = flag.Duration("patience", 60*time.Second, "how long anything is waited for")

	seed = flag.Uint64("seed", 0, "of what is random; 0 takes one from the clock")
)

// binary is the program under test; everybody may run it.
var binary string

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
	binary = filepath.Join(dir, "apex")
	build := exec.Command("go", slices.Concat([]string{"build"}, buildFlags,
		[]string{"-o", binary, "apex/cmd/apex"})...)
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%v: %w\n%s", build, err, out)
	}
	return m.Run(), nil
}
