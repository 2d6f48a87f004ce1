package socket

import (
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"apex/proto/fd"
)

// echoEnv makes the test binary the other end of BenchmarkRoundTrip, one that reads and writes in
// the way that it names.
const echoEnv = "APEX_TEST_ECHO"

func TestMain(m *testing.M) {
	if how := os.Getenv(echoEnv); how != "" {
		echo(how) // until the socket is closed
		return
	}
	os.Exit(m.Run())
}

func echo(how string) error {
	rw, err := open(how, os.Stdin)
	if err != nil {
		return err
	}
	buf := make([]byte, 16)
	for {
		n, err := rw.Read(buf)
		if err != nil {
			return err
		}
		if _, err := rw.Write(buf[:n]); err != nil {
			return err
		}
	}
}

// open gives a socket to who reads and writes it: by system calls that block, which is the floor;
// as the standard library has it; and as this package does.
func open(how string, f *os.File) (io.ReadWriteCloser, error) {
	if how == "raw" {
		return blocking(f.Fd()), nil
	}
	nc, err := net.FileConn(f)
	if err != nil || how == "net" {
		return nc, err
	}
	return New(nc.(*net.UnixConn))
}

type blocking uintptr

func (s blocking) Read(b []byte) (int, error) {
	n, err := syscall.Read(int(s), b)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

func (s blocking) Write(b []byte) (int, error) { return syscall.Write(int(s), b) }

func (s blocking) Close() error { return syscall.Close(int(s)) }

// BenchmarkRoundTrip is 16 bytes to another process and back.
func BenchmarkRoundTrip(b *testing.B) {
	for _, how := range []string{"raw", "net", "socket"} {
		b.Run(how, func(b *testing.B) {
			ours, end, err := fd.SocketPair()
			if err != nil {
				b.Fatal(err)
			}
			theirs := os.NewFile(uintptr(end), "theirs")
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), echoEnv+"="+how)
			c.Stdin = theirs
			if err := c.Start(); err != nil {
				b.Fatal(err)
			}
			theirs.Close()
			rw, err := open(how, os.NewFile(uintptr(ours), "ours"))
			if err != nil {
				b.Fatal(err)
			}
			buf := make([]byte, 16)
			for b.Loop() {
				rw.Write(buf)
				if _, err := io.ReadFull(rw, buf); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			c.Process.Kill()
			c.Wait()
			rw.Close()
		})
	}
}
