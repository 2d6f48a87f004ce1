package client

import (
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// echoEnv makes the test binary the other end of BenchmarkRoundTrip: raw or poller.
const echoEnv = "APEX_TEST_ECHO"

// echo sends back what comes in on standard input, a socket.
func echo(how string) error {
	buf := make([]byte, 16)
	if how == "raw" {
		for {
			n, err := syscall.Read(0, buf)
			if n <= 0 {
				return err
			}
			if _, err := syscall.Write(0, buf[:n]); err != nil {
				return err
			}
		}
	}
	nc, err := net.FileConn(os.Stdin)
	if err != nil {
		return err
	}
	for {
		n, err := nc.Read(buf)
		if err != nil {
			return err
		}
		if _, err := nc.Write(buf[:n]); err != nil {
			return err
		}
	}
}

// BenchmarkRoundTrip is 16 bytes to another process and back: by system calls that block, which is
// the floor of ping and key_follow, and through the runtime's poller on both sides, below which no
// program in Go comes that serves more than one connection to a thread.
func BenchmarkRoundTrip(b *testing.B) {
	for _, how := range []string{"raw", "poller"} {
		b.Run(how, func(b *testing.B) {
			pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				b.Fatal(err)
			}
			syscall.CloseOnExec(pair[0])
			ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), echoEnv+"="+how)
			c.Stdin = theirs
			if err := c.Start(); err != nil {
				b.Fatal(err)
			}
			theirs.Close()
			trip := func(buf []byte) error {
				if _, err := syscall.Write(pair[0], buf); err != nil {
					return err
				}
				_, err := syscall.Read(pair[0], buf)
				return err
			}
			if how == "poller" {
				nc, err := net.FileConn(ours)
				if err != nil {
					b.Fatal(err)
				}
				defer nc.Close()
				trip = func(buf []byte) error {
					if _, err := nc.Write(buf); err != nil {
						return err
					}
					_, err := io.ReadFull(nc, buf)
					return err
				}
			}
			buf := make([]byte, 16)
			for b.Loop() {
				if err := trip(buf); err != nil {
					b.Fatal(err)
				}
			}
			ours.Close()
			b.StopTimer()
			c.Process.Kill()
			c.Wait()
		})
	}
}
