package holder

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// subreaper makes this process the parent of orphans below it.
func subreaper() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// nameProcess is what lists of processes call this one, whatever its file is called.
func nameProcess(name string) error {
	return os.WriteFile("/proc/self/comm", []byte(name), 0)
}

// processes lists the system's processes. One that ends meanwhile may be missing.
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	dir.Close()
	if err != nil {
		return nil, err
	}
	out := make([]process, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := lookUp(pid); ok {
			out = append(out, p)
		}
	}
	return out, nil
}

// lookUp is what /proc says of one process, if it is there.
func lookUp(pid int) (process, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	// The command's name is in parentheses and may have any byte in it.
	opens, closes := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	f := bytes.Fields(b[closes+1:])
	const startField = 19 // state is field 0 here, and 3 in proc_pid_stat(5)
	if opens < 0 || closes < opens || len(f) <= startField {
		return process{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(f[i]))
		return n
	}
	name := string(b[opens+1 : closes])
	start, _ := strconv.ParseUint(string(f[startField]), 10, 64)
	return process{pid: pid, parent: number(1), group: number(2), session: number(3),
		terminal: number(4), start: start, zombie: f[0][0] == 'Z' || f[0][0] == 'X',
		spared: name == holderName || name == daemonName}, true
}

// bootID identifies this run of the system: process ids and starts mean something in it alone.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if id := string(bytes.TrimSpace(b)); err == nil && id != "" {
		return id
	}
	return "unknown"
}

// forks is how many processes and threads the system has ever started; 0 if that is not known.
func forks() (n uint64) {
	b, err := os.ReadFile("/proc/stat")
	if _, after, ok := bytes.Cut(b, []byte("\nprocesses ")); err == nil && ok {
		line, _, _ := bytes.Cut(after, []byte("\n"))
		n, _ = strconv.ParseUint(string(line), 10, 64)
	}
	return n
}

// idsReused reports whether an id that was in use when so many processes had been started may have
// been given to another one. Ids are given in a circle, so half a turn is safe.
func idsReused(before uint64) bool {
	b, err := os.ReadFile("/proc/sys/kernel/pid_max")
	if err != nil || before == 0 {
		return true
	}
	circle, _ := strconv.ParseUint(string(bytes.TrimSpace(b)), 10, 64)
	now := forks()
	return now < before || now-before >= circle/2
}

// members are all processes of a holder's program: the subreaper keeps them below it.
func members(all []process, holder, _ int) []process { return below(all, holder) }

// children are the ids of this process's children, zombies included.
func children() []int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return childrenByParent()
	}
	var out []int
	for _, t := range tasks {
		b, err := os.ReadFile("/proc/self/task/" + t.Name() + "/children")
		if err != nil {
			// The kernel has no CONFIG_PROC_CHILDREN, or the thread has ended.
			return childrenByParent()
		}
		for _, f := range bytes.Fields(b) {
			if pid, err := strconv.Atoi(string(f)); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

func childrenByParent() []int {
	all, _ := processes()
	var out []int
	for _, p := range all {
		if p.parent == os.Getpid() {
			out = append(out, p.pid)
		}
	}
	return out
}

// endsAreTold says that this process hears of the end of the last of its program.
const endsAreTold = true

// signal sends a signal to the very process that was listed, never to one that has its id now.
func (p process) signal(sig syscall.Signal) error {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		if err == unix.ESRCH {
			return err
		}
		return unix.Kill(p.pid, sig) // a kernel before 5.3, or no descriptor is left
	}
	defer unix.Close(fd)
	if now, ok := lookUp(p.pid); !ok || now.start != p.start {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// argv is a process's command line; in brackets its name if it has none.
func (p process) argv() [][]byte {
	dir := "/proc/" + strconv.Itoa(p.pid)
	if b, err := os.ReadFile(dir + "/cmdline"); err == nil && len(b) > 0 {
		return bytes.Split(bytes.TrimSuffix(b, []byte{0}), []byte{0})
	}
	b, _ := os.ReadFile(dir + "/comm")
	return [][]byte{[]byte("[" + string(bytes.TrimSpace(b)) + "]")}
}

// clockTicks is how often the clock of /proc ticks in a second: USER_HZ, the same on all machines
// that Go runs on.
const clockTicks = 100

// booted is when the system was started, by the wall clock of the first that asks.
var booted = sync.OnceValue(func() time.Time {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(now.Nano()))
})

func (p process) started() time.Time {
	return booted().Add(time.Duration(p.start) * (time.Second / clockTicks))
}
