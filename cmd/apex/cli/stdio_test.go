package cli

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"apex/client"
	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
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
		pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			return nil, err
		}
		syscall.CloseOnExec(pair[0])
		ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
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
