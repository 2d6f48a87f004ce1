package file

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/order.txt anew; then read the diff")

// TestOrder compares the calls of each kind of save with testdata/order.txt. What survives a power
// loss hangs on their order: a text is synced before the name that makes it count, copies and
// record before the first byte in place, the file before its record goes, the record before the
// copies go.
func TestOrder(t *testing.T) {
	var got bytes.Buffer
	for _, s := range shapes {
		p := s.make(t, t.TempDir())
		f := &faulty{}
		f.run(func() {
			if _, err := save(f, p.path, chunked(s.after), s.options(p)); err != nil {
				t.Fatal(err)
			}
		})
		fmt.Fprintf(&got, "# %s: %d bytes over %d\n%s\n", s.name, len(s.after), len(s.before),
			plain(f.trace, p))
	}
	s := shapes[2]
	mid := s.midWrite(t, memory(t))
	p := s.make(t, t.TempDir())
	s.halfWritten(t, p, mid)
	f := &faulty{}
	f.run(func() { repair(f, p.state) })
	fmt.Fprintf(&got, "# repair of: %s\n%s\n", s.name, plain(f.trace, p))

	name := filepath.Join("testdata", "order.txt")
	if *rewrite {
		write(t, name, got.Bytes())
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Fatalf("want (-), got (+):\n%s", diff)
	}
}

var idInName = regexp.MustCompile(`[a-z2-7]{26}`)

// plain shows a trace without what differs from run to run (names, and how many writes a record
// with longer or shorter names takes), and without calls that only look.
func plain(trace []string, p place) string {
	var b strings.Builder
	last := ""
	for _, call := range trace {
		_, call, _ = strings.Cut(call, " ")
		if op, _, _ := strings.Cut(call, " "); op == "read" || op == "status" || op == "attributes" {
			continue
		}
		call = strings.NewReplacer(p.dir, "HOME", p.state, "STATE", filepath.Dir(p.state), "ABOVE").
			Replace(call)
		call = idInName.ReplaceAllString(call, "ID")
		if call != last || !strings.HasPrefix(call, "write ") {
			b.WriteString(call + "\n")
		}
		last = call
	}
	return b.String()
}
