package daemon

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"apex/core"
	"apex/core/codec"
	"apex/daemon/journal"
)

// An exported session is a journal.Archive of these parts, in this order:
//
//	session        exportHead
//	state/KEY      each part of a snapshot of the journal: a shard's state, undo history too
//	term/ID        the record of a terminal: its screen and what scrolled off
//	journal/NAME   each generation that is kept, as it is: what `log` reads
//
// It holds everything that was typed. It holds no resume secret, of which the metalog has the hash
// only, and no environment, which is nowhere on disk.
const (
	exportHeadKey = "session"
	exportState   = "state/"
	exportTerm    = "term/"
	exportJournal = "journal/"

	exportFormat = 1
)

// exportHead is what the first part says of an exported session.
type exportHead struct {
	format     uint64
	label      string
	session    core.SessionID
	build      string
	at         core.Millis
	record     uint64 // the last one that the states cover
	generation uint64 // the one in which they belong: above those of the journal's
}

func (h *exportHead) fields(f *codec.Fields) {
	codec.Num(f, &h.format)
	f.String(&h.label)
	f.Fixed(h.session[:])
	f.String(&h.build)
	codec.Num(f, &h.at)
	codec.Num(f, &h.record)
	codec.Num(f, &h.generation)
}

// export writes the session as it is now. It does not need the disk for the states: a session that
// its disk refuses can be moved too.
func (s *session) export(w io.Writer) error {
	for _, h := range s.programs.all() {
		h.t.Save()
	}
	if err := s.flush(); err != nil {
		s.log.Warn("exported, although not all of it is on disk", "err", err)
	}
	s.mu.Lock()
	parts := s.parts()
	head := exportHead{format: exportFormat, label: s.a.Meta().Label, session: s.id, build: s.d.opts.Build,
		at: now(), record: s.last, generation: s.j.Stats().Generation + 1}
	ended := s.ended
	s.mu.Unlock()
	if ended {
		return errEnded
	}
	a := journal.NewArchiveWriter(w)
	if err := exportBytes(a, exportHeadKey, codec.AppendFields(nil, head.fields)); err != nil {
		return err
	}
	for _, p := range parts {
		if err := exportPart(a, exportState+p.Key, p.Data); err != nil {
			return err
		}
	}
	if err := s.exportTerms(a); err != nil {
		return err
	}
	_, err := s.j.Files(func(name string, size int64, r io.Reader) error {
		if g, ok := journal.Generation(name); !ok || g >= head.generation {
			return nil // begun since
		}
		return a.Part(exportJournal+name, size, func(w io.Writer) error {
			_, err := io.Copy(w, r)
			return err
		})
	})
	if err != nil {
		return err
	}
	return a.Close()
}

func exportBytes(a *journal.ArchiveWriter, key string, b []byte) error {
	return a.Part(key, int64(len(b)), func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// exportPart writes what is written twice: once to know its size.
func exportPart(a *journal.ArchiveWriter, key string, data func(io.Writer) error) error {
	var n counted
	if err := data(&n); err != nil {
		return err
	}
	return a.Part(key, int64(n), data)
}

// counted counts bytes.
type counted int64

func (c *counted) Write(p []byte) (int, error) {
	*c += counted(len(p))
	return len(p), nil
}

// exportTerms writes the records of terminals. They are small, and may grow meanwhile.
func (s *session) exportTerms(a *journal.ArchiveWriter) error {
	var ids []core.TermID
	for id := range s.shown() {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		b, err := os.ReadFile(filepath.Join(s.termsDir(), id.String()))
		if err != nil {
			s.log.Warn("a terminal is exported without what it showed", "term", id.String(), "err", err)
			continue
		}
		if err := exportBytes(a, exportTerm+id.String(), b); err != nil {
			return fmt.Errorf("terminal %v: %w", id, err)
		}
	}
	return nil
}
