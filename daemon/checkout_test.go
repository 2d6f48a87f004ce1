package daemon_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

const manyFiles = 500

// git runs git in a directory.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t",
		"-c", "init.defaultBranch=main", "-c", "gc.auto=0"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here, and it is what changes the files")
	}
}

// git stash and checkout under clean and dirty buffers: each has what is described, and no text is
// lost on the way.
func TestGitStashAndCheckout(t *testing.T) {
	needGit(t)
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "one\ntwo\n"))
	dir := filepath.Dir(o.path)
	git(t, dir, "init", "-q")
	git(t, dir, "add", "a.txt")
	git(t, dir, "commit", "-qm", "first")
	git(t, dir, "checkout", "-qb", "other")
	writeDisk(t, o.path, "one\ntwo\nother\n")
	git(t, dir, "commit", "-qam", "second")
	o.becomes("one\ntwo\nother\n")
	git(t, dir, "checkout", "-q", "main")
	o.becomes("one\ntwo\n")

	insert(t, o.c, o.win, "saved\n")
	if err := run(o.c, o.win, "Put"); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "stash", "-q")
	o.becomes("one\ntwo\n")
	git(t, dir, "stash", "pop", "-q")
	o.becomes("saved\none\ntwo\n")

	insert(t, o.c, o.win, "unsaved\n")
	git(t, dir, "stash", "-q")
	o.p.Until(func() bool { return o.buffer().Stale })
	o.is("unsaved\nsaved\none\ntwo\n", true, true, false)
	git(t, dir, "stash", "pop", "-q")
	o.p.Until(func() bool { return !o.buffer().Stale })
	o.is("unsaved\nsaved\none\ntwo\n", true, false, false)
	if err := run(o.c, o.win, "Put"); err != nil {
		t.Fatal(err)
	}
	for v, want := range []string{"one\ntwo\n", "one\ntwo\nother\n", "one\ntwo\n", "saved\none\ntwo\n"} {
		if got, ok := o.buffer().At(core.Version(v)); !ok || got.String() != want {
			t.Errorf("version %d is %q, %v, want %q", v, got.String(), ok, want)
		}
	}
}

// openMany opens many files of a repository with two branches.
func openMany(t *testing.T, d *daemontest.Daemon) (dir string, bufs []core.BufferID) {
	t.Helper()
	dir = t.TempDir()
	git(t, dir, "init", "-q")
	req := &proto.Open{}
	for i := range manyFiles {
		sub := filepath.Join(dir, fmt.Sprintf("d%d", i%20))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(sub, fmt.Sprintf("f%d.txt", i))
		writeDisk(t, path, fmt.Sprintf("file %d\nold\nend\n", i))
		req.Files = append(req.Files, proto.File{Path: path})
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "old")
	git(t, dir, "checkout", "-qb", "new")
	for i, f := range req.Files {
		writeDisk(t, f.Path, fmt.Sprintf("file %d\nnew\nend\n", i))
	}
	git(t, dir, "commit", "-qam", "new")
	git(t, dir, "checkout", "-q", "main")
	o := daemontest.Must[*proto.Opened](d.Dial(), req)
	for _, p := range o.Places {
		if err := p.Err(); err != nil {
			t.Fatal(err)
		}
		bufs = append(bufs, p.Buffer)
	}
	return dir, bufs
}

// 500 open files that one checkout changes are all there, each as one step, whether the daemon leads
// them or an interface does. How long it takes is logged.
func TestCheckoutOfManyFiles(t *testing.T) {
	needGit(t)
	for _, led := range []bool{false, true} {
		t.Run(map[bool]string{false: "led by the daemon", true: "led by an interface"}[led], func(t *testing.T) {
			d := daemontest.Start(t)
			dir, bufs := openMany(t, d)
			p := d.Attach(core.AttachUI, "", "human:bob")
			for _, id := range bufs {
				if led {
					p.Lead(id.Shard())
				}
				p.Until(func() bool { return p.R.Knows(id.Shard()) })
			}
			git(t, dir, "checkout", "-q", "new")
			began := time.Now()
			for i, id := range bufs {
				want := fmt.Sprintf("file %d\nnew\nend\n", i)
				p.Until(func() bool { return p.R.Buffer(id).Text.String() == want })
			}
			t.Logf("%d files in %v after the checkout", len(bufs), time.Since(began))
			for i, id := range bufs {
				b := p.R.Buffer(id)
				if b.Version != 1 || led && !p.R.Leads(id.Shard()) {
					t.Fatalf("file %d is at version %d, led here %v", i, b.Version, p.R.Leads(id.Shard()))
				}
			}
		})
	}
}
