package daemon_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"apex/core"
	"apex/daemon"
	"apex/daemon/daemontest"
	"apex/proto"
)

// run executes a command in a window.
func run(c *daemontest.Client, win, command string) error {
	_, err := c.Call(&proto.Exec{Win: win, Command: command})
	return err
}

// insert puts text at the beginning of a window's body.
func insert(t *testing.T, c *daemontest.Client, win, text string) {
	t.Helper()
	v := info(c, win).Origin.Version
	daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Win: win, Proposal: core.Proposal{
		Ask: &core.AskEdit{Base: v, Edits: []core.Span{{Text: text}}}}})
}

func info(c *daemontest.Client, win string) *proto.TextInfo {
	return daemontest.Must[*proto.TextInfo](c, &proto.Info{Win: win})
}

func writeDisk(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// A Put over a file that somebody else changed is refused once; the next saves over exactly what
// was warned of, and nothing else.
func TestPutOverForeignChange(t *testing.T) {
	c := daemontest.Start(t).Dial()
	path := writeFile(t, "a.txt", "abc\n")
	win := open(t, c, path).Window.String()
	insert(t, c, win, "mine ")
	writeDisk(t, path, "theirs\n")
	if err := run(c, win, "Put"); core.CodeOf(err) != core.CodeConflict {
		t.Fatalf("the first Put: %v", err)
	}
	if i := info(c, win); !i.Window.Stale || !i.Window.Dirty || readDisk(t, path) != "theirs\n" {
		t.Fatalf("after a refused Put: %+v", i.Window)
	}
	writeDisk(t, path, "theirs again\n")
	if err := run(c, win, "Put"); core.CodeOf(err) != core.CodeConflict {
		t.Fatalf("a Put over what was not warned of: %v", err)
	}
	if err := run(c, win, "Put"); err != nil {
		t.Fatal(err)
	}
	if i := info(c, win); i.Window.Stale || i.Window.Dirty || readDisk(t, path) != "mine abc\n" {
		t.Errorf("after the second Put: %+v, the file holds %q", i.Window, readDisk(t, path))
	}
	insert(t, c, win, "still ")
	writeDisk(t, path, "theirs\n")
	if err := run(c, win, "Put -f"); err != nil || readDisk(t, path) != "still mine abc\n" {
		t.Errorf("Put -f: %v, the file holds %q", err, readDisk(t, path))
	}
}

// A file that another program removed is made again.
func TestPutOfRemovedFile(t *testing.T) {
	c := daemontest.Start(t).Dial()
	path := writeFile(t, "a.txt", "abc\n")
	win := open(t, c, path).Window.String()
	insert(t, c, win, "x")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := run(c, win, "Put"); err != nil || readDisk(t, path) != "xabc\n" {
		t.Errorf("Put: %v", err)
	}
}

// Put with a name saves under it, and the window has that name from then on.
func TestPutUnderNewName(t *testing.T) {
	c := daemontest.Start(t).Dial()
	path := writeFile(t, "a.txt", "abc\n")
	win := open(t, c, path).Window.String()
	insert(t, c, win, "x")
	other := filepath.Join(filepath.Dir(path), "b.txt")
	if err := run(c, win, "Put "+other); err != nil {
		t.Fatal(err)
	}
	if readDisk(t, other) != "xabc\n" || readDisk(t, path) != "abc\n" {
		t.Error("the wrong file was written")
	}
	if i := info(c, win); i.Window.Name != other || i.Window.Dirty {
		t.Errorf("the window is %+v", i.Window)
	}
	// A file that is there already was never read, and says nothing of the window's own.
	writeDisk(t, path, "precious\n")
	err := run(c, win, "Put "+path)
	if core.CodeOf(err) != core.CodeConflict || readDisk(t, path) != "precious\n" {
		t.Errorf("Put over another file: %v, it holds %q", err, readDisk(t, path))
	}
	if info(c, win).Window.Stale {
		t.Error("the window's own file is said to have changed")
	}
}

// A relative name in a window's command is in the window's directory: where its file is.
func TestRelativeNames(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	path := writeFile(t, "a.txt", "abc\n")
	dir := filepath.Dir(path)
	win := open(t, c, path).Window.String()
	if err := run(c, win, "Put b.txt"); err != nil || readDisk(t, filepath.Join(dir, "b.txt")) != "abc\n" {
		t.Errorf("Put b.txt: %v", err)
	}
	if got := info(c, win).Window.Name; got != filepath.Join(dir, "b.txt") {
		t.Errorf("the window is on %s", got)
	}
	writeDisk(t, filepath.Join(dir, "c.txt"), "other\n")
	if err := run(c, win, "Get c.txt"); err != nil || read(t, c, win) != "other\n" {
		t.Errorf("Get c.txt: %v, %q", err, read(t, c, win))
	}
	listing := open(t, c, dir).Window.String()
	for name, in := range map[string]string{"d.txt": win, "e.txt": listing} {
		if err := run(c, in, "New "+name); err != nil {
			t.Errorf("New %s: %v", name, err)
		}
		if got := info(c, name).Window.Name; got != filepath.Join(dir, name) {
			t.Errorf("New %s is on %s", name, got)
		}
	}
	// A terminal's directory goes before that of its window's name.
	own := filepath.Join(dir, "own")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	term := daemontest.Must[*proto.TermMade](c, &proto.TermNew{Dir: dir,
		Argv: []string{"/bin/sh", "-c", "printf '\\033]7;file://%s\\007here' '" + own + "'; exec cat"}})
	terminals{t, c}.match(term.Term.String(), "here")
	t.Cleanup(func() { _, _ = c.Call(&proto.SessionEnd{Session: daemon.DefaultLabel, Force: true}) })
	if err := run(c, term.Window.String(), "New f.txt"); err != nil {
		t.Error(err)
	}
	if got := info(c, "f.txt").Window.Name; got != filepath.Join(own, "f.txt") {
		t.Errorf("New f.txt in a terminal is on %s", got)
	}
}

// What can't be saved says so, and stays unsaved.
func TestPutRefused(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	path := writeFile(t, "a.txt", "abc\n")
	win := open(t, c, path).Window.String()
	insert(t, c, win, "x")
	dir := open(t, c, filepath.Dir(path)).Window.String()
	for _, tt := range []struct {
		win, command string
		code         core.Code
	}{
		{win, "Put /nowhere/at/all", core.CodeNotFound},
		{win, "Put " + filepath.Dir(path), core.CodeBadRequest},
		{dir, "Put", core.CodeBadRequest},
	} {
		if err := run(c, tt.win, tt.command); core.CodeOf(err) != tt.code {
			t.Errorf("%s: %v (%s), want %s", tt.command, err, core.CodeOf(err), tt.code)
		}
	}
	if i := info(c, win); !i.Window.Dirty || i.Window.Name != path {
		t.Errorf("the window is %+v", i.Window)
	}
	// The root user writes what is read-only; a file in place of a directory stops it too.
	if os.Getuid() == 0 {
		return
	}
	if err := os.Chmod(path, 0o440); err != nil {
		t.Fatal(err)
	}
	if err := run(c, win, "Put"); err == nil {
		t.Error("a read-only file was saved")
	}
}

// Get keeps unsaved work unless it is forced, and then who did that brings it back by undo.
func TestGet(t *testing.T) {
	c := daemontest.Start(t).Dial()
	path := writeFile(t, "a.txt", "abc\n")
	win := open(t, c, path).Window.String()
	insert(t, c, win, "mine ")
	writeDisk(t, path, "theirs\n")
	err := run(c, win, "Get")
	if code := core.CodeOf(err); code != core.CodeUnsaved && code != core.CodeConflict {
		t.Fatalf("Get over unsaved work: %v", err)
	}
	if got := read(t, c, win); got != "mine abc\n" {
		t.Fatalf("after a refused Get: %q", got)
	}
	if err := run(c, win, "Get -f"); err != nil {
		t.Fatal(err)
	}
	if got, i := read(t, c, win), info(c, win); got != "theirs\n" || i.Window.Dirty || i.Window.Stale {
		t.Fatalf("after Get -f: %q, %+v", got, i.Window)
	}
	undo := &proto.ProposeIn{Win: win, Proposal: core.Proposal{Ask: &core.AskUndo{}}}
	daemontest.Must[*proto.Outcome](c, undo)
	if got := read(t, c, win); got != "mine abc\n" || !info(c, win).Window.Dirty {
		t.Errorf("after undo: %q, dirty %v", got, info(c, win).Window.Dirty)
	}
	undo.Proposal.Ask = &core.AskUndo{Redo: true}
	daemontest.Must[*proto.Outcome](c, undo)
	if got := read(t, c, win); got != "theirs\n" {
		t.Errorf("after redo: %q", got)
	}
	writeDisk(t, path, "newer\n")
	if err := run(c, win, "Get -f"); err != nil || read(t, c, win) != "newer\n" {
		t.Errorf("Get: %v, %q", err, read(t, c, win))
	}
	writeDisk(t, path, "newest\n")
	if err := run(c, win, "Get"); err != nil || read(t, c, win) != "newest\n" {
		t.Errorf("Get of a clean window: %v, %q", err, read(t, c, win))
	}
}

// Get takes no listing for a file's text, nor a file's text for a listing.
func TestGetOfOtherKind(t *testing.T) {
	c := daemontest.Start(t).Dial()
	path := writeFile(t, "a.txt", "abc\n")
	listed := filepath.Join(filepath.Dir(path), "dir")
	if err := os.Mkdir(listed, 0o700); err != nil {
		t.Fatal(err)
	}
	writeDisk(t, filepath.Join(listed, "b"), "")
	win, dir := open(t, c, path).Window.String(), open(t, c, listed).Window.String()
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(listed, path); err != nil {
		t.Fatal(err)
	}
	writeDisk(t, listed, "a file\n")
	for _, tt := range []struct{ win, command, text string }{
		{win, "Get", "abc\n"}, {win, "Get -f", "abc\n"}, {dir, "Get", "b\n"}, {dir, "Get -f", "b\n"},
	} {
		err := run(c, tt.win, tt.command)
		if got := read(t, c, tt.win); core.CodeOf(err) != core.CodeBadRequest || got != tt.text {
			t.Errorf("%s in %s: %v, text %q", tt.command, tt.win, err, got)
		}
	}
}

// A window that is given the name of another file has unsaved changes until it is saved there, and
// that is refused once if something else is there.
func TestRenameToOtherFile(t *testing.T) {
	c := daemontest.Start(t).Dial()
	path := writeFile(t, "a.txt", "abc\n")
	other := filepath.Join(filepath.Dir(path), "b.txt")
	writeDisk(t, other, "theirs\n")
	win := open(t, c, path).Window.String()
	daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Win: win, Proposal: core.Proposal{
		Ask: &core.AskRename{Name: other}}})
	if i := info(c, win); !i.Window.Dirty || i.OnDisk {
		t.Fatalf("renamed: %+v", i)
	}
	if err := run(c, win, "Put"); core.CodeOf(err) != core.CodeConflict {
		t.Fatalf("the first Put: %v", err)
	}
	if got := readDisk(t, other); got != "theirs\n" {
		t.Fatalf("a refused Put wrote %q", got)
	}
	if err := run(c, win, "Put"); err != nil {
		t.Fatal(err)
	}
	if i := info(c, win); i.Window.Dirty || readDisk(t, other) != "abc\n" ||
		readDisk(t, path) != "abc\n" {
		t.Errorf("saved: %+v, %q", i.Window, readDisk(t, other))
	}
}

// What is known of a window's own file is not taken for what is known of the one that Put names.
func TestPutOverCopy(t *testing.T) {
	c := daemontest.Start(t).Dial()
	path := writeFile(t, "a.txt", "abc\n")
	other := filepath.Join(filepath.Dir(path), "b.txt")
	writeDisk(t, other, "abc\n")
	win := open(t, c, path).Window.String()
	insert(t, c, win, "mine ")
	err := run(c, win, "Put "+other)
	if got := readDisk(t, other); core.CodeOf(err) != core.CodeConflict || got != "abc\n" {
		t.Fatalf("Put over another file: %v, %q", err, got)
	}
}

// What is no file is refused; a directory is a listing; a missing file is new, in a directory that
// is there.
func TestOpenKinds(t *testing.T) {
	c := daemontest.Start(t).Dial()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	writeDisk(t, filepath.Join(dir, "b"), "")
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	o := daemontest.Must[*proto.Opened](c, &proto.Open{Files: []proto.File{
		{Path: fifo}, {Path: "/dev/null"},
		{Path: filepath.Join(dir, "none", "x")}, {Path: "relative"}, {Path: dir, Addr: "["},
		{Path: dir}, {Path: filepath.Join(dir, "new")}}})
	want := []core.Code{core.CodeBadRequest, core.CodeBadRequest, core.CodeNotFound,
		core.CodeBadRequest, core.CodeBadRequest, "", ""}
	for i, p := range o.Places {
		if p.Code != want[i] {
			t.Errorf("open %s: %s %s, want %s", p.Path, p.Code, p.Message, want[i])
		}
	}
	if got := read(t, c, o.Places[5].Window.String()); got != "a/\nb\nfifo\n" {
		t.Errorf("the listing is %q", got)
	}
	if w := daemontest.Must[*proto.WindowList](c, &proto.Windows{}).Windows; len(w) != 2 {
		t.Errorf("%d windows", len(w))
	}
}

// Many who open one file at once get one buffer in one window.
func TestOpenAtOnce(t *testing.T) {
	d := daemontest.Start(t)
	path := writeFile(t, "a.txt", strings.Repeat("a line\n", 500_000))
	var wg sync.WaitGroup
	places := make([]proto.Place, 8)
	for i := range places {
		c := d.Dial()
		wg.Go(func() {
			r, err := c.Call(&proto.Open{Files: []proto.File{{Path: path}}})
			if err != nil {
				t.Error(err)
				return
			}
			places[i] = r.(*proto.Opened).Places[0]
		})
	}
	wg.Wait()
	for _, p := range places {
		if p.Err() != nil || p != places[0] {
			t.Errorf("one got %+v, another %+v", places[0], p)
		}
	}
}

// A file that is open already is found by its other names: there is one buffer on it.
func TestOpenByOtherName(t *testing.T) {
	c := daemontest.Start(t).Dial()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	writeDisk(t, path, "abc\n")
	writeDisk(t, filepath.Join(dir, "b.txt"), "abc\n")
	for name, err := range map[string]error{
		"link":   os.Symlink("a.txt", filepath.Join(dir, "link")),
		"hard":   os.Link(path, filepath.Join(dir, "hard")),
		"dir":    os.Symlink(".", filepath.Join(dir, "dir")),
		"broken": os.Symlink("none", filepath.Join(dir, "broken")),
	} {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	first := open(t, c, filepath.Join(dir, "dir", "a.txt"))
	for _, name := range []string{"a.txt", "link", "hard", "dir/link"} {
		if p := open(t, c, filepath.Join(dir, name)); p.Buffer != first.Buffer || p.Window != first.Window {
			t.Errorf("%s got %+v, want %+v", name, p, first)
		}
	}
	for _, name := range []string{"b.txt", "broken"} {
		if p := open(t, c, filepath.Join(dir, name)); p.Buffer == first.Buffer {
			t.Errorf("%s is taken for the same file", name)
		}
	}
}

// Any bytes, also many, are opened, edited and saved exactly, and are the same after a restart.
func TestExactBytes(t *testing.T) {
	d := daemontest.Start(t)
	random := make([]byte, 200_000)
	rand.NewChaCha8([32]byte{1}).Read(random)
	for _, content := range []string{
		"", "\n", "no newline", "crlf\r\nmixed\nends\r", "\xff\xfe\x00a", "\x00", "\xef\xbb\xbfbom",
		"caf\xe9", string(random),
		strings.Repeat("0123456789abcdef0123456789abcde\n", 20<<20/32) + "\xff",
	} {
		path := writeFile(t, "file", content)
		c := d.Dial()
		win := open(t, c, path).Window.String()
		i := info(c, win)
		if i.Bytes != len(content) || i.Window.Dirty || i.Hash != i.Disk {
			t.Errorf("%d bytes opened as %+v", len(content), i)
		}
		insert(t, c, win, "é\n")
		if err := run(c, win, "Put"); err != nil {
			t.Error(err)
		}
		if got := readDisk(t, path); got != "é\n"+content {
			t.Errorf("%d bytes were saved as %d", len(content), len(got))
		}
		before := info(c, win)
		d.Stop()
		d.Run()
		if after := info(d.Dial(), win); after.Hash != before.Hash || after.Window.Dirty {
			t.Errorf("%d bytes after a restart: %+v, before %+v", len(content), after, before)
		}
	}
}

// A save in a session that a UI leads is noted down by it, and costs it no lease.
func TestPutUnderLeader(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	path := writeFile(t, "a.txt", "abc\n")
	place := open(t, c, path)
	ui := d.Attach(core.AttachUI, "", "human:ann")
	for _, s := range []core.Shard{core.LayoutShard, place.Window.Shard(), place.Buffer.Shard()} {
		ui.Lead(s)
	}
	b := core.Bundle{}
	b.Add(place.Buffer.Shard(), core.Edit(0, 0, 0, "x", 0))
	ui.Commit(b)
	done := make(chan error, 1)
	go func() { done <- run(c, place.Window.String(), "Put") }()
	ui.Until(func() bool { return len(done) > 0 || !ui.R.Buffer(place.Buffer).Dirty() })
	ui.Until(func() bool {
		w := ui.R.Window(place.Window)
		return len(w.Runs) > 0 && w.Runs[len(w.Runs)-1].Done
	})
	if err := <-done; err != nil || readDisk(t, path) != "xabc\n" {
		t.Errorf("Put: %v, the file holds %q", err, readDisk(t, path))
	}
	for _, s := range []core.Shard{core.LayoutShard, place.Window.Shard(), place.Buffer.Shard()} {
		if !ui.R.Leads(s) {
			t.Errorf("the UI lost the lease of %v", s)
		}
	}
}

// Get of another file brings that one's text under the window's own name, which makes it unsaved;
// unless that is what the own file holds.
func TestGetOfAnotherFile(t *testing.T) {
	c := daemontest.Start(t).Dial()
	path, other := writeFile(t, "a.txt", "abc\n"), writeFile(t, "b.txt", "other\n")
	win := open(t, c, path).Window.String()
	if err := run(c, win, "Get "+other); err != nil {
		t.Fatal(err)
	}
	if i := info(c, win); !i.Window.Dirty || i.Window.Name != path || read(t, c, win) != "other\n" {
		t.Errorf("after Get of another file: %+v %q", i.Window, read(t, c, win))
	}
	if err := run(c, win, "Get "+other); core.CodeOf(err) != core.CodeUnsaved {
		t.Errorf("Get of another file over unsaved text: %v", err)
	}
	writeDisk(t, other, "more\n")
	if err := run(c, win, "Get -f "+other); err != nil || read(t, c, win) != "more\n" {
		t.Errorf("forced: %v, %q", err, read(t, c, win))
	}
	if err := run(c, win, "Put"); err != nil || readDisk(t, path) != "more\n" {
		t.Errorf("Put: %v, %q", err, readDisk(t, path))
	}
	if i := info(c, win); i.Window.Dirty {
		t.Error("dirty after Put")
	}
	if err := run(c, win, "Get "+other); err != nil || info(c, win).Window.Dirty {
		t.Errorf("Get of what the own file holds: %v, dirty %v", err, info(c, win).Window.Dirty)
	}
	// A window without a name has no file of its own.
	reply := daemontest.Must[*proto.Opened](c, &proto.Open{HasText: true})
	unnamed := reply.Places[0].Window.String()
	if err := run(c, unnamed, "Get "+other); err != nil || read(t, c, unnamed) != "more\n" {
		t.Errorf("Get into a window without a name: %v, %q", err, read(t, c, unnamed))
	}
}

// A leader that renames a buffer between the save and the word of it does not get the other file
// marked as saved.
func TestRenameDuringPut(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	path := writeFile(t, "a.txt", "abc\n")
	other := filepath.Join(filepath.Dir(path), "b.txt")
	place := open(t, c, path)
	win, buf := place.Window.String(), place.Buffer.Shard()
	insert(t, c, win, "x")
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Lead(buf)
	put := make(chan error, 1)
	go func() { put <- run(d.Dial(), win, "Put") }()
	renamed := false
	for !renamed {
		m := ui.Recv()
		if e, ok := m.(*core.Evaluate); ok {
			if _, renamed = e.Proposal.Ask.(*core.AskClean); renamed {
				b := core.Bundle{}
				b.Add(buf, core.Of(&core.Rename{Name: other}))
				ui.Commit(b)
			}
		}
		ui.Do(ui.R.Receive(m.(core.Msg)))
	}
	for len(put) == 0 {
		pong(t, ui)
	}
	if err := <-put; err != nil {
		t.Error(err)
	}
	if got := readDisk(t, path); got != "xabc\n" {
		t.Errorf("%s holds %q", path, got)
	}
	if i := info(c, win); !i.Window.Dirty || i.Window.Name != other {
		t.Errorf("%+v: %s was never written", i.Window, other)
	}
}

// What is known of the own file's change is nothing to a Put of another file.
func TestPutElsewhereWhileStale(t *testing.T) {
	c := daemontest.Start(t).Dial()
	path, other := writeFile(t, "a.txt", "abc\n"), writeFile(t, "b.txt", "other\n")
	win := open(t, c, path).Window.String()
	insert(t, c, win, "x")
	writeDisk(t, path, "theirs\n")
	if err := run(c, win, "Put"); core.CodeOf(err) != core.CodeConflict {
		t.Fatalf("the first Put: %v", err)
	}
	fresh := filepath.Join(filepath.Dir(other), "fresh.txt")
	if err := run(c, win, "Put "+other); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("over another file: %v", err)
	}
	if err := run(c, win, "Put -f "+other); err != nil || readDisk(t, other) != "xabc\n" {
		t.Errorf("elsewhere: %v, %q", err, readDisk(t, other))
	}
	if i := info(c, win); i.Window.Dirty || i.Window.Stale || i.Window.Name != other {
		t.Errorf("after it: %+v", i.Window)
	}
	if err := run(c, win, "Put "+fresh); err != nil || readDisk(t, fresh) != "xabc\n" {
		t.Errorf("where there is none: %v, %q", err, readDisk(t, fresh))
	}
}
