package daemon

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"apex/core"
	"apex/core/codec"
	"apex/daemon/disk"
	"apex/daemon/journal"
)

// Bounds of an exported session that is taken in. A file is believed as it comes: what it is to take
// in memory or on disk it has to send first.
const (
	importHeadMax = 64 << 10
	// importStateMax bounds one shard's state, which is in memory whole while it is read: a text of
	// core.MaxTextBytes and the largest undo history.
	importStateMax = core.MaxTextBytes + 64<<20
	// importStatesMax bounds all states, which are in memory once the session is there.
	importStatesMax = 2 << 30
	// importFilesMax bounds what goes to the disk beside them: a full history, and the records of
	// more terminals than anybody opens.
	importFilesMax = 2 << 30
	// importPartsMax bounds how many parts there are: a state for each shard, and files.
	importPartsMax = core.MaxShards + 1<<12
)

// importingDir has the directories of sessions that are being imported. Nothing in it outlives the
// daemon that began it.
func (d *Daemon) importingDir() string { return filepath.Join(d.opts.State, "importing") }

// clearImports removes what a daemon that was killed was importing.
func (d *Daemon) clearImports() {
	if err := d.removeTree(d.importingDir()); err != nil && !errors.Is(err, os.ErrNotExist) {
		d.log.Warn("what was being imported is not removed", "err", err)
	}
}

// importing is a session that is being taken in, in a directory of its own.
type importing struct {
	d     *Daemon
	id    core.Imported
	dir   string
	head  exportHead
	found *journal.Founding
	meta  core.ShardState
	seqs  map[core.Shard]core.Seq // of the states that came
	keys  map[string]bool
	state int64 // bytes of states
	files int64 // bytes of files
}

// takeIn makes a session of an exported one. On an error nothing of it is left.
func (d *Daemon) takeIn(r io.Reader, label string) imported {
	x := &importing{d: d, seqs: map[core.Shard]core.Seq{}, keys: map[string]bool{}}
	rand.Read(x.id.Session[:])
	rand.Read(x.id.History[:])
	x.id.At = now()
	x.dir = filepath.Join(d.importingDir(), hex.EncodeToString(x.id.Session[:]))
	got := x.run(r, label)
	if got.err != nil {
		got.err = importError(got.err)
		if x.found != nil {
			x.found.Drop()
		}
		if err := d.removeTree(x.dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			d.log.Warn("what was not imported is not removed", "dir", x.dir, "err", err)
		}
	}
	return got
}

// importError gives an error its code: what is wrong with the file is the file's.
func importError(err error) error {
	switch {
	case core.CodeOf(err) != core.CodeInternal:
		return err
	case errors.Is(err, journal.ErrNewer):
		return core.Errorf(core.CodeVersion, "not imported: %v", err)
	case errors.Is(err, journal.ErrNotArchive), errors.Is(err, journal.ErrArchive):
		return core.Errorf(core.CodeBadRequest, "not imported: %v", err)
	}
	return core.Errorf(core.CodeReadOnly, "not imported: %v", err)
}

func badImport(format string, args ...any) error {
	return core.Errorf(core.CodeBadRequest, "not imported: "+format, args...)
}

func (x *importing) run(r io.Reader, label string) imported {
	a, err := journal.NewArchiveReader(r)
	if err == nil {
		err = x.begin(a)
	}
	for n := 0; err == nil; n++ {
		var key string
		var size int64
		if key, size, err = a.Next(); err != nil {
			break
		}
		if n == importPartsMax || x.keys[key] {
			err = badImport("part %q is one too many", key)
			break
		}
		x.keys[key] = true
		err = x.part(key, size, a)
	}
	if err != io.EOF {
		return imported{err: err}
	}
	if label == "" {
		label = x.head.label
	}
	if err := x.finish(label); err != nil {
		return imported{err: err}
	}
	return x.settle(label)
}

// begin reads the first part and makes the directory.
func (x *importing) begin(a *journal.ArchiveReader) error {
	key, size, err := a.Next()
	if err != nil {
		return err
	}
	if key != exportHeadKey || size > importHeadMax {
		return badImport("it begins with part %q of %d bytes", key, size)
	}
	b, err := io.ReadAll(a)
	if err != nil {
		return err
	}
	c := codec.NewCursor(b)
	codec.ReadFields(&c, x.head.fields)
	if err := c.Done(); err != nil {
		return badImport("its first part: %v", err)
	}
	h := &x.head
	if h.format > exportFormat {
		return core.Errorf(core.CodeVersion, "not imported: format %d, want at most %d", h.format, exportFormat)
	}
	if err := core.CheckLabel(h.label); err != nil {
		return err
	}
	if h.format == 0 || h.generation == 0 || h.generation > 1<<40 || h.record > 1<<60 {
		return badImport("format %d, generation %d, record %d", h.format, h.generation, h.record)
	}
	if err := disk.MkdirAll(x.d.fs, x.dir); err != nil {
		return err
	}
	x.found, err = journal.Found(x.d.fs, x.dir, h.generation, h.record)
	return err
}

func (x *importing) part(key string, size int64, r io.Reader) error {
	kind, name, _ := strings.Cut(key, "/")
	switch kind + "/" {
	case exportState:
		if x.state += size; size > importStateMax || x.state > importStatesMax {
			return core.Errorf(core.CodeTooLarge, "not imported: states of more than %d bytes", x.state-1)
		}
		return x.takeState(name, r)
	case exportTerm:
		if id, ok := core.ParseTermID(name); !ok || id.String() != name {
			return badImport("part %q", key)
		}
		return x.file(filepath.Join(x.dir, "terms"), name, size, r)
	case exportJournal:
		if g, ok := journal.Generation(name); !ok || g >= x.head.generation {
			return badImport("part %q below generation %d", key, x.head.generation)
		}
		return x.file(x.dir, name, size, r)
	}
	return nil // a later version's
}

// takeState reads a part of the snapshot, and writes it once it was understood.
func (x *importing) takeState(key string, r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if key != frozenKey && key != lossesKey {
		st, err := core.ReadSnapshot(bytes.Clone(b))
		if err != nil {
			return badImport("state of %s: %v", key, err)
		}
		if st.Shard.String() != key || !st.Shard.Kind.Journaled() {
			return badImport("state of %s is that of %v", key, st.Shard)
		}
		if st.Shard == core.MetaShard {
			if err := st.Meta().CheckImport(); err != nil {
				return badImport("%v", err)
			}
			x.meta = st
		}
		x.seqs[st.Shard] = st.Mark.Seq
	}
	return x.found.Part(key, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// file writes a file.
func (x *importing) file(dir, name string, size int64, r io.Reader) error {
	if x.files += size; x.files > importFilesMax {
		return core.Errorf(core.CodeTooLarge, "not imported: files of more than %d bytes", importFilesMax)
	}
	if err := disk.MkdirAll(x.d.fs, dir); err != nil {
		return err
	}
	f, err := x.d.fs.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.NewOffsetWriter(f, 0), r)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// finish ends the journal: its last record makes the session one of its own.
func (x *importing) finish(label string) error {
	m := x.meta.Meta()
	if m == nil {
		return badImport("it has no metalog")
	}
	for _, s := range m.Shards {
		if _, came := x.seqs[s]; s.Kind.Leasable() && !came && !x.keys[exportState+frozenKey] {
			return badImport("the state of %v is missing", s)
		}
	}
	batches, err := core.Naturalize(x.meta, &x.id, label,
		func(s core.Shard) core.Seq { return x.seqs[s] })
	if err != nil {
		return badImport("%v", err)
	}
	payload := codec.AppendArray(nil, len(batches))
	for _, b := range batches {
		payload = append(codec.AppendBytesHead(payload, len(b.Bytes)), b.Bytes...)
	}
	found := x.found
	x.found = nil // it drops itself
	return found.Finish(int64(x.id.At)*1e6, payload)
}

// settle puts the session in its place and reads it.
func (x *importing) settle(label string) imported {
	d := x.d
	sl, err := d.reg.reserve(label)
	if err != nil {
		return imported{err: errTakenLabel(label)}
	}
	s, err := x.move(label)
	if err != nil {
		d.reg.drop(sl)
	}
	sl.fill(s, err)
	if err == nil {
		d.log.Info("a session was imported", "label", label, "was", x.head.session.String())
	}
	return imported{s, label, err}
}

func (x *importing) move(label string) (*session, error) {
	d := x.d
	if d.stopping() {
		return nil, errDraining
	}
	if err := disk.MkdirAll(d.fs, d.sessionsDir()); err != nil {
		return nil, err
	}
	to := filepath.Join(d.sessionsDir(), filepath.Base(x.dir))
	if err := d.moveDir(x.dir, to); err != nil {
		return nil, err
	}
	x.dir = to // is removed if it can't be read
	s, err := d.arrive(to, label)
	if err != nil {
		return nil, badImport("%v", fmt.Errorf("the session can't be read: %w", err))
	}
	return s, nil
}
