package daemon_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"

	"golang.org/x/sys/unix"
)

// A daemon without a descriptor left tells clients that it is busy, each of them, and serves again
// when there are some. It shares its process, and with that its descriptors, with this test.
func TestNoDescriptorLeft(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	daemontest.Must[*proto.Done](c, &proto.Ping{})
	defer c.Net.Close()
	// What the collector closes would be one more.
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var comers []int
	for range 3 { // that they are sockets already is all that they can have
		s, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		comers = append(comers, s)
	}
	restore := exhaust(t)
	var said [][]byte
	for _, s := range comers {
		if err := unix.Connect(s, &unix.SockaddrUnix{Name: d.Socket}); err != nil {
			t.Error(err)
		}
		var all []byte
		buf := make([]byte, 4096)
		for n := 1; n > 0; { // until the daemon hangs up
			n, _ = unix.Read(s, buf)
			all = append(all, buf[:max(n, 0)]...)
		}
		said = append(said, all)
	}
	restore()
	for i, b := range said {
		if f := lastFailure(t, b); f == nil || f.Code != core.CodeBusy {
			t.Errorf("client %d is told %v, want busy", i, f)
		}
		unix.Close(comers[i])
	}
	for refused := len(comers); ; refused++ { // whoever comes before it has noticed is refused too
		c, err := d.TryDial()
		if err != nil {
			continue
		}
		reply, err := c.Call(&proto.Status{})
		if err != nil {
			continue
		}
		if got := reply.(*proto.DaemonStatus).Refused; got > refused || got < len(comers) {
			t.Errorf("%d are counted as refused, want %d", got, refused)
		}
		return
	}
}

// exhaust takes all descriptors, until the function that it returns is called.
func exhaust(t *testing.T) (restore func()) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	const enough = 512 // more than this process has open
	less := before
	less.Cur = min(before.Cur, enough)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &less); err != nil {
		t.Fatal(err)
	}
	var taken []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		taken = append(taken, f)
	}
	if len(taken) == 0 {
		t.Fatal("no descriptor was free to begin with")
	}
	return func() {
		for _, f := range taken {
			f.Close()
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	}
}

// lastFailure is the failure in the last of some frames, nil if there is none.
func lastFailure(t *testing.T, b []byte) (out *core.Error) {
	t.Helper()
	for len(b) >= 4 {
		n := 4 + int(b[0])<<24 + int(b[1])<<16 + int(b[2])<<8 + int(b[3])
		if n > len(b) {
			t.Fatalf("a frame of %d bytes in %d", n, len(b))
		}
		out = nil
		if m, err := proto.Decode(proto.FromDaemon, b[4:n]); err == nil {
			if f, ok := m.(*core.Failure); ok {
				out = f.Err
			}
		}
		b = b[n:]
	}
	return out
}
