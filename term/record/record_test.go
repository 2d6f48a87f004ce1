package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// model is what a terminal has.
type model struct {
	covered uint64
	first   uint64
	lines   []string
	screen  string
}

func (m *model) end() uint64 { return m.first + uint64(len(m.lines)) }

func (m *model) piece(from uint64) *Piece {
	from = max(from, m.first)
	p := &Piece{Covered: m.covered, First: m.first, From: from, Screen: []byte(m.screen)}
	for _, l := range m.lines[from-m.first:] {
		p.Lines = append(p.Lines, []byte(l))
	}
	return p
}

func (m *model) compare(t rapid.TB, s State) {
	t.Helper()
	got := model{covered: s.Covered, first: s.First, screen: string(s.Screen)}
	for _, l := range s.Lines {
		got.lines = append(got.lines, string(l))
	}
	if fmt.Sprint(got) != fmt.Sprint(*m) {
		t.Fatalf("record tells %v, want %v", got, *m)
	}
}

// TestRecordTells: whatever a terminal does, opening its record gives what it was when it was saved
// last, also when the file was written anew on the way.
func TestRecordTells(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "term")
		r, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		var m model
		keep := uint64(0) // from here on the record's lines are void
		for i := range rapid.IntRange(1, 20).Draw(t, "saves") {
			for range rapid.IntRange(0, 5).Draw(t, "changes") {
				switch rapid.IntRange(0, 3).Draw(t, "change") {
				case 0, 1:
					m.lines = append(m.lines, rapid.StringN(0, 9, 30).Draw(t, "line"))
				case 2: // the oldest go
					n := rapid.IntRange(0, len(m.lines)).Draw(t, "old")
					m.first, m.lines = m.first+uint64(n), m.lines[n:]
				case 3: // the newest go back to the screen
					n := rapid.IntRange(0, len(m.lines)).Draw(t, "back")
					m.lines = m.lines[:len(m.lines)-n]
					keep = min(keep, m.end())
				}
			}
			m.covered += uint64(i)
			m.screen = fmt.Sprint("screen ", i)
			if rapid.IntRange(0, 9).Draw(t, "anew") == 0 {
				r.whole = -slackBytes
			}
			err := r.Save(m.piece(min(keep, r.End())), func() *Piece { return m.piece(0) })
			if err != nil {
				t.Fatal(err)
			}
			keep = r.End()
			if r.End() != m.end() {
				t.Fatalf("the record ends at %d, want %d", r.End(), m.end())
			}
		}
		r.Close()
		again, s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		m.compare(t, s)
		m.screen = "last"
		m.lines = append(m.lines, "more")
		if err := again.Save(m.piece(again.End()), nil); err != nil {
			t.Fatal(err)
		}
		again.Close()
		again, s, err = Open(path)
		if err != nil {
			t.Fatal(err)
		}
		again.Close()
		m.compare(t, s)
	})
}

// TestDamagedRecord: a record that is cut or damaged anywhere tells what it told before that place.
func TestDamagedRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "term")
	r, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	m := model{screen: "one", lines: []string{"a", "b"}, covered: 1}
	var ends []int64
	var states []model
	for i := range 3 {
		if err := r.Save(m.piece(r.End()), nil); err != nil {
			t.Fatal(err)
		}
		ends, states = append(ends, r.size), append(states, m)
		m.lines = append(m.lines[:len(m.lines):len(m.lines)], fmt.Sprint("line", i))
		m.screen, m.covered = fmt.Sprint("screen", i), m.covered+7
	}
	r.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(b []byte, at int64) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		last := -1
		for i, end := range ends {
			if end <= at {
				last = i
			}
		}
		r, s, err := Open(path)
		if last < 0 {
			if !errors.Is(err, ErrNone) {
				t.Fatalf("damage at %d: got %v, want none", at, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("damage at %d: %v", at, err)
		}
		r.Close()
		states[last].compare(t, s)
	}
	for at := range whole {
		check(whole[:at], int64(at))
		flipped := append([]byte(nil), whole...)
		flipped[at] ^= 0x55
		check(flipped, int64(at))
	}
	check(whole, int64(len(whole)))
	if _, _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, ErrNone) {
		t.Errorf("no file: %v", err)
	}
}

// TestRecordStaysShort: a screen that is saved for ever does not fill the disk.
func TestRecordStaysShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "term")
	r, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := &Piece{Screen: make([]byte, 64<<10)}
	for range 500 {
		if err := r.Save(p, func() *Piece { return p }); err != nil {
			t.Fatal(err)
		}
		if r.size > slackBytes+4*int64(len(p.Screen)) {
			t.Fatalf("%d bytes for a screen of %d", r.size, len(p.Screen))
		}
	}
}

func FuzzOpen(f *testing.F) {
	m := model{screen: "one", lines: []string{"a", "b"}, covered: 1}
	f.Add(appendPiece([]byte(magic), m.piece(0)))
	f.Add(appendPiece(appendPiece([]byte(magic), m.piece(0)), m.piece(1)))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, fmt.Sprint("term", os.Getpid()))
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, s, err := Open(path); err == nil {
			r.Close()
			if len(s.Lines) > len(b) {
				t.Fatalf("%d lines of %d bytes", len(s.Lines), len(b))
			}
		}
	})
}
