package socket

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/nettest"
)

// pipe returns both ends of a connection.
func pipe(dir string) (a, b *Conn, err error) {
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	one, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	two, err := l.Accept()
	if err != nil {
		return nil, nil, err
	}
	if a, err = New(one.(*net.UnixConn)); err != nil {
		return nil, nil, err
	}
	b, err = New(two.(*net.UnixConn))
	return a, b, err
}

func pair(t testing.TB) (a, b *Conn) {
	t.Helper()
	a, b, err := pipe(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// A connection is a net.Conn in all that one promises, of deadlines and of a close while others use
// it first of all.
func TestConn(t *testing.T) {
	dir := t.TempDir()
	nettest.TestConn(t, func() (a, b net.Conn, stop func(), err error) {
		one, two, err := pipe(dir)
		if err != nil {
			return nil, nil, nil, err
		}
		return one, two, func() { one.Close(); two.Close() }, nil
	})
}

// What was sent to the connection before it was ours is there.
func TestNothingIsLost(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	peer, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(peer, "before")
	c, err := New(accepted.(*net.UnixConn))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(peer, " and after")
	peer.Close()
	if got, err := io.ReadAll(c); err != nil || string(got) != "before and after" {
		t.Errorf("got %q, %v", got, err)
	}
}

// Who reads or writes when the connection is closed is told, whatever they were about to do.
func TestCloseWhileInUse(t *testing.T) {
	dir := t.TempDir()
	for i := range 2000 {
		a, b, err := pipe(dir)
		if err != nil {
			t.Fatal(err)
		}
		var users sync.WaitGroup
		users.Go(func() {
			if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
				t.Errorf("read: %v", err)
			}
		})
		users.Go(func() {
			if _, err := a.Write(make([]byte, 8<<20)); !errors.Is(err, net.ErrClosed) {
				t.Errorf("write: %v", err)
			}
		})
		for range i % 100 {
			runtime.Gosched()
		}
		a.Close()
		users.Wait()
		b.Close()
	}
}

// WriteNow takes what there is room for, and then nothing, without waiting.
func TestWriteNow(t *testing.T) {
	a, b := pair(t)
	var sent bytes.Buffer
	chunk := bytes.Repeat([]byte("0123456789abcdef"), 1000)
	for {
		n, err := a.WriteNow(chunk)
		if err != nil {
			t.Fatal(err)
		}
		sent.Write(chunk[:n])
		if n < len(chunk) {
			break
		}
	}
	if n, err := a.WriteNow(chunk); n != 0 || err != nil {
		t.Fatalf("a full connection took %d bytes, %v", n, err)
	}
	rest := make(chan error, 1)
	go func() { // waits for room
		_, err := a.Write(chunk)
		rest <- errors.Join(err, a.Close())
	}()
	sent.Write(chunk)
	got, err := io.ReadAll(b)
	if err := errors.Join(err, <-rest); err != nil || !bytes.Equal(got, sent.Bytes()) {
		t.Errorf("got %d bytes of %d, %v", len(got), sent.Len(), err)
	}
	if _, err := a.WriteNow(chunk); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := b.WriteNow(chunk); err == nil || errors.Is(err, net.ErrClosed) {
		t.Errorf("the other end is closed: %v", err)
	}
}

// A deadline in the past ends a read at once, also where there is something to read; that is there
// still when the deadline is taken back.
func TestPastDeadline(t *testing.T) {
	a, b := pair(t)
	io.WriteString(b, "x")
	a.SetReadDeadline(time.Unix(1, 0))
	if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	a.SetReadDeadline(time.Time{})
	if _, err := a.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
}
