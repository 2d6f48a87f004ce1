package file

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

// texts are what editors are known to spoil.
func texts() map[string][]byte {
	all := map[string][]byte{
		"random 200 kB":     random(200_000),
		"utf-16 with bom":   {0xff, 0xfe, 'h', 0, 'i', 0, '\r', 0, '\n', 0, 0x3d, 0xd8, 0x00, 0xde},
		"utf-8 with bom":    []byte("\xef\xbb\xbfhi\n"),
		"latin-1":           []byte("gr\xfc\xdfe\n"),
		"crlf":              []byte("a\r\nb\r\n"),
		"mixed line ends":   []byte("a\r\nb\nc\rd\n\r"),
		"no last newline":   []byte("a\nb"),
		"empty":             {},
		"nul bytes":         {0, 0, 0},
		"truncated rune":    []byte("a\xe2\x82"),
		"surrogate halves":  []byte("\xed\xa0\x80\xed\xb0\x80"),
		"only line ends":    []byte("\n\n\r\n"),
		"larger than block": bytes.Repeat([]byte("0123456789abcde\n"), blockBytes/16*2+1),
	}
	for b := range 256 {
		all[fmt.Sprintf("byte %d", b)] = []byte{byte(b)}
	}
	return all
}

// ways are the shapes of a file that lead to each way of saving.
var ways = []struct {
	name string
	how  How
	make func(t testing.TB, p place, before []byte)
}{
	{"rename", Renamed, func(t testing.TB, p place, before []byte) { write(t, p.path, before) }},
	{"in place", InPlace, func(t testing.TB, p place, before []byte) {
		write(t, p.path, before)
		if err := os.Link(p.path, filepath.Join(p.dir, "g")); err != nil {
			t.Fatal(err)
		}
	}},
}

func TestExactBytes(t *testing.T) {
	for name, text := range texts() {
		for _, way := range ways {
			t.Run(name+"/"+way.name, func(t *testing.T) {
				p := newPlace(t)
				before := []byte("before\n")
				way.make(t, p, before)
				mustSave(t, p, p.path, before, text, way.how)
				got, err := Open(p.path, 1<<30)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Data, text) || got.Hash != Sum(text) || got.New || got.Dir {
					t.Fatalf("got %+v, want %s", got, short(text))
				}
				wantNames(t, p.state)
			})
		}
		t.Run(name+"/create", func(t *testing.T) {
			p := newPlace(t)
			got, err := Save(p.path, chunked(text), SaveOptions{IntentDir: p.state})
			if err != nil || got.How != Created {
				t.Fatal(got, err)
			}
			wantFile(t, p.path, text)
			wantNames(t, p.dir, "f")
			wantNames(t, p.state)
		})
	}
}

// A series of saves of any bytes, of either way, reads back exactly.
func TestSaveThenOpen(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := newPlace(t)
		way := rapid.SampledFrom(ways).Draw(r, "way")
		before := rapid.SliceOf(rapid.Byte()).Draw(r, "before")
		way.make(t, p, before)
		for range rapid.IntRange(1, 3).Draw(r, "saves") {
			after := rapid.SliceOf(rapid.Byte()).Draw(r, "after")
			mustSave(t, p, p.path, before, after, way.how)
			got, err := Open(p.path, int64(len(after)))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Data, after) {
				r.Fatalf("got %q, want %q", got.Data, after)
			}
			before = after
		}
	})
}

func TestChangedOnDisk(t *testing.T) {
	seen, disk, mine := []byte("seen\n"), []byte("theirs\n"), []byte("mine\n")
	hash := Sum(seen)
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			p := newPlace(t)
			way.make(t, p, disk)
			_, err := Save(p.path, chunked(mine), p.options(seen))
			e := wantCode(t, err, CodeChangedOnDisk)
			if *e.Want != hash || *e.Got != Sum(disk) {
				t.Fatalf("got %v, want %v", e.Got, e.Want)
			}
			wantFile(t, p.path, disk)
			_, err = Save(p.path, chunked(mine), SaveOptions{IntentDir: p.state})
			wantCode(t, err, CodeChangedOnDisk) // no file was expected
			wantFile(t, p.path, disk)
			wantNames(t, p.state)

			// What is to be saved is there already: nobody's work is lost.
			mustSave(t, p, p.path, seen, disk, way.how)

			o := p.options(seen)
			o.Force = true
			if _, err := Save(p.path, chunked(mine), o); err != nil {
				t.Fatal(err)
			}
			wantFile(t, p.path, mine)
		})
	}
	t.Run("removed", func(t *testing.T) {
		p := newPlace(t)
		_, err := Save(p.path, chunked(mine), p.options(seen))
		if e := wantCode(t, err, CodeChangedOnDisk); e.Got != nil {
			t.Fatalf("got %v, want no file", e.Got)
		}
		wantNames(t, p.dir)
		o := p.options(seen)
		o.Force = true
		if got, err := Save(p.path, chunked(mine), o); err != nil || got.How != Created {
			t.Fatal(got, err)
		}
	})
}

func TestLinkChain(t *testing.T) {
	p := newPlace(t)
	for _, d := range []string{"a/deep", "b", "c"} {
		if err := os.MkdirAll(filepath.Join(p.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{
		"b/short":     "../a/deep",            // a directory link on the way
		"first":       "b/second",             // relative to its own directory
		"b/second":    p.dir + "/c/third",     // absolute
		"c/third":     "../b/short/../fourth", // ".." after a link means a, not b
		"a/fourth":    "deep/../deep/target",  //
		"loop":        "loop2",                //
		"loop2":       "loop",                 //
		"nowhere":     "missing-dir/x",        //
		"danglingA":   "b/danglingB",          //
		"b/danglingB": "../c/created",         //
	}
	for at, to := range links {
		if err := os.Symlink(to, filepath.Join(p.dir, at)); err != nil {
			t.Fatal(err)
		}
	}
	before, after := []byte("before"), []byte("after")
	target := filepath.Join(p.dir, "a/deep/target")
	write(t, target, before)

	mustSave(t, p, filepath.Join(p.dir, "first"), before, after, Renamed)
	wantFile(t, target, after)

	dangling := filepath.Join(p.dir, "danglingA")
	if c, err := Open(dangling, 100); err != nil || !c.New || c.Path != dangling {
		t.Fatal(c, err)
	}
	got, err := Save(dangling, chunked(after), SaveOptions{IntentDir: p.state})
	if err != nil || got.How != Created {
		t.Fatal(got, err)
	}
	wantFile(t, filepath.Join(p.dir, "c/created"), after)

	for at, to := range links {
		if got, err := os.Readlink(filepath.Join(p.dir, at)); err != nil || got != to {
			t.Errorf("%s: got %q, %v, want a link to %q", at, got, err, to)
		}
	}
	for _, bad := range []struct {
		at   string
		want Code
	}{{"loop", CodeBadPath}, {"nowhere", CodeNotFound}, {"missing/f", CodeNotFound}} {
		path := filepath.Join(p.dir, bad.at)
		_, err := Save(path, chunked(after), SaveOptions{IntentDir: p.state})
		wantCode(t, err, bad.want)
		_, err = Open(path, 100)
		wantCode(t, err, bad.want)
	}
	wantNames(t, filepath.Join(p.dir, "a/deep"), "target")
}

func TestHardLink(t *testing.T) {
	p := newPlace(t)
	before, after := []byte("before, longer\n"), []byte("after\n")
	ways[1].make(t, p, before)
	mustSave(t, p, p.path, before, after, InPlace)
	wantFile(t, filepath.Join(p.dir, "g"), after)
	wantNames(t, p.dir, "f", "g")

	_, err := Save(p.path, chunked(before), SaveOptions{Force: true})
	wantCode(t, err, CodeUnavailable) // no state directory: nothing to roll back from
	wantFile(t, p.path, after)
}

func TestModeIsKept(t *testing.T) {
	for _, mode := range []os.FileMode{
		0o640, 0o600, 0o777, 0o644 | os.ModeSetgid, 0o755 | os.ModeSetuid,
	} {
		for _, way := range ways {
			t.Run(fmt.Sprint(mode, way.name), func(t *testing.T) {
				p := newPlace(t)
				before := []byte("before")
				way.make(t, p, before)
				if err := os.Chmod(p.path, mode); err != nil {
					t.Fatal(err)
				}
				mustSave(t, p, p.path, before, []byte("after"), way.how)
				info, err := os.Stat(p.path)
				if err != nil {
					t.Fatal(err)
				}
				if info.Mode() != mode {
					t.Fatalf("got %v, want %v", info.Mode(), mode)
				}
			})
		}
	}
}

// A new file's mode is the one that any program gives it here: 0666 less the umask.
func TestNewFileMode(t *testing.T) {
	p := newPlace(t)
	if _, err := Save(p.path, chunked(nil), SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(p.dir, "g"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.Stat(p.path)
	if err != nil {
		t.Fatal(err)
	}
	if got.Mode() != want.Mode() {
		t.Fatalf("got %v, want %v", got.Mode(), want.Mode())
	}
}

// A state directory that can't be used takes nothing but the tidying after a kill.
func TestRenameWithoutState(t *testing.T) {
	p := newPlace(t)
	write(t, p.state, nil) // a file where the directory should be
	before, after := []byte("before"), []byte("after")
	write(t, p.path, before)
	mustSave(t, p, p.path, before, after, Renamed)
	wantFile(t, p.path, after)
	wantNames(t, p.dir, "f")
}

func TestSaveRefuses(t *testing.T) {
	p := newPlace(t)
	fifo := filepath.Join(p.dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]Code{
		p.dir: CodeNotRegular, fifo: CodeNotRegular, "/dev/null": CodeNotRegular, "/": CodeNotRegular,
		"relative": CodeBadPath, "": CodeBadPath, p.dir + "/a\x00b": CodeBadPath,
		p.dir + "/" + string(bytes.Repeat([]byte("n"), 300)): CodeBadPath,
	} {
		_, err := Save(path, chunked(nil), SaveOptions{Force: true, IntentDir: p.state})
		if e := wantCode(t, err, want); e.Op != "save" || e.Path != path {
			t.Errorf("got op %q path %q, want save %q", e.Op, e.Path, path)
		}
	}
	wantNames(t, p.dir, "fifo")
}

// Chunks that differ between two passes are a bug of the caller; the file must not pay for it.
func TestChunksMustNotChange(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			p := newPlace(t)
			before := []byte("before")
			way.make(t, p, before)
			pass := 0
			_, err := Save(p.path, func(yield func([]byte) bool) {
				pass++
				yield(fmt.Appendf(nil, "pass %d", pass))
			}, p.options(before))
			wantCode(t, err, CodeIO)
			wantFile(t, p.path, before)
			wantNames(t, p.state)
		})
	}
}
