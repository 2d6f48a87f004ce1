package holder_test

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"apex/term/holder"
)

func socketOf(s holder.Spec) string { return filepath.Join(s.Dir, s.Name+".holder") }

func dial(t *testing.T, s holder.Spec) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", socketOf(s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(within))
	return c
}

// What a peer sends that is no daemon costs its connection and nothing else.
func TestBadPeers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		send string
		code holder.Code // of the answer; 0: the connection is closed
	}{
		{"garbage", "\x00\x00\x00\x04junk", 0},
		{"too long", "\xff\xff\xff\xffx", 0},
		{"not a map", "\x00\x00\x00\x01\x05", 0},
		{"unknown op", "\x00\x00\x00\x06\xa2\x01\x07\x02\x18\x63", holder.BadSpec},
		{"kill", string(holder.KillFrame()), holder.BadSpec},
		{"start", "\x00\x00\x00\x05\xa2\x01\x07\x02\x01", holder.BadSpec},
		{"adopt", string(holder.AdoptFrame()), holder.Busy},
	}
	s := spec(t, holder.Pty, "cat")
	h := start(t, s)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := dial(t, s)
			if _, err := io.WriteString(c, test.send); err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 1000)
			n, err := c.Read(b)
			if test.code == 0 && n > 0 || test.code != 0 && err != nil {
				t.Fatalf("answer %q, error %v", b[:n], err)
			}
			if got := holder.CodeOf(b[:n]); got != test.code {
				t.Errorf("code %v, want %v", got, test.code)
			}
		})
	}
	// A frame in pieces is one; connections that say nothing are not in the daemon's way.
	c := dial(t, s)
	for _, b := range holder.AdoptFrame() {
		if _, err := c.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.ReadFull(c, make([]byte, 4)); err != nil {
		t.Error(err)
	}
	for range 20 {
		if c, err := net.Dial("unix", socketOf(s)); err == nil { // else the queue is full
			defer c.Close()
		}
	}
	if list, err := h.Processes(bounded(t)); err != nil || len(list) != 1 {
		t.Errorf("processes %v, error %v", list, err)
	}
	select {
	case <-h.Exited():
		t.Errorf("the program has ended: %v", h.Exit())
	default:
	}
}

// A daemon becomes one of another build by exec: its holders are its children still.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	dir := sockets(t)
	d := startDaemon(t, "upgrade", dir, "u")
	first, second := d.says(), d.says()
	var holderPID, pid, again, pidAgain int
	fmt.Sscan(first, &holderPID, &pid)
	fmt.Sscan(second, &again, &pidAgain)
	if pid == 0 || holderPID != again || pid != pidAgain {
		t.Fatalf("before %q, after %q", first, second)
	}
	if got := d.says(); got != "before after" {
		t.Errorf("output %q", got)
	}
	if got := d.says(); got != "nothing is left" {
		t.Error(got)
	}
}
