package daemon_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// Three sessions with the same content: a text of more than a MB, and one that is changed many
// times, before and after a stop that begins a new generation.
var damageLabels = []string{"one", "two", "victim"}

const damageEdits = 40

func sessionsToDamage(t *testing.T, d *daemontest.Daemon) {
	big := writeFile(t, "big.txt", strings.Repeat("a line of a large text\n", 1<<16))
	small := writeFile(t, "small.txt", version(0))
	for half := range 2 {
		c := d.Dial()
		for _, label := range damageLabels {
			if half == 0 {
				daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: label})
				daemontest.Must[*proto.Opened](c, &proto.Open{Session: label,
					Files: []proto.File{{Path: big}, {Path: small}}})
			}
			for i := range damageEdits / 2 {
				n := half*damageEdits/2 + i
				old := version(n)
				daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Session: label, Win: "small.txt",
					Proposal: core.Proposal{Ask: &core.AskEdit{Base: core.Version(n),
						Edits: []core.Span{{Q0: 0, Q1: len(old), Text: version(n + 1)}}}}})
			}
		}
		d.Stop()
		d.Run()
	}
	d.Stop()
}

// version is the small text after some changes.
func version(n int) string { return fmt.Sprintf("version %03d\n", n) }

// damages are what happens to a file's bytes.
var damages = []struct {
	name  string
	spoil func(b []byte) []byte
}{
	{"cut at the end", func(b []byte) []byte { return b[:len(b)-100] }},
	{"cut in the middle", func(b []byte) []byte { return b[:len(b)/2] }},
	{"cut to nothing", func(b []byte) []byte { return nil }},
	{"zeroed at the end", func(b []byte) []byte { clear(b[len(b)-100:]); return b }},
	{"zeroed in the middle", func(b []byte) []byte { clear(b[len(b)/2:][:4096]); return b }},
	{"zeroed at the beginning", func(b []byte) []byte { clear(b[:100]); return b }},
	{"flipped at the end", func(b []byte) []byte { b[len(b)-50] ^= 1; return b }},
	{"flipped in the middle", func(b []byte) []byte { b[len(b)/2] ^= 0x80; return b }},
	{"flipped among the last records", func(b []byte) []byte { b[len(b)-3000] ^= 4; return b }},
	{"flipped at the beginning", func(b []byte) []byte { b[10] ^= 1; return b }},
}

// TestDamage damages each state file of one of three sessions in every way.
func TestDamage(t *testing.T) {
	d := daemontest.Start(t)
	sessionsToDamage(t, d)
	dir := victim(t, d)
	whole := tree(t, dir)
	if len(whole) < 2 {
		t.Fatalf("the session has files %v, want several generations", fileNames(whole))
	}
	for name, content := range whole {
		for _, x := range damages {
			t.Run(name+" "+x.name, func(t *testing.T) {
				spoiled := x.spoil(bytes.TrimRight(bytes.Clone(content), "\x00"))
				lay(t, dir, whole)
				if err := os.WriteFile(filepath.Join(dir, name), spoiled, 0o600); err != nil {
					t.Fatal(err)
				}
				before := tree(t, dir)
				d.Run()
				defer d.Stop()
				first := survey(t, d)
				d.Stop()
				d.Run()
				if second := survey(t, d); second != first {
					t.Errorf("the first start gave %q, the second %q", first, second)
				}
				propose(t, d)
				d.Stop()
				for name, b := range before {
					if !kept(b, tree(t, dir)) {
						t.Errorf("%s is not kept: %d bytes; there are %v", name, len(b), fileNames(tree(t, dir)))
					}
				}
			})
		}
	}
	lay(t, dir, whole)
}

// victim is the directory of the session that is damaged.
func victim(t *testing.T, d *daemontest.Daemon) string {
	d.Run()
	defer d.Stop()
	for _, s := range daemontest.Must[*proto.Sessions](d.Dial(), &proto.SessionList{}).Sessions {
		if s.Label == "victim" {
			return filepath.Join(d.State, "sessions", fmt.Sprintf("%x", s.Session[:]))
		}
	}
	t.Fatal("no victim")
	return ""
}

// survey checks that two sessions are whole, and that of the third what can be read is what it once
// was. It returns that.
func survey(t *testing.T, d *daemontest.Daemon) string {
	t.Helper()
	c := d.Dial()
	for _, label := range damageLabels[:2] {
		if got := text(t, c, label, "small.txt"); got != version(damageEdits) {
			t.Errorf("session %s reads %q", label, got)
		}
	}
	listed := ""
	for _, s := range daemontest.Must[*proto.Sessions](c, &proto.SessionList{}).Sessions {
		if s.Label == "one" || s.Label == "two" {
			if s.Trouble != "" {
				t.Errorf("session %s has trouble: %s", s.Label, s.Trouble)
			}
			continue
		}
		if listed != "" {
			t.Errorf("listed beside %s: %+v", listed, s)
		}
		listed = s.Label
		if s.Label != "victim" {
			if s.Trouble == "" {
				t.Errorf("%s is listed without a reason", s.Label)
			}
			continue
		}
		small := text(t, c, "victim", "small.txt")
		whole := small == "" && s.Trouble != "" // what is left is older than the text
		for n := range damageEdits + 1 {
			whole = whole || small == version(n)
		}
		if !whole {
			t.Errorf("the damaged session reads %q", small)
		}
		if small != version(damageEdits) && s.Trouble == "" {
			t.Errorf("the damaged session lost %q in silence: it reads %q", version(damageEdits), small)
		}
		if got := text(t, c, "victim", "big.txt"); got == "" && s.Trouble == "" {
			t.Error("the damaged session lost a text in silence")
		}
		listed += " " + small + s.Trouble
	}
	if listed == "" {
		t.Error("the damaged session is not listed")
	}
	return listed
}

// text reads a window of a session; what is gone reads as "".
func text(t *testing.T, c *daemontest.Client, label, win string) string {
	t.Helper()
	r, err := c.Call(&proto.Read{Session: label, Win: win})
	if err != nil {
		return ""
	}
	return string(r.(*proto.Text).Bytes)
}

// propose changes the damaged session's text: that works, or is refused as read-only.
func propose(t *testing.T, d *daemontest.Daemon) {
	t.Helper()
	c := d.Dial()
	was := text(t, c, "victim", "small.txt")
	if was == "" {
		return
	}
	i := daemontest.Must[*proto.TextInfo](c, &proto.Info{Session: "victim", Win: "small.txt"})
	_, err := c.Call(&proto.ProposeIn{Session: "victim", Win: "small.txt", Proposal: core.Proposal{
		Ask: &core.AskEdit{Base: i.Origin.Version, Edits: []core.Span{{Text: "+"}}}}})
	want := "+" + was
	if core.CodeOf(err) == core.CodeReadOnly {
		want = was
	} else if err != nil {
		t.Error(err)
	}
	if got := text(t, c, "victim", "small.txt"); got != want {
		t.Errorf("after a change (%v) it reads %q, want %q", err, got, want)
	}
}

// tree reads a directory's files.
func tree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = b
	}
	return out
}

func fileNames(files map[string][]byte) []string {
	var out []string
	for name, b := range files {
		out = append(out, fmt.Sprintf("%s (%d)", name, len(b)))
	}
	slices.Sort(out)
	return out
}

// lay makes a directory hold exactly these files.
func lay(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// kept reports whether bytes are still there: in a file that begins with them, or that begins with
// their beginning beside one that holds the rest.
func kept(b []byte, files map[string][]byte) bool {
	b = bytes.TrimRight(b, "\x00")
	for _, f := range files {
		n := 0
		for n < min(len(b), len(f)) && b[n] == f[n] {
			n++
		}
		rest := bytes.TrimRight(b[n:], "\x00")
		if len(rest) == 0 {
			return true
		}
		for _, other := range files {
			if n > 0 && bytes.HasSuffix(bytes.TrimRight(other, "\x00"), rest) && len(other) < len(b) {
				return true
			}
		}
	}
	return false
}
