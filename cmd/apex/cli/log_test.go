package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A log whose file, or whose directory, was deleted or moved away goes on under its name.
func TestLogIsMadeAgain(t *testing.T) {
	for name, away := range map[string]func(dir, file string) error{
		"file deleted":      func(_, file string) error { return os.Remove(file) },
		"file moved":        func(_, file string) error { return os.Rename(file, file+".mine") },
		"directory deleted": func(dir, _ string) error { return os.RemoveAll(dir) },
		"directory moved":   func(dir, _ string) error { return os.Rename(dir, dir+".old") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			path := filepath.Join(dir, "log", "apex.log")
			moved := 0
			log, end := openLog(path, func() { moved++ })
			defer end()
			log.Info("one")
			log.Info("two")
			if err := away(dir, path); err != nil {
				t.Fatal(err)
			}
			log.Info("three")
			log.Info("four")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(b); strings.Contains(got, "two") || !strings.Contains(got, "three") ||
				!strings.Contains(got, "four") {
				t.Errorf("the log holds\n%s", got)
			}
			if moved != 1 {
				t.Errorf("told %d times", moved)
			}
			if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm()&0o077 != 0 &&
				strings.HasPrefix(name, "directory") {
				t.Errorf("its directory: %v, %v", info.Mode(), err)
			}
		})
	}
}
