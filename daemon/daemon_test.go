package daemon_test

import (
	"os"
	"path/filepath"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// writeFile makes a file in a directory of the test.
func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func readDisk(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func open(t *testing.T, c *daemontest.Client, path string) proto.Place {
	t.Helper()
	o := daemontest.Must[*proto.Opened](c, &proto.Open{Files: []proto.File{{Path: path}}, Focus: true})
	if err := o.Places[0].Err(); err != nil {
		t.Fatal(err)
	}
	return o.Places[0]
}

func read(t *testing.T, c *daemontest.Client, win string) string {
	t.Helper()
	return string(daemontest.Must[*proto.Text](c, &proto.Read{Win: win}).Bytes)
}

// A script opens, edits and saves a file in a session that nobody looks at, and finds it again
// after the daemon was stopped.
func TestHeadlessEditAndPut(t *testing.T) {
	d := daemontest.Start(t)
	path := writeFile(t, "hello.txt", "hello\n")
	c := d.Dial()
	w := open(t, c, path).Window.String()
	r := daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Win: "hello.txt", Proposal: core.Proposal{
		Ask: &core.AskEdit{Edits: []core.Span{{Q0: 5, Q1: 5, Text: ", world"}}}}}).Result
	if r.Outcome != core.Applied || r.Version != 1 {
		t.Fatalf("got %+v", r)
	}
	if got := read(t, c, w); got != "hello, world\n" {
		t.Fatalf("read %q", got)
	}
	daemontest.Must[*proto.Outcome](c, &proto.Exec{Win: w, Command: "Put"})
	if b, _ := os.ReadFile(path); string(b) != "hello, world\n" {
		t.Fatalf("the file holds %q", b)
	}
	if i := info(c, w); i.Window.Dirty || i.Disk != i.Hash {
		t.Fatalf("after put: %+v", i)
	}
	d.Stop()
	d.Run()
	c = d.Dial()
	if got := read(t, c, w); got != "hello, world\n" {
		t.Fatalf("after a restart: %q", got)
	}
	daemontest.Must[*proto.Outcome](c, &proto.Exec{Win: w, Command: "Undo"})
	if got := read(t, c, w); got != "hello\n" {
		t.Fatalf("after undo: %q", got)
	}
}

// A UI types with its own lease; a script's proposal goes through it; another UI takes over.
func TestLeadAndTakeOver(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	place := open(t, c, writeFile(t, "a.txt", "abc\n"))
	ui := d.Attach(core.AttachUI, "", "human:ann")
	buf := place.Buffer
	ui.Lead(core.LayoutShard)
	ui.Lead(buf.Shard())
	b := core.Bundle{}
	b.Add(buf.Shard(), core.Edit(0, 3, 3, "!", 0))
	ui.Commit(b)
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })

	script := d.Dial()
	done := make(chan *proto.Outcome)
	go func() {
		ask := &core.AskEdit{OnConflict: core.ConflictRebase,
			Edits: []core.Span{{Q0: 0, Q1: 1, Text: "A"}}}
		done <- daemontest.Must[*proto.Outcome](script,
			&proto.ProposeIn{Win: "a.txt", Proposal: core.Proposal{Ask: ask}})
	}()
	ui.Until(func() bool { return ui.R.Buffer(buf).Version == 2 })
	if r := (<-done).Result; r.Outcome != core.Applied || r.Version != 2 {
		t.Fatalf("got %+v", r)
	}
	second := d.Attach(core.AttachUI, "", "human:bob")
	go ui.Until(func() bool { return !ui.R.Leads(buf.Shard()) })
	second.Lead(buf.Shard())
	if got := second.R.Buffer(buf).Text.String(); got != "Abc!\n" {
		t.Fatalf("the new leader has %q", got)
	}
}
