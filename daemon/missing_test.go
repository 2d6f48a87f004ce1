package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"apex/daemon/daemontest"
	"apex/proto"
)

// onlySession is the directory of the one session that there is, and what its daemon runs on.
func onlySession(t *testing.T) (*daemontest.Daemon, string) {
	d := daemontest.Start(t)
	open(t, d.Dial(), writeFile(t, "a.txt", "abc\n"))
	id := session(t, d.Dial()).Session
	d.Stop()
	return d, filepath.Join(d.State, "sessions", fmt.Sprintf("%x", id[:]))
}

// A session of which nothing is left is listed with the reason, and can be moved aside.
func TestNothingLeft(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"no journal": func(dir string) error { return emptied(dir) },
		"a file": func(dir string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			return os.WriteFile(dir, []byte("x"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, dir := onlySession(t)
			if err := spoil(dir); err != nil {
				t.Fatal(err)
			}
			for range 2 { // starts
				d.Run()
				got := daemontest.Must[*proto.Sessions](d.Dial(), &proto.SessionList{}).Sessions
				if len(got) != 1 || !strings.Contains(got[0].Trouble, dir) {
					t.Fatalf("listed: %+v", got)
				}
				d.Stop()
			}
			d.Run()
			c := d.Dial()
			label := daemontest.Must[*proto.Sessions](c, &proto.SessionList{}).Sessions[0].Label
			daemontest.Must[*proto.Done](c, &proto.SessionEnd{Session: label, Force: true})
			if _, err := os.Lstat(dir); !os.IsNotExist(err) {
				t.Errorf("it is still there: %v", err)
			}
		})
	}
}

func emptied(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o700)
}

// A session that was being made when the daemon was killed was never there.
func TestNeverMade(t *testing.T) {
	d, dir := onlySession(t)
	if err := emptied(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+".new", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // starts
		d.Run()
		got := daemontest.Must[*proto.Sessions](d.Dial(), &proto.SessionList{}).Sessions
		if len(got) != 0 {
			t.Errorf("listed: %+v", got)
		}
		d.Stop()
	}
}

// Of a session and its copy one runs; the other is listed as what it is.
func TestCopiedSession(t *testing.T) {
	d, dir := onlySession(t)
	copied := filepath.Join(filepath.Dir(dir), "0copy") // before it in any order
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	before := fileNames(tree(t, copied))
	d.Run()
	c := d.Dial()
	if got := session(t, c); got.Trouble != "" || got.Windows != 1 {
		t.Errorf("the session is listed as %+v", got)
	}
	got := daemontest.Must[*proto.Sessions](c, &proto.SessionList{}).Sessions
	if len(got) != 2 || !strings.Contains(got[0].Trouble, "a copy of session") {
		t.Errorf("listed: %+v", got)
	}
	if after := fileNames(tree(t, copied)); len(after) != len(before) {
		t.Errorf("the copy's files were %v and are %v", before, after)
	}
}
