package vt

import (
	"testing"
)

// FuzzWrite writes bytes and resizes between them: a byte 0xF8 or above, which no text has, is a
// new size.
func FuzzWrite(f *testing.F) {
	for _, w := range words {
		f.Add([]byte(w))
	}
	f.Add([]byte("ab\xf8cd\x1b[?1049h\xfeef\xfd\x1b[?1049lgh"))
	sizes := [8][2]int{{1, 1}, {2, 3}, {80, 24}, {3, 1}, {10, 5}, {1, 6}, {200, 50}, {7, 2}}
	f.Fuzz(func(t *testing.T, p []byte) {
		s := New(20, 5, Options{HistoryLines: 50, HistoryBytes: 4000})
		for len(p) > 0 {
			n := 0
			for ; n < len(p) && p[n] < 0xF8; n++ {
			}
			s.Write(p[:n])
			if n < len(p) {
				size := sizes[p[n]-0xF8]
				if err := s.Resize(size[0], size[1]); err != nil {
					t.Fatal(err)
				}
				n++
			}
			p = p[n:]
			if err := s.verify(); err != nil {
				t.Fatal(err)
			}
		}
		sameScreens(t, restored(t, s), s)
	})
}

// FuzzRestore reads snapshots that are damaged, and uses what comes of those that pass.
func FuzzRestore(f *testing.F) {
	s := New(12, 4, Options{HistoryLines: 5})
	for _, w := range words {
		s.Write([]byte(w))
		f.Add(s.AppendScreen(nil), []byte("\x08a"))
	}
	s.Write([]byte("\x1bc\x1b[1;38;2;1;2;3ma\x1b]8;;http://x/\ae\u0301世\r\n\r\n\r\n\r\n\r\n"))
	f.Add(s.AppendScreen(nil), s.AppendLine(nil, s.HistoryEnd()-3))
	f.Fuzz(func(t *testing.T, screen, line []byte) {
		asked := 0
		s, err := Restore(screen, func(uint64) ([]byte, bool) {
			asked++
			return line, asked <= 100
		})
		if err != nil {
			return
		}
		if err := s.verify(); err != nil {
			t.Fatalf("restored: %v", err)
		}
		sameScreens(t, restored(t, s), s)
		s.Write([]byte("\x1b\\\x18text 世界 e\u0301\r\n\x1b[2b\x1b[M\x1b[L\x1b[5S"))
		for _, size := range [][2]int{{7, 2}, {30, 9}} {
			if err := s.Resize(size[0], size[1]); err != nil {
				t.Fatal(err)
			}
			if err := s.verify(); err != nil {
				t.Fatalf("resized: %v", err)
			}
		}
	})
}
