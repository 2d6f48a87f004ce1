package acceptance

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	editors = 10
	// Each edit of a script inserts one rune of its own, from a private use area, anywhere in
	// the text. So what the person typed is what is left without them.
	firstMark, lastMark = '\U000F0000', '\U0010FFFD'
	typedAtOnce         = 20 // characters of one send-keys
)

// marks returns how often each mark is in a text, and the text without them.
func marks(text string) (map[rune]int, string) {
	found := map[rune]int{}
	rest := strings.Map(func(r rune) rune {
		if r >= firstMark && r <= lastMark {
			found[r]++
			return -1
		}
		return r
	}, text)
	return found, rest
}

// once checks that marks are in a text once each, and others at most once.
func once(t *testing.T, found map[rune]int, applied, maybe []rune) {
	t.Helper()
	known := map[rune]bool{}
	for _, r := range applied {
		known[r] = true
		if found[r] != 1 {
			t.Errorf("acknowledged edit %U is in the text %d times", r, found[r])
		}
	}
	for _, r := range maybe {
		known[r] = true
		if found[r] > 1 {
			t.Errorf("edit %U is in the text %d times", r, found[r])
		}
	}
	for r, n := range found {
		if !known[r] {
			t.Errorf("%U is in the text %d times, and nobody inserted it", r, n)
		}
	}
}

// insertion is the JSON of an edit that inserts one rune.
func insertion(q int, r rune) string {
	return fmt.Sprintf(`[{"q0":%d,"q1":%d,"text":"%c"}]`, q, q, r)
}

// aText is n characters that a person types, each line different.
func aText(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d quick foxes jump over lazy dogs; ", i)
	}
	return b.String()[:n]
}

// typist types a text piece by piece, and says after each how much that makes.
func (p *terminal) typist(text string, after func(n int)) {
	p.m.t.Helper()
	for i := 0; i < len(text); i += typedAtOnce {
		end := min(i+typedAtOnce, len(text))
		p.types(text[i:end])
		after(end)
	}
}

// A person types while processes edit the same text, half of them insisting on the version that
// they read, half rebasing: every accepted edit is there once, what was typed is there in order,
// and two followers saw the same, which makes the text.
func TestTypingBesideScripts(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	original := "a text that is there already\n"
	path := m.write("together.txt", original)
	p := m.terminal("typing", 90, 24)
	p.ui(path)
	p.shows("already")
	p.keys("C-End")
	buffer := m.info(path).Buffer
	followers := []*follower{m.follow(buffer), m.follow(buffer)}

	var scripts sync.WaitGroup
	conflicts := make([]int, editors)
	for n := range editors {
		scripts.Go(func() { conflicts[n] = edit(m, path, n) })
	}
	text := aText(*typed)
	p.typist(text, func(int) {})
	scripts.Wait()
	p.wait("the disk", screen.synced)

	var applied []rune
	for i := range editors * *edits {
		applied = append(applied, firstMark+rune(i))
	}
	got := ""
	eventually(t, "all that was typed", func() bool {
		got = m.must("text", "read", path)
		_, rest := marks(got)
		return len(rest) >= len(original)+len(text)
	})
	found, rest := marks(got)
	once(t, found, applied, nil)
	if rest != original+text {
		t.Errorf("without the scripts' edits the text is %q, want %q", rest, original+text)
	}
	info := m.info(path)
	var printed [][]string
	for _, f := range followers {
		f.reaches(info.Seq)
		printed = append(printed, f.stop())
	}
	if a, b := strings.Join(printed[0], "\n"), strings.Join(printed[1], "\n"); a == "" || a != b {
		t.Errorf("two followers saw %d and %d bytes, which differ or are nothing", len(a), len(b))
	}
	if again := replay(t, printed[0]); again != got {
		t.Errorf("the entries make %q, the text is %q", again, got)
	}
	t.Logf("%d entries; conflicts of each script: %v", len(printed[0]), conflicts)
}

// edit is one process's edits, each tried until it is applied. It returns how many conflicts it
// met.
func edit(m *machine, path string, n int) (conflicts int) {
	random := rand.New(rand.NewPCG(*seed, uint64(n)))
	policy := "fail"
	if n%2 == 1 {
		policy = "rebase"
	}
	var version struct {
		Version uint64
		Runes   int
	}
	for i := range *edits {
		mark := firstMark + rune(n**edits+i)
		// The text only grows: a place in it stays one.
		m.decodeOr(m.apex("", "text", "info", path, "--json"), &version)
		edit := insertion(random.IntN(version.Runes+1), mark)
		for {
			a := m.apex(edit, "text", "apply", path, "--json", "--on-conflict", policy,
				"--base", strconv.FormatUint(version.Version, 10))
			if a.status == 0 {
				break
			}
			if a.status != 4 {
				m.t.Errorf("edit %U: status %d: %s", mark, a.status, a.err)
				return conflicts
			}
			conflicts++
			m.decodeOr(a, &version)
		}
	}
	return conflicts
}
