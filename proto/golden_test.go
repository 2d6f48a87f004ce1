package proto

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false,
	"add missing lines to testdata/wire.txt; all of them if Version moved")

const goldenFile = "testdata/wire.txt"

// golden is testdata/wire.txt: the version, then a name and a frame in hexadecimal on each line.
type golden struct {
	version int
	frames  map[string]string
}

func readGolden(t *testing.T) golden {
	t.Helper()
	text, err := os.ReadFile(goldenFile)
	if err != nil && !*rewrite {
		t.Fatal(err)
	}
	g := golden{frames: map[string]string{}}
	for _, line := range strings.Split(string(text), "\n") {
		name, bytes, _ := strings.Cut(line, ": ")
		switch {
		case name == "version":
			if _, err := fmt.Sscan(bytes, &g.version); err != nil {
				t.Fatal(err)
			}
		case name != "" && name[0] != '#':
			g.frames[name] = bytes
		}
	}
	return g
}

// sampleFrames returns the samples' frames by name, and the names in order. Samples of one name
// are numbered.
func sampleFrames(t *testing.T) (names []string, frames map[string]string) {
	frames = map[string]string{}
	for _, m := range samples() {
		name := fmt.Sprintf("%v %s", m.from, m.name)
		for i := 2; frames[name] != ""; i++ {
			name = fmt.Sprintf("%v %s %d", m.from, m.name, i)
		}
		names = append(names, name)
		frames[name] = hex.EncodeToString(frameOf(t, m.message))
	}
	return names, frames
}

// The bytes of every message are what they were at this Version. If this fails, somebody who runs
// an older build can no longer read what this one sends: move Version, and run with -rewrite.
func TestGoldenBytes(t *testing.T) {
	want := readGolden(t)
	names, got := sampleFrames(t)
	if *rewrite {
		rewriteGolden(t, want, names, got)
		return
	}
	if want.version != Version {
		t.Fatalf("%s is of version %d, this is %d: run with -rewrite", goldenFile, want.version,
			Version)
	}
	for name := range want.frames {
		if got[name] == "" {
			t.Errorf("%s: no such message any more", name)
		}
	}
	for _, name := range names {
		switch {
		case want.frames[name] == "":
			t.Errorf("%s is not in %s: run with -rewrite", name, goldenFile)
		case want.frames[name] != got[name]:
			t.Errorf("%s changed and Version did not move:\n got %s\nwant %s", name, got[name],
				want.frames[name])
		}
	}
}

func rewriteGolden(t *testing.T, old golden, names []string, frames map[string]string) {
	var b strings.Builder
	b.WriteString("# Frames of every message at one version, made by\n" +
		"# go test -run TestGoldenBytes -rewrite, which does not change a line while the version stays.\n")
	fmt.Fprintf(&b, "version: %d\n", Version)
	for _, name := range names {
		was := old.frames[name]
		if old.version == Version && was != "" && was != frames[name] {
			t.Errorf("%s changed and Version did not move", name)
		}
		fmt.Fprintf(&b, "%s: %s\n", name, frames[name])
	}
	if t.Failed() {
		return
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What the golden file holds can be read, and has the same bytes when it is sent again.
func TestGoldenReads(t *testing.T) {
	for _, m := range samples() {
		frame := frameOf(t, m.message)
		got, err := decodeAny(m.message, m.from, frame[headBytes:])
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
			continue
		}
		if again := frameOf(t, got); string(again) != string(frame) {
			t.Errorf("%s:\n got %x\nwant %x", m.name, again, frame)
		}
	}
}
