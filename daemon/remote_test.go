package daemon_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// Who is on another machine brings the environment of the process here that the connection goes
// through, and no more of it than others bring.
func TestEnvironmentOfPeer(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("the environment of processes is not to be had here: ", err)
	}
	d := daemontest.Start(t)
	c := d.Dial()
	open(t, c, writeFile(t, "a.txt", "abc\n"))
	daemontest.Must[*proto.Done](c, &proto.EnvSet{Mode: proto.EnvReplace, Peer: true,
		Vars: []proto.EnvVar{{Name: "TZ", Value: "of the other machine"}}})
	got := daemontest.Must[*proto.EnvList](c, &proto.EnvGet{}).Vars
	want := proto.EnvVar{Name: "PATH", Value: os.Getenv("PATH")}
	if !slices.Contains(got, want) {
		t.Errorf("got %v, want %v in it", got, want)
	}
	for _, v := range got {
		if v.Name == "HOME" || v.Value == "of the other machine" {
			t.Errorf("%v is brought too", v)
		}
	}
}

// Names of files that a client on another machine can't look at are looked at here, and ~ is here.
func TestFilesOfThisMachine(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	path := writeFile(t, "a.txt", "abc\n")
	daemontest.Must[*proto.Done](c, &proto.Exists{Path: path})
	daemontest.Must[*proto.Done](c, &proto.Exists{Path: filepath.Dir(path)})
	daemontest.Must[*proto.Done](c, &proto.Exists{Path: "~"})
	for path, want := range map[string]core.Code{path + "x": core.CodeNotFound, "a.txt": core.CodeBadRequest,
		"": core.CodeBadRequest, "~x/y": core.CodeBadRequest, "~/" + filepath.Base(path) + "/no": core.CodeNotFound} {
		if _, err := c.Call(&proto.Exists{Path: path}); core.CodeOf(err) != want {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
	place := open(t, c, "~/apex-test-no-such-file")
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	if place.Path != filepath.Join(home, "apex-test-no-such-file") {
		t.Errorf("opened %s", place.Path)
	}
}
