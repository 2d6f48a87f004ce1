package acceptance

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// remote is a person's machine and one that they reach by ssh.
type remote struct {
	*machine // near
	far      *machine
}

// newRemote makes both. The ssh in the near one's path takes its options and the host as ssh does, and
// runs what is asked for on the far one, whatever the host; it fails while there is a file "down".
func newRemote(t *testing.T) *remote {
	t.Helper()
	needTmux(t)
	r := &remote{newMachine(t), newMachine(t)}
	if err := os.Mkdir(r.path("bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.write("bin/ssh", fmt.Sprintf(`#!/bin/sh
while [ "$1" != -- ]; do shift; done
host=$2 command=$3
echo "$command" >>%[1]s/ssh.log
echo $$ >%[1]s/ssh.pid
if [ -e %[1]s/down ]; then echo "ssh: connect to host $host port 22: No route to host" >&2; exit 255; fi
if [ "$host" = banner ]; then printf 'Welcome to \033[1mfar\033[0m\n'; fi
if [ "$host" = asks ]; then
	printf 'password: ' >/dev/tty; read -r answer </dev/tty
	[ "$answer" = secret ] || { echo "Permission denied." >&2; exit 255; }
fi
cd %[2]s/home
HOME=%[2]s/home XDG_RUNTIME_DIR=%[2]s/run PATH=%[2]s/bin:$PATH
export HOME XDG_RUNTIME_DIR PATH
exec $command
`, r.dir, r.far.dir))
	if err := os.Chmod(r.path("bin", "ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(r.far.path("bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, r.far.path("bin", "apex")); err != nil {
		t.Fatal(err)
	}
	r.env = append(r.env, "PATH="+r.path("bin")+":"+os.Getenv("PATH"))
	return r
}

// cut ends the ssh that runs, without a word to either side.
func (r *remote) cut() {
	r.t.Helper()
	pid := 0
	eventually(r.t, "ssh", func() bool {
		pid = readPID(r.path("ssh.pid"))
		return pid != 0 && alive(pid)
	})
	kill(pid, syscall.SIGKILL)
}

// down takes the network away, or brings it back.
func (r *remote) down(is bool) {
	r.t.Helper()
	if is {
		r.write("down", "")
	} else if err := os.Remove(r.path("down")); err != nil {
		r.t.Fatal(err)
	}
}

// The link is cut in the middle of 50 lines of typing, ten more are typed, and the link comes back:
// all of them are there, and undo walks through all of them. The far daemon was started by attaching,
// the file is one of the far machine.
func TestRemoteCut(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	path := r.far.write("home/notes.txt", "begun\n")
	p := r.terminal("near", 90, 24)
	sane := p.modes()
	p.ui("attach", "far:", "notes.txt")
	p.wait("the far file", func(s screen) bool { return s.has("begun") && s.has("far:default") })
	want := ""
	for n := range 60 {
		if n == 25 {
			r.down(true)
			r.cut()
		}
		line := fmt.Sprintf("line %d", n)
		p.types(line)
		p.keys("Enter")
		want += line + "\n"
	}
	p.wait("the state of the link", func(s screen) bool {
		return strings.Contains(s[0], " unsynced  offline") && s.has("No route to host")
	})
	p.shows("again in ")
	r.down(false)
	p.keys("F2")
	p.wait("the link", screen.synced)
	r.far.reads(path, []byte(want+"begun\n"))
	for undone := false; !undone; {
		p.keys("C-z")
		got := r.far.must("text", "read", path)
		undone = got == "begun\n"
	}
	p.detach()
	if modes := p.modes(); modes != sane {
		t.Errorf("the terminal is left with %q, was %q", modes, sane)
	}
	eventually(t, "ssh to end", func() bool { return !alive(readPID(r.path("ssh.pid"))) })
	if r.lockedBy() != 0 {
		t.Error("a daemon was started on this machine")
	}
}

// By itself the link is made again too; meanwhile another UI, on the far machine, takes over, and
// what was typed in vain is in the text.
func TestRemoteCutAndTakenOver(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	path := r.far.write("home/notes.txt", "begun\n")
	p := r.terminal("near", 90, 24)
	p.ui("attach", "far:", path)
	p.types("first ")
	p.wait("the disk", func(s screen) bool { return s.synced() && s.has("first begun") })
	r.down(true)
	r.cut()
	p.wait("the cut", func(s screen) bool { return strings.Contains(s[0], "offline") })
	p.types("second ")
	p.shows("first second begun")

	q := r.far.terminal("far", 90, 24)
	q.ui()
	q.shows("first begun")
	q.types("third")
	q.wait("the disk", func(s screen) bool { return s.synced() && s.has("third") })
	r.down(false)
	p.wait("the link", func(s screen) bool { return s.status("watching") || s.status("fenced") })
	text := ""
	if !within(*patience, func() bool {
		text = r.far.must("text", "read", path)
		rest := text
		for _, typed := range []string{"third", "second ", "first "} { // wherever the other's caret was
			rest = strings.Replace(rest, typed, "", 1)
		}
		return rest == "begun\n"
	}) {
		t.Errorf("the text is %q; %s", text, r.far.must("win", "ls"))
	}
	p.wait("everything", func(s screen) bool { return !strings.Contains(s[0], "unsynced") && s.has("third") })
	p.detach()
	q.detach()
}

// A far daemon that somebody stops is not started by who waits for it; one that is there again is
// found. What was typed meanwhile is in it.
func TestRemoteStopped(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	path := r.far.write("home/notes.txt", "begun\n")
	p := r.terminal("near", 90, 24)
	p.ui("attach", "far:", path)
	r.far.must("stop")
	p.wait("the stop", func(s screen) bool { return strings.Contains(s[0], "daemon stopped, waiting") })
	p.types("meanwhile ")
	p.keys("F2")
	eventually(t, "a try that starts no daemon", func() bool {
		log, err := os.ReadFile(r.path("ssh.log"))
		return err == nil && strings.HasSuffix(string(log), " --no-start\n")
	})
	eventually(t, "the end of it", func() bool { return !alive(readPID(r.path("ssh.pid"))) })
	if pid := r.far.lockedBy(); alive(pid) {
		t.Errorf("a daemon with pid %d was started", pid)
	}
	r.far.must("ls")
	p.wait("the next daemon", screen.synced)
	r.far.reads(path, []byte("meanwhile begun\n"))
	p.detach()
}

// What is wrong with the way is said before there is a UI, and a way that asks is answered.
func TestRemoteRefused(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	p := r.terminal("near", 100, 24)
	n := 0
	refused := func(args string, status int, want ...string) {
		t.Helper()
		n++
		p.shell(fmt.Sprintf("clear; %s attach %s; echo %d ended with $?", binary, args, n))
		s := p.wait("an end", func(s screen) bool {
			return slices.ContainsFunc(s, func(row string) bool {
				return strings.HasPrefix(row, fmt.Sprint(n, " ended with "))
			})
		})
		all := strings.ReplaceAll(s.String(), "\n", "")
		for _, w := range append(want, fmt.Sprintf("ended with %d", status)) {
			if !strings.Contains(all, w) {
				t.Errorf("attach %s says, without %q:\n%s", args, w, s)
			}
		}
	}
	refused("banner:", 1, "prints", `Welcome to \x1b[1mfar`, "before it speaks the protocol", "(bad_request)")
	r.down(true)
	refused("far:", 5, "ssh far: ssh: connect to host far port 22: No route to host (exit status 255)")
	r.down(false)
	refused("--via 'echo why >&2; exit 7' work", 5, "why (exit status 7)")
	refused("--via 'exit 0'", 5, "has not said why")
	refused("--via 'echo x' far:work", 2, "names a host")
	refused(":work", 2, "want HOST:SESSION")
	refused("far:nosuch", 3, `no session "nosuch"`)
	refused("--no-start", 2, "goes with --stdio")
	p.start("attach", "asks:")
	p.shows("password:")
	p.shell("wrong")
	p.wait("the refusal", func(s screen) bool { return s.has("Permission denied.") && s.has("ended with 5") })
	p.start("attach", "asks:")
	p.shows("password:")
	p.shell("secret")
	p.wait("the UI", screen.leading)
	p.detach()
}
