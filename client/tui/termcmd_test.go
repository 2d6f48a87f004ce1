package tui

import (
	"slices"
	"testing"
)

func TestArgv(t *testing.T) {
	for line, want := range map[string][]string{
		"":                nil,
		"make":            {"make"},
		" make  -j 2":     {"make", "-j", "2"},
		"echo $HOME":      {"/bin/sh", "-c", "echo $HOME"},
		"a 'b c'":         {"/bin/sh", "-c", "a 'b c'"},
		"make && ./run":   {"/bin/sh", "-c", "make && ./run"},
		"vi file-1_2.txt": {"vi", "file-1_2.txt"},
	} {
		if got := argv(line); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestCutAt(t *testing.T) {
	for _, c := range []struct {
		s          string
		most, want int
	}{{"abc", 5, 3}, {"abc", 2, 2}, {"a世b", 2, 1}, {"a世b", 3, 1}, {"a世b", 4, 4},
		{"\x80\x80\x80\x80\x80\x80", 4, 4}} {
		if got := cutAt(c.s, c.most); got != c.want {
			t.Errorf("%q at %d: got %d, want %d", c.s, c.most, got, c.want)
		}
	}
}
