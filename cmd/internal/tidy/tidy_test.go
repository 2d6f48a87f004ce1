package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// may lists, for each package, the module's packages that its code may import; a name with /...
// stands for everything below it too. Tests may import more, but never upwards (see upwards).
var may = map[string][]string{
	"core":                 {"core/codec", "core/cell", "core/text"},
	"core/codec":           {},
	"core/cell":            {},
	"core/text":            {},
	"core/addr":            {"core/text"},
	"core/edit":            {"core", "core/text", "core/addr"},
	"core/coretest":        {"core/..."},
	"core/sim":             {"core/..."},
	"proto":                {"core", "core/cell", "core/codec"},
	"proto/fd":             {},
	"proto/socket":         {"proto/fd"},
	"daemon":               {"core", "core/codec", "core/text", "core/addr", "core/edit", "core/cell", "proto/...", "term/...", "daemon/..."},
	"daemon/disk":          {},
	"daemon/disk/disktest": {"daemon/disk"},
	"daemon/file":          {},
	"daemon/journal":       {"daemon/disk"},
	"daemon/paths":         {},
	"daemon/watch":         {},
	"daemon/daemontest":    {"daemon/...", "client", "core/...", "proto", "term/holder"},
	"term/input":           {},
	"term/vt":              {"core/cell"},
	"term/vt/corpus":       {},
	"term/record":          {},
	"term":                 {"core/cell", "term/vt", "term/input", "term/holder", "term/record"},
	"client":               {"core", "core/codec", "core/text", "core/edit", "proto/...", "daemon/paths"},
	"client/tui":           {"client/...", "core/...", "proto"},
	"client/tui/paint":     {"core/cell", "proto/fd"},
	"client/tui/input":     {"proto/fd"},
	"client/tui/tuitest":   {"client/...", "core/...", "proto"},
	"term/holder":          {"proto/fd"},
	"cmd/apex":             {"cmd/apex/cli"},
	"cmd/apex/cli/entry":   {"core", "core/cell"},
	"cmd/apex/cli/tail":    {"client", "core", "core/codec", "proto", "cmd/apex/cli/entry"},
	"cmd/apex/cli":         {"cmd/apex/...", "client/...", "daemon", "daemon/paths", "proto", "core/...", "term/holder", "term/input"},
	"cmd/apex/acceptance":  {},
	"cmd/apex/bench":       {"client/...", "daemon/...", "proto/...", "core/...", "term/vt/...", "cmd/apex/..."},
	"cmd/sim":              {"core/..."},
	"cmd/internal/tidy":    {},
}

// outside lists the packages beyond the standard library that code may import, by the prefix of
// the importing package. The longest prefix counts.
var outside = map[string][]string{
	"core":          {"github.com/zeebo/blake3"},
	"core/codec":    {},
	"core/cell":     {},
	"core/text":     {},
	"core/addr":     {},
	"core/edit":     {"github.com/zeebo/blake3"},
	"core/coretest": {"github.com/cockroachdb/datadriven", "github.com/zeebo/blake3"},
	"core/sim":      {"github.com/zeebo/blake3"},
	"proto":         {"github.com/fxamacker/cbor/v2"},
	"proto/fd":      {"golang.org/x/sys/unix"},
	"proto/socket":  {"golang.org/x/sys/unix"},
	"daemon":        {"golang.org/x/sys/unix", "golang.org/x/time/rate", "github.com/zeebo/blake3", "github.com/adrg/xdg"},
	"daemon/watch":  {"golang.org/x/sys/unix", "github.com/fsnotify/fsnotify"},
	"term/input":    {},
	"term/vt":       {"github.com/clipperhouse/"},
	"term":          {},
	"term/record":   {},
	"client":        {"golang.org/x/sys/unix"},
	"client/tui":    {"charm.land/bubbletea/v2", "github.com/charmbracelet/", "github.com/clipperhouse/", "golang.org/x/sys/unix"},
	"term/holder":   {"github.com/creack/pty", "golang.org/x/sys/unix", "github.com/fxamacker/cbor/v2"},
	"cmd":           {"github.com/spf13/", "github.com/charmbracelet/x/term", "gopkg.in/natefinch/lumberjack.v2", "golang.org/x/", "github.com/creack/pty", "github.com/zeebo/blake3"},
}

// impure are the standard packages that the pure packages must not see: what they do must depend
// on their arguments alone.
var impure = []string{"os", "net", "time", "math/rand", "math/rand/v2", "crypto/rand", "sync", "sync/atomic",
	"context", "runtime", "log", "log/slog", "io/ioutil", "path/filepath"}

var pure = []string{"core", "core/codec", "core/cell", "core/text", "core/addr", "core/edit", "proto",
	"term/input"}

const module = "apex/"

type source struct {
	pkg  string // path in the module
	name string // of the file
	test bool
	file *ast.File
	set  *token.FileSet
}

// sources parses the module's Go files.
func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	var out []source
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		out = append(out, source{filepath.ToSlash(rel), filepath.ToSlash(path),
			strings.HasSuffix(path, "_test.go"), f, set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 100 {
		t.Fatalf("found %d files: this test looks at the wrong directory", len(out))
	}
	return out
}

func imports(f *ast.File) []string {
	var out []string
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		out = append(out, p)
	}
	return out
}

func allowed(list []string, pkg string) bool {
	return slices.ContainsFunc(list, func(a string) bool {
		if base, ok := strings.CutSuffix(a, "/..."); ok {
			return pkg == base || strings.HasPrefix(pkg, base+"/")
		}
		return pkg == a
	})
}

func TestImportDirection(t *testing.T) {
	for _, s := range sources(t) {
		list, known := may[s.pkg]
		if !known {
			t.Errorf("%s: package %s has no row in the table of imports", s.name, s.pkg)
			continue
		}
		for _, i := range imports(s.file) {
			in, ours := strings.CutPrefix(i, module)
			switch {
			case ours && !s.test && !allowed(list, in):
				t.Errorf("%s: %s must not import %s", s.name, s.pkg, i)
			case ours && !s.test && strings.HasSuffix(in, "test") && !strings.HasSuffix(s.pkg, "test"):
				t.Errorf("%s: code must not import %s", s.name, i)
			case !ours && !s.test && strings.Contains(i, ".") && !allowedOutside(s.pkg, i):
				t.Errorf("%s: %s must not import %s", s.name, s.pkg, i)
			}
		}
	}
}

// allowedOutside reports whether a package may import a library.
func allowedOutside(pkg, lib string) bool {
	best, list := -1, []string(nil)
	for prefix, l := range outside {
		if (pkg == prefix || strings.HasPrefix(pkg, prefix+"/")) && len(prefix) > best {
			best, list = len(prefix), l
		}
	}
	if strings.HasSuffix(pkg, "test") {
		return true
	}
	return slices.ContainsFunc(list, func(a string) bool {
		return lib == a || strings.HasSuffix(a, "/") && strings.HasPrefix(lib, a)
	})
}

func TestPurity(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !slices.Contains(pure, s.pkg) {
			continue
		}
		for _, i := range imports(s.file) {
			if slices.Contains(impure, i) {
				t.Errorf("%s: %s is pure and must not import %s", s.name, s.pkg, i)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%v: %s is pure and starts a goroutine", s.set.Position(n.Pos()), s.pkg)
			case *ast.ChanType:
				t.Errorf("%v: %s is pure and has a channel", s.set.Position(n.Pos()), s.pkg)
			}
			return true
		})
	}
}

// Every package says once what it is; every exported name says what it does.
func TestDocumented(t *testing.T) {
	docs := map[string]int{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		docs[s.pkg] += 0
		if s.file.Doc != nil {
			docs[s.pkg]++
		}
		if s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			undocumented(t, s, d)
		}
	}
	for pkg, n := range docs {
		if n != 1 {
			t.Errorf("package %s has %d package comments, want 1", pkg, n)
		}
	}
}

func undocumented(t *testing.T, s source, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
			t.Errorf("%v: %s is exported and undocumented", s.set.Position(d.Pos()), d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			ts, ok := spec.(*ast.TypeSpec)
			if ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil {
				t.Errorf("%v: %s is exported and undocumented", s.set.Position(ts.Pos()), ts.Name.Name)
			}
		}
	}
}

// exportedReceiver reports whether a method's type is exported, and so the method part of the API.
// One-line methods that implement an interface documented elsewhere need no comment each.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	switch d.Name.Name {
	case "String", "Error", "Unwrap", "Write", "Read", "Close", "Target", "Init", "Len":
		return false
	}
	e := d.Recv.List[0].Type
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	id, ok := e.(*ast.Ident)
	return ok && id.IsExported()
}

// The tree's top level is fixed: nothing is added beside it.
func TestTopLevel(t *testing.T) {
	fixed := []string{"cmd", "core", "daemon", "client", "term", "proto", "DESIGN.md", "ARCHITECTURE.md",
		"go.mod", "go.sum", "README.md", "LICENSE"}
	entries, err := os.ReadDir(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(fixed, e.Name()) && !strings.HasPrefix(e.Name(), ".") && e.Name() != "apex" {
			t.Errorf("%s does not belong at the top of the tree", e.Name())
		}
	}
}

// Documents and code name nothing that only one workplace knows, and leave nothing to do unnamed.
func TestNoLooseEnds(t *testing.T) {
	for _, s := range sources(t) {
		for _, g := range s.file.Comments {
			for _, c := range g.List {
				if strings.Contains(c.Text, "TO"+"DO") || strings.Contains(c.Text, "FIX"+"ME") {
					t.Errorf("%v: a loose end", s.set.Position(c.Pos()))
				}
			}
		}
	}
}
