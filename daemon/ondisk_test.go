package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/disk/disktest"
	"apex/daemon/watch"
	"apex/proto"
)

// opened is a file that is open, and a follower that sees what becomes of it without ever asking.
type opened struct {
	t    *testing.T
	c    *daemontest.Client
	p    *daemontest.Peer
	path string
	win  string
	buf  core.BufferID
}

func openFollowed(t *testing.T, d *daemontest.Daemon, path string) *opened {
	t.Helper()
	c := d.Dial()
	place := open(t, c, path)
	o := &opened{t: t, c: c, path: path, win: place.Window.String(), buf: place.Buffer}
	o.p = d.Attach(core.AttachUI, "", "human:bob")
	o.p.Until(func() bool { return o.p.R.Knows(o.buf.Shard()) })
	return o
}

func (o *opened) buffer() *core.Buffer { return o.p.R.Buffer(o.buf) }

// becomes waits until the follower has a text, without the file being asked for.
func (o *opened) becomes(text string) {
	o.t.Helper()
	o.p.Until(func() bool { return o.buffer().Text.String() == text && !o.buffer().Dirty() })
}

// is checks what a tool is told.
func (o *opened) is(text string, dirty, stale, missing bool) *proto.TextInfo {
	o.t.Helper()
	i := info(o.c, o.win)
	if got := read(o.t, o.c, o.win); got != text {
		o.t.Errorf("%s reads %q, want %q", o.path, got, text)
	}
	if w := i.Window; w.Dirty != dirty || w.Stale != stale || w.Missing != missing {
		o.t.Errorf("%s: dirty %v, stale %v, missing %v, want %v, %v, %v", o.path, w.Dirty, w.Stale,
			w.Missing, dirty, stale, missing)
	}
	return i
}

func undo(t *testing.T, c *daemontest.Client, win string, ask core.AskUndo, actor string) {
	t.Helper()
	daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Win: win,
		Proposal: core.Proposal{Author: core.Author{Actor: actor}, Ask: &ask}})
}

func appendDisk(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A clean buffer has by itself what another program writes: as one step of the actor disk, by the
// smallest edits, which a person's undo passes over and anybody's takes back.
func TestChangeUnderCleanBuffer(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "one\ntwo\nthree\n"))
	insert(t, o.c, o.win, "zero\n")
	if err := run(o.c, o.win, "Put"); err != nil {
		t.Fatal(err)
	}
	daemontest.Must[*proto.Outcome](o.c, &proto.ProposeIn{Win: o.win,
		Proposal: core.Proposal{Ask: &core.AskSelect{Q0: 9, Q1: 12}}}) // "two"
	writeDisk(t, o.path, "zero\nONE\nmore\ntwo\nthree\nfour\n")
	o.becomes("zero\nONE\nmore\ntwo\nthree\nfour\n")
	if c, ok := o.buffer().Newest(); !ok || c.Actor != "disk" {
		t.Errorf("the newest change is %+v", c)
	}
	w, _ := core.ParseWindowID(o.win)
	if v, _ := o.buffer().View(w.Body()); o.buffer().Text.Substring(v.Q0, v.Q1) != "two" {
		t.Errorf("the selection is now %d,%d", v.Q0, v.Q1)
	}
	undo(t, o.c, o.win, core.AskUndo{}, "") // of zero
	o.is("ONE\nmore\ntwo\nthree\nfour\n", true, false, false)
	undo(t, o.c, o.win, core.AskUndo{Redo: true}, "")
	undo(t, o.c, o.win, core.AskUndo{}, "disk")
	o.is("zero\none\ntwo\nthree\n", true, false, false)
	undo(t, o.c, o.win, core.AskUndo{Redo: true}, "disk")
	o.is("zero\nONE\nmore\ntwo\nthree\nfour\n", false, false, false)
}

// What has the same bytes afterwards has not changed, whatever happened to the file: no entry is
// made, and Put is not refused.
func TestSameBytesAreNoChange(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "text\n"))
	insert(t, o.c, o.win, "mine ")
	before := o.is("mine text\n", true, false, false).Origin.Seq
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(o.path, later, later); err != nil { // touch
		t.Fatal(err)
	}
	o.is("mine text\n", true, false, false)
	other := o.path + ".new"
	writeDisk(t, other, "text\n")
	if err := os.Rename(other, o.path); err != nil { // the same bytes, another file
		t.Fatal(err)
	}
	writeDisk(t, o.path, "text\n")
	if i := o.is("mine text\n", true, false, false); i.Origin.Seq != before {
		t.Errorf("%d entries for nothing", i.Origin.Seq-before)
	}
	if err := run(o.c, o.win, "Put"); err != nil {
		t.Error(err)
	}
}

// Our own saves, of any size, are no changes of others.
func TestOwnSavesAreKnown(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "text\n"))
	for i := range 20 {
		insert(t, o.c, o.win, fmt.Sprintln(i))
		if err := run(o.c, o.win, "Put"); err != nil {
			t.Fatal(err)
		}
	}
	o.is(readDisk(t, o.path), false, false, false)
	for _, c := range entriesOf(t, o.c, o.buf.Shard()) {
		switch c.Body.(type) {
		case *core.DiskChanged, *core.Stale:
			t.Errorf("%v for what was saved here", c)
		}
	}
}

// entriesOf returns the ops of a shard's log.
func entriesOf(t *testing.T, c *daemontest.Client, s core.Shard) (ops []core.Op) {
	t.Helper()
	l := daemontest.Must[*proto.Logged](c, &proto.Log{Shard: proto.Shard(s)})
	for _, b := range l.Batches {
		ops = append(ops, b.Batch.Ops...)
	}
	return ops
}

// A buffer with unsaved changes is marked, keeps its text, and Put is refused once for it, also when
// the mark was there before.
func TestChangeUnderDirtyBuffer(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "text\n"))
	insert(t, o.c, o.win, "mine ")
	appendDisk(t, o.path, "theirs\n")
	o.p.Until(func() bool { return o.buffer().Stale })
	o.is("mine text\n", true, true, false)
	if err := run(o.c, o.win, "Put"); core.CodeOf(err) != core.CodeConflict {
		t.Fatalf("the first Put: %v", err)
	}
	if got := readDisk(t, o.path); got != "text\ntheirs\n" {
		t.Fatalf("a refused Put wrote %q", got)
	}
	o.is("mine text\n", true, true, false) // which looks again, and does not forget the warning
	if err := run(o.c, o.win, "Put"); err != nil {
		t.Fatal(err)
	}
	o.is("mine text\n", false, false, false)

	insert(t, o.c, o.win, "2 ")
	writeDisk(t, o.path, "theirs\n")
	o.p.Until(func() bool { return o.buffer().Stale })
	writeDisk(t, o.path, "mine text\n") // and back
	o.p.Until(func() bool { return !o.buffer().Stale })
	if err := run(o.c, o.win, "Put"); err != nil {
		t.Errorf("Put over what was read: %v", err)
	}
}

// Who takes back what was unsaved has the disk's text at the next look.
func TestUnsavedTextTakenBack(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "text\n"))
	insert(t, o.c, o.win, "mine ")
	writeDisk(t, o.path, "theirs\n")
	o.is("mine text\n", true, true, false)
	undo(t, o.c, o.win, core.AskUndo{}, "")
	o.is("theirs\n", false, false, false)
}

// A command that is executed from outside acts on what the disk holds, and so does Put.
func TestCommandSeesDisk(t *testing.T) {
	d := daemontest.Start(t, func(d *daemontest.Daemon) { // nobody tells
		d.PollEvery = time.Hour
		d.Watch = func() (watch.Notifier, error) { return nil, syscall.EMFILE }
	})
	o := openFollowed(t, d, writeFile(t, "a.txt", "text\n"))
	writeDisk(t, o.path, "text\ntheirs\n")
	if err := run(o.c, o.win, "Look theirs"); err != nil {
		t.Error(err)
	}
	writeDisk(t, o.path, "more\n")
	if err := run(o.c, o.win, "Put"); err != nil || readDisk(t, o.path) != "more\n" {
		t.Errorf("Put of what nobody changed here: %v, the file holds %q", err, readDisk(t, o.path))
	}
	o.is("more\n", false, false, false)
}

// Typing what the disk has by now makes the buffer clean.
func TestTextThatTheDiskHasToo(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "text\n"))
	insert(t, o.c, o.win, "new ")
	writeDisk(t, o.path, "new text\n")
	o.becomes("new text\n")
	o.is("new text\n", false, false, false)
}

// A change comes in by whoever leads the buffer, who is not fenced by it.
func TestChangeUnderLeader(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "one\n"))
	o.p.Lead(o.buf.Shard())
	appendDisk(t, o.path, "two\n")
	o.becomes("one\ntwo\n")
	if !o.p.R.Leads(o.buf.Shard()) {
		t.Error("the leader was fenced")
	}
	m := o.p.R.Meta()
	lease, _ := m.Lease(o.buf.Shard())
	if lease.Holder == core.Server {
		t.Errorf("the lease is %+v", lease)
	}
}

// A file that is gone is said to be; its window keeps the text and does not close unasked; Put makes
// it again.
func TestFileGone(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "text\n"))
	if err := os.Remove(o.path); err != nil {
		t.Fatal(err)
	}
	o.p.Until(func() bool { return o.buffer().Missing })
	o.is("text\n", false, false, true)
	for _, command := range []string{"Get", "Merge"} {
		if err := run(o.c, o.win, command); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("%s: %v", command, err)
		}
	}
	if err := run(o.c, o.win, "Del"); core.CodeOf(err) != core.CodeUnsaved {
		t.Errorf("Del: %v", err)
	}
	if err := run(o.c, o.win, "Put"); err != nil {
		t.Fatal(err)
	}
	o.is("text\n", false, false, false)
	if got := readDisk(t, o.path); got != "text\n" {
		t.Errorf("the file holds %q", got)
	}
	if err := os.Remove(o.path); err != nil {
		t.Fatal(err)
	}
	o.p.Until(func() bool { return o.buffer().Missing })
	writeDisk(t, o.path, "another\n") // it comes back as another
	o.becomes("another\n")
	o.is("another\n", false, false, false)
}

// So does the directory that it is in, which may come back too.
func TestDirectoryGone(t *testing.T) {
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.PollEvery = 10 * time.Millisecond })
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.txt")
	writeDisk(t, path, "text\n")
	o := openFollowed(t, d, path)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	o.p.Until(func() bool { return o.buffer().Missing })
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	writeDisk(t, path, "new\n")
	o.becomes("new\n")
	appendDisk(t, path, "newer\n")
	o.becomes("new\nnewer\n")
}

// A file that was renamed keeps its window and its history: to open the new name shows them.
func TestFileRenamed(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "text\nend\n"))
	insert(t, o.c, o.win, "first ")
	if err := run(o.c, o.win, "Put"); err != nil {
		t.Fatal(err)
	}
	insert(t, o.c, o.win, "unsaved ")
	moved := filepath.Join(filepath.Dir(o.path), "b.txt")
	if err := os.Rename(o.path, moved); err != nil {
		t.Fatal(err)
	}
	o.p.Until(func() bool { return o.buffer().Missing })
	if i := o.is("unsaved first text\nend\n", true, false, true); i.Window.MovedTo != moved {
		t.Errorf("it went to %q", i.Window.MovedTo)
	}
	appendDisk(t, moved, "theirs\n")
	p := open(t, o.c, moved)
	if p.Buffer != o.buf || !strings.Contains(p.Message, o.path) {
		t.Fatalf("opened in %+v", p)
	}
	i := o.is("unsaved first text\nend\n", true, true, false)
	if i.Window.Name != moved || i.Window.MovedTo != "" {
		t.Errorf("it is %+v", i.Window)
	}
	if err := run(o.c, o.win, "Merge"); err != nil {
		t.Error(err)
	}
	o.is("unsaved first text\nend\ntheirs\n", true, false, false)
	undo(t, o.c, o.win, core.AskUndo{}, "")
	undo(t, o.c, o.win, core.AskUndo{}, "")
	undo(t, o.c, o.win, core.AskUndo{}, "")
	o.is("text\nend\n", true, false, false)
}

// A file that only came up at the same time is another one.
func TestNotRenamed(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "text\n"))
	if err := os.Remove(o.path); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(filepath.Dir(o.path), "b.txt")
	writeDisk(t, other, "tent\n") // often with the same inode
	o.p.Until(func() bool { return o.buffer().Missing })
	if p := open(t, o.c, other); p.Buffer == o.buf || p.Message != "" {
		t.Errorf("opened in %+v", p)
	}
	o.is("text\n", false, false, true)
}

// A link is followed to where it leads, and to where it leads next.
func TestChangeBehindLink(t *testing.T) {
	d := daemontest.Start(t)
	target, next := writeFile(t, "target.txt", "one\n"), writeFile(t, "next.txt", "next\n")
	link := filepath.Join(t.TempDir(), "link.txt")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	o := openFollowed(t, d, link)
	appendDisk(t, target, "two\n")
	o.becomes("one\ntwo\n")
	if err := os.Symlink(next, link+".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link+".new", link); err != nil {
		t.Fatal(err)
	}
	o.becomes("next\n")
	o.is("next\n", false, false, false)
	appendDisk(t, next, "more\n")
	o.is("next\nmore\n", false, false, false)
}

// What changed while no daemon ran is found at its start, of clean and of dirty buffers, though nobody
// asks.
func TestChangesWhileStopped(t *testing.T) {
	d := daemontest.Start(t)
	clean := openFollowed(t, d, writeFile(t, "clean.txt", "clean\n"))
	dirty := openFollowed(t, d, writeFile(t, "dirty.txt", "dirty\n"))
	gone := openFollowed(t, d, writeFile(t, "gone.txt", "gone\n"))
	insert(t, dirty.c, dirty.win, "unsaved ")
	d.Stop()
	appendDisk(t, clean.path, "more\n")
	appendDisk(t, dirty.path, "more\n")
	if err := os.Remove(gone.path); err != nil {
		t.Fatal(err)
	}
	d.Run()
	p := d.Attach(core.AttachUI, "", "human:bob")
	for _, o := range []*opened{clean, dirty, gone} {
		o.c, o.p = d.Dial(), p
	}
	p.Until(func() bool {
		for _, o := range []*opened{clean, dirty, gone} {
			if !p.R.Knows(o.buf.Shard()) {
				return false
			}
		}
		return clean.buffer().Text.String() == "clean\nmore\n" && dirty.buffer().Stale &&
			gone.buffer().Missing
	})
	clean.is("clean\nmore\n", false, false, false)
	dirty.is("unsaved dirty\n", true, true, false)
	gone.is("gone\n", false, false, true)
}

// scarce is a notifier that has watches for a number of directories only, as a system does whose
// watches have run out.
type scarce struct {
	watch.Notifier
	mu   sync.Mutex
	room int
}

func (s *scarce) Add(dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.room == 0 {
		return &os.PathError{Op: "inotify_add_watch", Path: dir, Err: syscall.ENOSPC}
	}
	s.room--
	return s.Notifier.Add(dir)
}

func (s *scarce) give(n int) {
	s.mu.Lock()
	s.room += n
	s.mu.Unlock()
}

// With watches for two directories the others are polled: all changes are seen, and that it is so is
// said once, until there are watches again.
func TestWatchesRunOut(t *testing.T) {
	s := &scarce{room: 2}
	d := daemontest.Start(t, func(d *daemontest.Daemon) {
		d.PollEvery = 10 * time.Millisecond
		d.Watch = func() (n watch.Notifier, err error) {
			s.Notifier, err = watch.System()
			return s, err
		}
	})
	var all []*opened
	for i := range 5 {
		all = append(all, openFollowed(t, d, writeFile(t, fmt.Sprintf("%d.txt", i), "text\n")))
	}
	for round := range 3 {
		for _, o := range all {
			appendDisk(t, o.path, fmt.Sprintln(round))
		}
		for _, o := range all {
			o.becomes(readDisk(t, o.path))
		}
	}
	st := daemontest.Must[*proto.DaemonStatus](all[0].c, &proto.Status{})
	if st.Polled != 3 || !strings.Contains(st.PollWhy, "no space left") {
		t.Errorf("the status tells of %d directories: %s", st.Polled, st.PollWhy)
	}
	if lines := d.Lines("by polling"); len(lines) != 1 {
		t.Errorf("said %d times: %q", len(lines), lines)
	}
	s.give(10)
	for daemontest.Must[*proto.DaemonStatus](all[0].c, &proto.Status{}).Polled > 0 {
	}
	for _, o := range all {
		appendDisk(t, o.path, "end\n")
		o.becomes(readDisk(t, o.path))
	}
}

// Where nothing is ever told of changes, a tool still reads what the disk holds, and so does who turns
// to the window.
func TestLooksWithoutWatch(t *testing.T) {
	d := daemontest.Start(t, func(d *daemontest.Daemon) {
		d.PollEvery = time.Hour
		d.Watch = func() (watch.Notifier, error) { return nil, syscall.EMFILE }
	})
	o := openFollowed(t, d, writeFile(t, "a.txt", "one\n"))
	other := openFollowed(t, d, writeFile(t, "b.txt", "b\n")) // has the focus
	appendDisk(t, o.path, "two\n")
	o.is("one\ntwo\n", false, false, false)
	appendDisk(t, o.path, "three\n")
	insert(t, o.c, o.win, "0 ")
	o.is("0 one\ntwo\nthree\n", true, false, false)
	undo(t, o.c, o.win, core.AskUndo{}, "")
	appendDisk(t, o.path, "four\n")
	w, _ := core.ParseWindowID(o.win)
	daemontest.Must[*proto.Outcome](other.c, &proto.ProposeIn{Proposal: core.Proposal{
		Ask: &core.AskShow{Window: w}}})
	o.becomes("one\ntwo\nthree\nfour\n")
	appendDisk(t, other.path, "more\n")
	other.p.Do(other.p.R.Take(other.buf.Shard()))
	other.p.Send(&proto.Here{View: mustWindow(t, other.win).Body()})
	other.becomes("b\nmore\n")
}

func mustWindow(t *testing.T, win string) core.WindowID {
	t.Helper()
	w, ok := core.ParseWindowID(win)
	if !ok {
		t.Fatal(win)
	}
	return w
}

// While the session's own disk refuses, what a file holds can't be noted down; it is looked at again
// when it can.
func TestChangeWhileNotDurable(t *testing.T) {
	disk := disktest.New(1)
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = disk.Mount() })
	o := openFollowed(t, d, writeFile(t, "a.txt", "one\n"))
	disk.SetFault(disktest.Always(syscall.EIO))
	t.Cleanup(func() { disk.SetFault(nil) })
	for session(t, o.c).Trouble == "" { // the first to be refused is told
		_, _ = o.c.Call(&proto.ProposeIn{Win: o.win, Proposal: core.Proposal{
			Ask: &core.AskSelect{Q0: 1, Q1: 1}}})
	}
	appendDisk(t, o.path, "two\n")
	if got := read(t, o.c, o.win); got != "one\n" {
		t.Fatalf("taken in while nothing is kept: %q", got)
	}
	disk.SetFault(nil)
	o.becomes("one\ntwo\n")
}

// A change that is more than one entry takes is told, and the text stays.
func TestChangeTooLarge(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "text\n"))
	writeDisk(t, o.path, strings.Repeat("0123456789abcde\n", core.MaxBatchBytes/16+1))
	o.p.Until(func() bool { return o.buffer().Stale })
	o.is("text\n", false, true, false)
	if err := run(o.c, o.win, "Get"); core.CodeOf(err) != core.CodeTooLarge {
		t.Errorf("Get: %v", err)
	}
	writeDisk(t, o.path, "small\n")
	o.becomes("small\n")
	o.is("small\n", false, false, false)
}
