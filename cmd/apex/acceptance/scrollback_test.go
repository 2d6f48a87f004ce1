package acceptance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sequence is what seq prints.
func sequence(format string, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf(format, i+1)
	}
	return lines
}

// A terminal that becomes narrow and wide again has each line that was printed, whole.
func TestResizeKeepsLines(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	h := m.hosts("80x24", "sh", "-c", `seq -f 'a line that twenty columns have no room for %.0f' 5000; exec cat`)
	want := sequence("a line that twenty columns have no room for %d", 5000)
	h.waits("/ 5000$/")
	for _, size := range []string{"20x24", "7x3", "2000x100", "80x24"} {
		m.must("term", "resize", h.term, size)
		if got := h.lines(); !slices.Equal(got, want) {
			t.Fatalf("at %s there are %d lines", size, len(got))
		}
	}
	before := h.screen()
	m.killDaemon()
	if got := h.lines(); !slices.Equal(got, want) {
		t.Errorf("after the daemon was killed there are %d lines", len(got))
	}
	if got := h.screen(); got.String() != before.String() {
		t.Errorf("after the daemon was killed it shows\n%s\nwant\n%s", got, before)
	}
	for _, size := range []string{"10000x10000", "0x5", "2001x10"} {
		if a := m.apex("", "term", "resize", h.term, size); a.status != 2 || !strings.Contains(a.err, "2000") {
			t.Errorf("resize to %s: status %d: %s", size, a.status, a.err)
		}
	}
	m.must("term", "resize", h.term, "1x1")
	m.must("term", "resize", h.term, "80x24")
	if got := h.lines(); !slices.Equal(got, want) {
		t.Errorf("after 1x1 there are %d lines", len(got))
	}
}

// Who has scrolled back reads on, whatever is printed meanwhile.
func TestScrolledBackStays(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	p := m.terminal("reader", 100, 30)
	p.ui()
	h := m.hosts("80x24", "sh")
	p.fits(h)
	p.shell("seq 5000")
	h.waits("/^5000$/")
	p.pictures(h)
	p.keys(slices.Repeat([]string{"C-\\", "C-Up"}, 100)...)
	last := 0
	p.wait("100 lines up", func(s screen) bool {
		rows := strings.Split(s.body(), "\n")
		last, _ = strconv.Atoi(rows[len(rows)-1])
		return last == 5001-100 // the prompt has the last row
	})
	before := p.screen()
	h.types("seq -f 'more %.0f' 1000")
	h.waits("/^more 1000$/")
	// The scroll bar tells that the UI has it.
	bar := func(s screen) (bar string) {
		for _, row := range s[bodyRow:] {
			bar += string([]rune(row + " ")[:1])
		}
		return bar
	}
	after := p.wait("the scroll bar", func(s screen) bool { return bar(s) != bar(before) })
	if after.body() != before.body() {
		t.Errorf("the view has moved from\n%s\nto\n%s", before.body(), after.body())
	}
	p.keys("End")
	p.shows("more 1000")
	p.pictures(h)
}
