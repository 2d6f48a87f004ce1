package daemon_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"apex/core"
	"apex/daemon"
	"apex/daemon/daemontest"
	"apex/proto"
)

// fsckFlips is how many bytes are flipped, each alone, spread over all that the journal has.
const fsckFlips = 100

// longSession makes a session that has been worked in through several generations, and returns its
// directory.
func longSession(t *testing.T, d *daemontest.Daemon, label string) string {
	t.Helper()
	c := d.Dial()
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: label})
	path := writeFile(t, label+".txt", "")
	daemontest.Must[*proto.Opened](c, &proto.Open{Session: label, Files: []proto.File{{Path: path}}})
	for i := range 14 {
		var b strings.Builder
		for n := range 20_000 {
			fmt.Fprintf(&b, "%d %x\n", n, n*(i+3))
		}
		daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Session: label, Win: label + ".txt",
			Proposal: core.Proposal{Ask: &core.AskSet{Text: b.String()}}})
	}
	daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Session: label, Win: label + ".txt",
		Proposal: core.Proposal{Ask: &core.AskUndo{}}})
	return sessionFiles(t, d, c, label)
}

// sessionFiles is the directory of a session's files.
func sessionFiles(t *testing.T, d *daemontest.Daemon, c *daemontest.Client, label string) string {
	t.Helper()
	for _, s := range daemontest.Must[*proto.Sessions](c, &proto.SessionList{}).Sessions {
		if s.Label == label {
			return filepath.Join(d.State, "sessions", fmt.Sprintf("%x", s.Session[:]))
		}
	}
	t.Fatalf("no session %q", label)
	return ""
}

// journals reads the generations of a session's directory.
func journals(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.journal"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = b
	}
	return out
}

// fsckOne verifies a state directory that no daemon uses, of one session.
func fsckOne(t *testing.T, state string) proto.SessionCheck {
	t.Helper()
	got, err := daemon.Fsck(state, &proto.Fsck{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Sessions) != 1 {
		t.Fatalf("verified %d sessions, want 1", len(got.Sessions))
	}
	return got.Sessions[0]
}

// Each of fsckFlips flipped bytes is found, in the file and at the place where it is, in frames and
// in the zeros that are written ahead; and a daemon starts with each of them, and says so or has all.
func TestFsckFindsEveryFlip(t *testing.T) {
	d := daemontest.Start(t)
	dir := longSession(t, d, "long")
	whole := journals(t, dir) // while it is in use: zeros written ahead are at the end
	live := daemontest.Must[*proto.Checked](d.Dial(), &proto.Fsck{}).Sessions[0]
	if len(live.Findings) > 0 || !live.Live || live.Compared < 10 {
		t.Fatalf("in use: %+v", live)
	}
	d.Stop()
	lay(t, dir, whole)
	clean := fsckOne(t, d.State)
	if len(clean.Findings) > 0 || clean.Generations < 3 || clean.Compared == 0 || clean.Label != "long" {
		t.Fatalf("as it was: %+v", clean)
	}
	total := 0
	for _, b := range whole {
		total += len(b)
	}
	at, ahead := total/fsckFlips/2, 0
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		b := whole[name]
		for ; at < len(b); at += total / fsckFlips {
			if len(bytes.TrimRight(b[at:], "\x00")) == 0 {
				ahead++
			}
			t.Run(fmt.Sprintf("%s at %d", name, at), func(t *testing.T) {
				lay(t, dir, whole)
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, flipped(b, at), 0o600); err != nil {
					t.Fatal(err)
				}
				got := fsckOne(t, d.State)
				if !slices.ContainsFunc(got.Findings, func(f proto.Finding) bool {
					return f.File == name && f.Offset <= int64(at) && int64(at) < f.Offset+f.Length
				}) {
					t.Errorf("the finding is not there: %+v", got.Findings)
				}
				startsWith(t, d, got)
			})
		}
		at -= len(b)
	}
	if ahead == 0 {
		t.Error("no flip was in the zeros that are written ahead")
	}
	lay(t, dir, whole)
}

func flipped(b []byte, at int) []byte {
	out := slices.Clone(b)
	out[at] ^= 1 << (at % 8)
	return out
}

// startsWith starts a daemon on a damaged session: it serves it, whole or with the reason why not.
func startsWith(t *testing.T, d *daemontest.Daemon, got proto.SessionCheck) {
	t.Helper()
	d.Run()
	defer d.Stop()
	sessions := daemontest.Must[*proto.Sessions](d.Dial(), &proto.SessionList{}).Sessions
	if len(sessions) != 1 {
		t.Fatalf("%d sessions are listed", len(sessions))
	}
	newest := got.Findings[len(got.Findings)-1].File == fmt.Sprintf("%08d.journal", got.Generations)
	if newest && sessions[0].Trouble == "" {
		t.Error("the newest generation is damaged, and nothing is said")
	}
	if r := text(t, d.Dial(), "long", "long.txt"); r == "" && sessions[0].Trouble == "" {
		t.Error("a text is lost in silence")
	}
}

// What is missing is found too: a generation's end, and a whole generation's records.
func TestFsckFindsWhatIsMissing(t *testing.T) {
	d := daemontest.Start(t)
	dir := longSession(t, d, "long")
	d.Stop()
	whole := journals(t, dir)
	names := slices.Sorted(maps.Keys(whole))
	for _, name := range names[:len(names)-1] {
		lay(t, dir, whole)
		b := whole[name]
		if err := os.WriteFile(filepath.Join(dir, name), b[:len(b)-len(b)/3], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := fsckOne(t, d.State); len(got.Findings) == 0 {
			t.Errorf("%s: a third of it is gone, and nothing is found", name)
		}
	}
	lay(t, dir, whole)
	if err := os.Remove(filepath.Join(dir, names[1])); err != nil {
		t.Fatal(err)
	}
	if got := fsckOne(t, d.State); len(got.Findings) == 0 {
		t.Error("a generation in the middle is gone, and nothing is found")
	}
	lay(t, dir, nil)
	if got := fsckOne(t, d.State); len(got.Findings) == 0 {
		t.Error("the journal is gone, and nothing is found")
	}
	lay(t, dir, whole)
}
