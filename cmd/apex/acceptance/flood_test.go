package acceptance

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// floodMaxKB is what the daemon may have while and after a program prints without end: the program
// itself, the rings, a history of 16 MiB, what is saved of it at a time, and as much garbage as the
// collector leaves. A cell takes more than a byte: a line of 60 MB that is kept takes much more.
const floodMaxKB = 200 << 10

// floods starts yes in a terminal and returns when it prints.
func (h *hosted) floods() {
	h.m.t.Helper()
	h.types("yes 'a line of a flood'")
	h.flows()
}

// flows waits until more is printed.
func (h *hosted) flows() {
	h.m.t.Helper()
	from := h.info().End
	eventually(h.m.t, "the flood", func() bool { return h.info().End > from+1000 })
}

// stops checks that the shell prompts again and that nothing is printed any more.
func (h *hosted) stops() {
	h.m.t.Helper()
	h.waits("quiet=100")
	h.types("echo $((7000+7))")
	h.waits("/^7007$/")
	end := h.info().End
	h.waits("quiet=100")
	if now := h.info().End; now != end {
		h.m.t.Errorf("the terminal goes on from line %d to %d", end, now)
	}
}

// memory checks what the daemon takes.
func (m *machine) memory(when string) {
	m.t.Helper()
	now, peak := m.memoryKB()
	m.t.Logf("%s the daemon has %d MB, at most %d MB", when, now>>10, peak>>10)
	if peak > floodMaxKB && !raceEnabled {
		m.t.Errorf("%s the daemon has %d kB, at most %d kB: is there a bound?", when, now, peak)
	}
}

// While a program prints without end, other windows are typed into, and a key ends it.
func TestFlood(t *testing.T) {
	t.Parallel()
	needTmux(t)
	needProc(t)
	m := newMachine(t)
	m.must("new", "default") // so that no UI starts the daemon
	p := m.terminal("person", 100, 40)
	p.ui()
	h := m.hosts("80x24", "sh")
	other := m.hosts("80x24", "sh")
	other.steady()
	h.floods()
	p.shows("a line of a flood")
	for n := range 10 {
		p.shell(fmt.Sprintf("echo $((8000+%d))", n))
		p.shows(fmt.Sprint(8000 + n))
	}
	h.flows()
	m.memory("in a flood")
	began := time.Now()
	p.keys("M-Up", "C-c")
	h.waits("quiet=100")
	t.Logf("Ctrl-C and a tenth of a second of quiet took %v", time.Since(began).Round(time.Millisecond))
	h.stops()
	p.shows("7007")
	h.floods()
	h.keys("C-c")
	h.stops()
	m.memory("after two floods")
}

// slowLink is a socket whose other end is the daemon's, and from which its answers come slowly.
func (m *machine) slowLink(bytesPerSecond int) (path string) {
	m.t.Helper()
	var status struct{ Socket string }
	m.decode(m.must("status", "--json"), &status)
	path = m.path("slow")
	l, err := net.Listen("unix", path)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("unix", status.Socket)
			if err != nil {
				near.Close()
				continue
			}
			go func() {
				io.Copy(far, near)
				far.Close()
			}()
			go func() {
				paced(near, far, bytesPerSecond)
				near.Close()
			}()
		}
	}()
	return path
}

// paced copies at a pace.
func paced(to io.Writer, from io.Reader, bytesPerSecond int) {
	const pieces = 20 // a second
	again := time.NewTicker(time.Second / pieces)
	defer again.Stop()
	b := make([]byte, bytesPerSecond/pieces)
	for {
		n, err := from.Read(b)
		if _, err2 := to.Write(b[:n]); err != nil || err2 != nil {
			return
		}
		<-again.C
	}
}

// A UI behind a slow link sees what a flood has come to, not all of it, and its Ctrl-C arrives.
func TestFloodBehindSlowLink(t *testing.T) {
	t.Parallel()
	needTmux(t)
	needProc(t)
	m := newMachine(t)
	h := m.hosts("80x24", "sh")
	link := m.slowLink(20_000)
	p := m.terminal("far", 100, 30)
	p.shell("export APEX_SOCKET=" + link)
	p.ui()
	p.shows("$")
	h.types(`i=0; while :; do i=$((i+1)); echo "line $i of a flood that is behind a slow link"; done`)
	p.shows("of a flood")
	h.flows()
	// Many megabytes later it is a few frames behind, not megabytes.
	from := h.info().End
	eventually(t, "megabytes", func() bool { return h.info().End > from+50_000 })
	p.wait("what is printed now", func(s screen) bool {
		var n uint64
		rows := strings.Split(s.body(), "\n")
		fmt.Sscanf(rows[len(rows)-1], "line %d ", &n)
		return n > from+50_000
	})
	m.memory("with a UI behind a slow link")
	began := time.Now()
	p.keys("C-c")
	h.waits("quiet=200")
	t.Logf("Ctrl-C behind the link took %v", time.Since(began).Round(time.Millisecond))
	h.stops()
	p.shows("7007")
	p.pictures(h)
	p.detachFrom()
}

// A line that does not end, and characters that are cut anywhere.
func TestEndlessLine(t *testing.T) {
	t.Parallel()
	needProc(t)
	m := newMachine(t)
	h := m.hosts("80x24", "sh", "-c", "head -c 60000000 /dev/zero | tr '\\0' x; echo; echo behind; exec cat")
	h.waits("/^behind$/")
	m.memory("after 60 MB on one line")
	if got := h.screen(); !got.has("behind") || !got.has(strings.Repeat("x", 80)) {
		t.Errorf("the screen is\n%s", got)
	}
	m.must("term", "resize", h.term, "20x24")
	m.must("term", "resize", h.term, "80x24")
	m.memory("after it was wrapped anew")
}

// Characters that arrive byte by byte are the same characters.
func TestCutCharacters(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	text := "é世界 e\u0301 👩\u200d👧 ┌─┐"
	m.write("text", text+"\n")
	m.write("bytes", "aé\xe4\xb8\xff\xc3(\n")
	h := m.hosts("80x24", "sh", "-c", `n=$(wc -c <text); i=0
		while [ $i -lt $n ]; do dd if=text bs=1 skip=$i count=1 2>/dev/null; i=$((i+1)); done
		cat bytes text; echo behind; exec cat`)
	h.waits("/^behind$/")
	got := h.lines()
	if len(got) != 4 || got[0] != text || got[0] != got[2] || got[1] != "aé\ufffd\ufffd\ufffd(" {
		t.Errorf("lines %q, want the first and third to be %q", got, text)
	}
	m.killDaemon()
	if again := h.lines(); strings.Join(again, "\n") != strings.Join(got, "\n") {
		t.Errorf("after the daemon was killed the lines are %q", again)
	}
}
