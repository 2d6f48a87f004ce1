package file

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A look is taken for the content only if the inode is as it was, and was at rest.
func TestLook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look := func() Look {
		l, err := LookAt(path)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	write(path, "one")
	first := look()
	if first.Same(look(), Rest) {
		t.Error("trusted although it was written just now")
	}
	later := func(l Look) Look { // as if the look had been taken later
		l.at = l.at.Add(2 * Rest)
		return l
	}
	if !later(first).Same(look(), Rest) {
		t.Error("not trusted at rest")
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil { // which changes the inode's own time
		t.Fatal(err)
	}
	if later(first).Same(look(), Rest) {
		t.Error("its time was changed")
	}
	second := look()
	write(path+".new", "one")
	if err := os.Chtimes(path+".new", old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if later(second).Same(look(), Rest) {
		t.Error("another file is taken for it")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := LookAt(path); err == nil {
		t.Error("a look at nothing")
	}
}
