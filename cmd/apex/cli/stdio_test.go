package cli

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"apex/client"
	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
	"apex/proto/fd"
)

// A client on the other end of a pair of streams, as over ssh, is a client like any other.
func TestStdio(t *testing.T) {
	d := daemontest.Start(t)
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var bridges []*exec.Cmd
	dial := func(context.Context) (net.Conn, error) {
		a, b, err := fd.SocketPair()
		if err != nil {
			return nil, err
		}
		ours, theirs := os.NewFile(uintptr(a), "ours"), os.NewFile(uintptr(b), "theirs")
		defer ours.Close()
		defer theirs.Close()
		cmd := exec.Command("apex", "attach", "--stdio", "--state", d.State, "--socket", d.Socket)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, os.Stderr
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		bridges = append(bridges, cmd)
		return net.FileConn(ours)
	}
	s, err := client.Attach(t.Context(), client.Options{Create: true, Kind: core.AttachTool,
		Name: "test", Actor: "human:ann", Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	places, err := s.Open(t.Context(), &proto.Open{Files: []proto.File{{Path: path}}})
	if err != nil || places[0].Err() != nil {
		t.Fatal(err, places)
	}
	got, err := s.Read(t.Context(), &proto.Read{Win: places[0].Window.String()})
	if err != nil || string(got.Bytes) != "hello\n" {
		t.Errorf("read %q, %v", got.Bytes, err)
	}
	if err := s.Detach(); err != nil {
		t.Error(err)
	}
	// The bridge ends with the connection.
	for _, cmd := range bridges {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}
