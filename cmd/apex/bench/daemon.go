package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"apex/client"
	"apex/core"
	"apex/proto"
)

// at says how the rig's daemon is reached.
func (r *rig) at() client.Daemon {
	return client.Daemon{State: r.state(), Socket: r.socket(), NoStart: true, Build: "bench"}
}

// startDaemon starts the rig's daemon and waits until it answers.
func (r *rig) startDaemon() error {
	c := exec.Command(r.exe, "server", "--state", r.state(), "--socket", r.socket())
	c.Stdout, c.Stderr = io.Discard, os.Stderr
	if err := c.Start(); err != nil {
		return err
	}
	r.daemon = c
	_, err := r.dialSoon()
	return err
}

// dialSoon dials until the daemon answers.
func (r *rig) dialSoon() (*client.Conn, error) {
	for deadline := time.Now().Add(time.Minute); ; {
		conn, err := client.Dial(r.ctx, r.at())
		if err == nil {
			err = conn.Ping(r.ctx)
		}
		if err == nil {
			return conn, nil
		}
		if time.Now().After(deadline) || r.ctx.Err() != nil {
			return nil, fmt.Errorf("the daemon does not answer: %w", err)
		}
		time.Sleep(500 * time.Microsecond)
	}
}

// killDaemon ends the daemon as a crash would.
func (r *rig) killDaemon() {
	r.daemon.Process.Kill()
	r.daemon.Wait()
	r.daemon = nil
}

// stopDaemon ends the default session, with what runs in it, and the daemon.
func (r *rig) stopDaemon() {
	if r.daemon == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if conn, err := client.Dial(ctx, r.at()); err == nil {
		conn.EndSession(ctx, "", true)
		conn.Close()
	}
	r.daemon.Process.Signal(syscall.SIGTERM)
	stop := context.AfterFunc(ctx, func() { r.daemon.Process.Kill() })
	r.daemon.Wait()
	stop()
	r.daemon = nil
}

// attach attaches a client of this process.
func (r *rig) attach(kind core.AttachKind) (*client.Session, error) {
	return client.Attach(r.ctx, client.Options{Create: true, Kind: kind, Name: "bench",
		Actor: "human:bench", Daemon: r.at()})
}

// until processes what arrives until a condition holds.
func (r *rig) until(s *client.Session, cond func() bool) error {
	for {
		s.Process()
		if cond() {
			return nil
		}
		if err := s.Wait(r.ctx); err != nil {
			return err
		}
	}
}

// file writes a text file of about n bytes: lines of 64 bytes.
func (r *rig) file(name string, n int) (string, error) {
	const line = "The quick brown fox jumps over the lazy dog, 0123456789 abcdefg\n"
	path := filepath.Join(r.dir, name)
	return path, os.WriteFile(path, []byte(strings.Repeat(line, n/len(line))), 0o600)
}

// open opens files in the default session, which is made.
func (r *rig) open(paths ...string) ([]proto.Place, error) { return r.openIn("", paths...) }

// openIn opens files in a session.
func (r *rig) openIn(session string, paths ...string) ([]proto.Place, error) {
	conn, err := client.Dial(r.ctx, r.at())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	req := &proto.Open{Session: session, Focus: true}
	for _, p := range paths {
		req.Files = append(req.Files, proto.File{Path: p})
	}
	places, err := conn.Open(context.WithoutCancel(r.ctx), req)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		if err := p.Err(); err != nil {
			return nil, err
		}
	}
	return places, nil
}

// lead attaches a UI that leads a buffer.
func (r *rig) lead(b core.BufferID) (*client.Session, error) {
	s, err := r.attach(core.AttachUI)
	if err != nil {
		return nil, err
	}
	return s, r.until(s, func() bool { return s.Leads(b.Shard()) })
}

// key commits one typed rune at the end of a buffer, in one undo group with those before it.
func key(s *client.Session, b core.BufferID) error {
	buf := s.Buffer(b)
	n := buf.Text.Runes()
	var bundle core.Bundle
	bundle.Add(b.Shard(), core.Edit(buf.Version, n, n, "x", 1))
	return s.Commit(bundle)
}

// cpu returns the CPU time of a process, all threads, in nanoseconds.
func cpu(pid int) (float64, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(tasks) == 0 {
		return 0, skip("no /proc/PID/schedstat on this system")
	}
	sum := 0.0
	for _, t := range tasks {
		b, err := os.ReadFile(t)
		if err != nil {
			continue // a thread that ended; its time is small
		}
		word, _, _ := strings.Cut(string(b), " ")
		ns, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return 0, err
		}
		sum += ns
	}
	return sum, nil
}

// resident returns the resident memory of a process in bytes.
func resident(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, skip("no /proc/PID/status on this system")
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kb * 1024, err
		}
	}
	return 0, errors.New("no VmRSS in /proc/PID/status")
}
