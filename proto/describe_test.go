package proto

import (
	"os"
	"strings"
	"testing"
	"unicode"

	"apex/core"
)

const describedFile = "testdata/described.txt"

// Every message has a line, and it is one that a log can hold: no control characters, no secrets,
// not long.
func TestDescribe(t *testing.T) {
	var b strings.Builder
	for _, m := range samples() {
		line := Describe(m.message)
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("%s: %q has %U", m.name, line, r)
			}
		}
		if len(line) > 400 {
			t.Errorf("%s: %d bytes: %s", m.name, len(line), line)
		}
		b.WriteString(line + "\n")
	}
	secret := core.Hash(fill(32, 0xa0)).String()[:8]
	if strings.Contains(b.String(), secret) {
		t.Error("a line has a secret in it")
	}
	if strings.Contains(b.String(), "secret") {
		t.Error("a line has a text in it, or the environment")
	}
	if *rewrite {
		if err := os.WriteFile(describedFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(describedFile)
	if err != nil || string(want) != b.String() {
		t.Errorf("%v: got\n%s", err, b.String())
	}
	if got := Describe(struct{}{}); got != "no message: struct {}" {
		t.Errorf("got %q", got)
	}
}
