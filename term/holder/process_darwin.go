package holder

import (
	"bytes"
	"encoding/binary"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// subreaper does nothing: orphans are launchd's here.
func subreaper() error { return nil }

// nameProcess does nothing: a process keeps the name of its file here.
func nameProcess(string) error { return nil }

// processes lists the system's processes.
func processes() ([]process, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	const zombie = 5 // SZOMB of sys/proc.h
	out := make([]process, len(all))
	for i, k := range all {
		out[i] = process{pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid),
			group: int(k.Eproc.Pgid), start: uint64(k.Proc.P_starttime.Nano()),
			zombie: k.Proc.P_stat == zombie}
		if tdev := k.Eproc.Tdev; tdev != -1 {
			out[i].terminal = int(tdev)
		}
		if bytes.HasPrefix(k.Proc.P_comm[:], []byte("apex")) {
			out[i].spared = daemonOrHolder(out[i].argv())
		}
		if sid, err := unix.Getsid(out[i].pid); err == nil {
			out[i].session = sid
		}
	}
	return out, nil
}

// daemonOrHolder tells both by what they were started with.
func daemonOrHolder(argv [][]byte) bool {
	return len(argv) > 1 && (string(argv[1]) == Command || string(argv[1]) == "server")
}

// lookUp is what the system says of one process, if it is there.
func lookUp(pid int) (process, bool) {
	all, err := processes()
	if err != nil {
		return process{}, false
	}
	return find(all, pid)
}

// bootID is the same for every run of the system: starts are by the clock.
func bootID() string { return "any" }

// forks is not known here.
func forks() uint64 { return 0 }

// idsReused says that an id may have been given to another process.
func idsReused(uint64) bool { return true }

// members are the processes of a holder's program as far as they can be told here: its descendants,
// and, with theirs, those in the session of its child.
func members(all []process, holder, child int) []process {
	out := below(all, holder)
	seen := map[int]bool{holder: true}
	for _, p := range out {
		seen[p.pid] = true
	}
	for _, p := range all {
		if child == 0 || p.session != child || p.spared {
			continue
		}
		for _, q := range append(below(all, p.pid), p) {
			if !seen[q.pid] {
				seen[q.pid] = true
				out = append(out, q)
			}
		}
	}
	return out
}

// children are the ids of this process's children that it does not know of: none, where orphans
// are not its.
func children() []int { return nil }

// endsAreTold says that this process hears of the end of the last of its program.
const endsAreTold = false

// signal sends a signal to the process that was listed.
func (p process) signal(sig syscall.Signal) error { return unix.Kill(p.pid, sig) }

// argv is a process's command line, or its id where that can't be had.
func (p process) argv() [][]byte {
	b, err := unix.SysctlRaw("kern.procargs2", p.pid)
	if err != nil || len(b) < 4 {
		return nil
	}
	// The number of arguments, the file, NULs, and the arguments.
	n := int(binary.NativeEndian.Uint32(b))
	_, rest, _ := bytes.Cut(b[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	var out [][]byte
	for range n {
		word, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			break
		}
		out, rest = append(out, word), after
	}
	return out
}

func (p process) started() time.Time { return time.Unix(0, int64(p.start)) }
