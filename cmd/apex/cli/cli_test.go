package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"apex/core"
	"apex/daemon/paths"
)

// Every command says what it is, what it takes and how it is used; every flag what it does.
func TestHelp(t *testing.T) {
	a := &app{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		switch {
		case c.Short == "" || c.Long == "" || strings.HasSuffix(c.Short, "."):
			t.Errorf("%s: short help %q, long help %q", c.CommandPath(), c.Short, c.Long)
		case !c.HasSubCommands() && !strings.Contains("  "+c.Example, "  "+c.CommandPath()) &&
			!strings.Contains(c.Example, "| "+c.CommandPath()):
			t.Errorf("%s: example %q does not show it", c.CommandPath(), c.Example)
		}
		for _, line := range strings.Split(helpOf(t, c), "\n") {
			if n := utf8.RuneCountInString(line); n > helpCells || strings.Contains(line, "=true") {
				t.Errorf("%s: line of %d cells: %s", c.CommandPath(), n, line)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(a.root())
}

// helpOf is what a command prints as its help, which goes to standard output.
func helpOf(t *testing.T, c *cobra.Command) string {
	t.Helper()
	var out, err strings.Builder
	c.Root().SetOut(&out)
	c.Root().SetErr(&err)
	c.InitDefaultHelpFlag()
	if e := c.Help(); e != nil || err.Len() > 0 {
		t.Errorf("%s: help: %v, on standard error %q", c.CommandPath(), e, err.String())
	}
	if !strings.Contains(out.String(), "-h, --help  ") {
		t.Errorf("%s: help does not show its flags:\n%s", c.CommandPath(), out.String())
	}
	return out.String()
}

// Commands that read take --json.
func TestReadersTakeJSON(t *testing.T) {
	root := (&app{}).root()
	for _, name := range []string{"status", "version", "ls", "win ls", "text info", "text read",
		"text apply", "text write", "undo", "redo", "sel", "log", "who", "open", "term new", "term ls",
		"term info", "term run", "term read", "term screen", "term wait", "term find", "ps", "env"} {
		c, rest, err := root.Find(strings.Fields(name))
		if err != nil || len(rest) > 0 || c.Flags().Lookup("json") == nil {
			t.Errorf("apex %s: no --json (%v)", name, err)
		}
	}
}

func TestExitStatus(t *testing.T) {
	coded := func(c core.Code) error { return fmt.Errorf("wrapped: %w", core.Errorf(c, "x")) }
	tests := []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("x"), 1},
		{coded(core.CodeBadRequest), 1},
		{coded(core.CodeInternal), 1},
		{coded(core.CodeUnavailable), 1}, // the daemon says that it can't, so there is one
		{coded(core.CodeReadOnly), 1},
		{coded(core.CodeDenied), 1},
		{usagef("x"), 2},
		{coded(core.CodeNotFound), 3},
		{coded(core.CodeConflict), 4},
		{coded(core.CodeExists), 4},
		{coded(core.CodeFenced), 4},
		{&paths.HeldError{}, 4},
		{&told{advise(coded(core.CodeConflict), "x")}, 4},
		{&noDaemonError{coded(core.CodeUnavailable)}, 5},
		{coded(core.CodeUnsaved), 6},
		{&timeoutError{"x"}, 7},
		{&told{&timeoutError{"x"}}, 7},
		{&statusError{42}, 42},
	}
	for _, x := range tests {
		if got := exitStatus(x.err); got != x.want {
			t.Errorf("%v (%s): status %d, want %d", x.err, core.CodeOf(x.err), got, x.want)
		}
	}
}

// Every failure that a person may see says what to do next.
func TestAdvice(t *testing.T) {
	c := (&app{}).root()
	for _, code := range []core.Code{core.CodeNotFound, core.CodeExists, core.CodeBadRequest,
		core.CodeTooLarge, core.CodeConflict, core.CodeFenced, core.CodeBusy, core.CodeDraining,
		core.CodeReadOnly, core.CodeUnavailable, core.CodeUnsaved, core.CodeInternal} {
		if advice(c, core.Errorf(code, "x")) == "" {
			t.Errorf("%s: no advice", code)
		}
	}
	for _, err := range []error{usagef("x"), &noDaemonError{errors.New("x")}, &timeoutError{"x"}} {
		if advice(c, err) == "" {
			t.Errorf("%T: no advice", err)
		}
	}
	own := advise(core.Errorf(core.CodeConflict, "x"), "do %s", "this")
	if got := advice(c, fmt.Errorf("wrapped: %w", own)); got != "do this" {
		t.Errorf("got %q", got)
	}
}

func TestVisible(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"/src/naïve 日本.go", "/src/naïve 日本.go"},
		{"a\tb\nc", `a\x09b\x0ac`},
		{"\x1b[31m\a\x7f", `\x1b[31m\x07\x7f`},
		{`a\x09b`, `a\\x09b`},
		{"\xff\xc3", `\xff\xc3`},
		{"\u202egpj.exe\u200b\u0085", `\u{202e}gpj.exe\u{200b}\u{85}`},
	}
	for _, x := range tests {
		if got := visible(x.in); got != x.want {
			t.Errorf("%q: got %s, want %s", x.in, got, x.want)
		}
	}
	if got, want := visibleLines("a\nb\r\\n\x1b"), "a\nb\\x0d\\n\\x1b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// With --json a failure is told on standard output too, once.
func TestReportJSON(t *testing.T) {
	var out, errs bytes.Buffer
	a := &app{Streams: Streams{Out: &out, Err: &errs}}
	c := a.root()
	a.json = true
	a.report(c, core.Errorf(core.CodeNotFound, "no <window> %q", "x"))
	want := `{"error":{"code":"not_found","message":"no <window> \"x\""}}` + "\n"
	if out.String() != want {
		t.Errorf("got %s, want %s", out.String(), want)
	}
	begin := "apex: no <window> \"x\" (not_found)\nnext: "
	if got := errs.String(); !strings.HasPrefix(got, begin) {
		t.Errorf("standard error: %s", got)
	}
	out.Reset()
	a.report(c, &told{core.Errorf(core.CodeConflict, "x")})
	if out.Len() > 0 {
		t.Errorf("told twice: %s", out.String())
	}
}
