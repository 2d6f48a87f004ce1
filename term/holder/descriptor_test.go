package holder_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"apex/term/holder"

	"golang.org/x/sys/unix"
)

// What a process was given that became the daemon, and does not know of, neither the holder nor
// the program has.
func TestNoStrayDescriptors(t *testing.T) {
	var leak [2]int
	if err := unix.Pipe(leak[:]); err != nil { // not closed on exec
		t.Fatal(err)
	}
	defer unix.Close(leak[0])
	defer unix.Close(leak[1])
	for _, kind := range []holder.Kind{holder.Pty, holder.Pipe} {
		h := start(t, spec(t, kind, script("cd /proc/self/fd; echo *; exec sleep 1000")...))
		got := strings.TrimSpace(readUntil(t, h, "\n"))
		// The shell's own directory handle is the fourth of a glob.
		if got != "0 1 2" && got != "0 1 2 3" {
			t.Errorf("the program has descriptors %s", got)
		}
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", h.Info().Holder))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", h.Info().Holder, e.Name()))
			ours, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", leak[0]))
			if to == ours {
				t.Errorf("the holder has %s as %s", to, e.Name())
			}
		}
		cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", h.Info().Holder))
		if err != nil || cwd != "/" {
			t.Errorf("the holder is in %s, error %v", cwd, err)
		}
	}
}

func TestHundredStartsLeaveNothing(t *testing.T) {
	dir := sockets(t)
	var before []string
	var pids []int
	for i := range 100 {
		kind := holder.Pty
		if i%2 == 1 {
			kind = holder.Pipe
		}
		h, err := holder.Start(bounded(t), "", holder.Spec{Dir: dir, Name: "one",
			Argv: []string{"true"}, Env: os.Environ(), Cwd: "/", Kind: kind,
			Size: holder.Size{Cols: 80, Rows: 24}})
		if err != nil {
			t.Fatal(err)
		}
		readAll(t, h)
		pids = append(pids, h.Info().Holder, h.Info().PID)
		if left, err := h.Release(bounded(t)); err != nil || len(left) > 0 {
			t.Fatalf("left %v, error %v", left, err)
		}
		if i == 0 {
			before = descriptors(t) // the runtime has its own by now
		}
	}
	if after := descriptors(t); !slices.Equal(before, after) {
		t.Errorf("descriptors\n%s\nwant\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	for _, pid := range pids {
		if err := unix.Kill(pid, 0); err != unix.ESRCH {
			t.Errorf("process %d is left: %v", pid, err)
		}
	}
}

// A start that is given up, at whatever moment, leaves nothing: no program, no holder, no socket.
func TestStartIsGivenUp(t *testing.T) {
	dir := sockets(t)
	r, w, err := os.Pipe() // every program holds its reading end
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	started := 0
	for i := range 60 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*200*time.Microsecond)
		h, err := holder.Start(ctx, "", holder.Spec{Dir: dir, Name: fmt.Sprint("g", i), Input: r,
			Argv: script("sleep 1000 & wait"), Env: os.Environ(), Cwd: "/", Kind: holder.Pipe})
		cancel()
		if err == nil {
			started++
			end(t, h)
		}
	}
	t.Logf("%d of 60 were started", started)
	r.Close()
	// The end of the last reader is an error for the writer.
	fds := []unix.PollFd{{Fd: int32(w.Fd())}}
	for {
		n, err := unix.Poll(fds, int(within.Milliseconds()))
		if err == unix.EINTR {
			continue
		}
		if err != nil || n != 1 || fds[0].Revents&unix.POLLERR == 0 {
			t.Fatalf("programs are left: poll %d, %v, events %x", n, err, fds[0].Revents)
		}
		break
	}
	for names := []string{dir}; len(names) > 0; {
		if names, err = holder.List(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// With 64 descriptors: the error says so, what runs is not harmed, and it works again after.
func TestOutOfDescriptors(t *testing.T) {
	d := startDaemon(t, "descriptors", sockets(t))
	if got := d.says(); got != "ok" {
		t.Error(got)
	}
}
