package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"apex/core"
	"apex/core/edit"
	"apex/daemon/file"
	"apex/proto"
)

// runExec does the effect of a command, once, and records its outcome.
func (s *session) runExec(e *core.RunExec) {
	message, err := s.execute(e)
	s.outcomeOf(e, message, err)
}

// outcomeOf records how a command ended; while the session is not durable, later, and whoever waits
// for it is told at once.
func (s *session) outcomeOf(e *core.RunExec, message string, err error) {
	st := core.Status{Of: e.At, Message: cutText(message, core.MaxMessageBytes)}
	if err != nil {
		st.Code, st.Message = core.CodeOf(err), cutText(err.Error(), core.MaxMessageBytes)
	}
	tell := func() {
		s.local(core.Proposal{Author: s.signature(), Ask: &core.AskStatus{Window: e.Window, Status: st}})
	}
	if err != nil && e.Window == 0 { // nobody is told of what fails outside windows
		s.local(core.Proposal{Author: s.signature(), Ask: edit.Errors(s.sessionDir(), st.Message)})
	}
	s.mu.Lock()
	later := s.owe(tell)
	if later {
		s.answer(e, s.outcomeNow(e, st))
	}
	s.mu.Unlock()
	if !later {
		tell()
	}
}

// signature signs what the daemon does of its own accord.
func (s *session) signature() core.Author { return core.Author{Actor: "apex"} }

// diskAuthor signs what is told of a file that nobody asked for.
var diskAuthor = core.Author{Actor: "disk"}

func (s *session) execute(e *core.RunExec) (string, error) {
	words := strings.Fields(e.Exec.Command)
	if len(words) > 1 && words[0] == "New" {
		return s.newOn(e, words[1:])
	}
	if e.Buffer == nil || len(words) == 0 {
		return "", core.Errorf(core.CodeNotFound, "the text that the command acts on is gone")
	}
	if e.Buffer.Version < e.Exec.Version {
		return "", core.Errorf(core.CodeConflict,
			"the text is at version %d here, the command was given at %d: try again",
			e.Buffer.Version, e.Exec.Version)
	}
	force, name := false, ""
	for _, w := range words[1:] {
		if w == "-f" {
			force = true
		} else {
			name = w
		}
	}
	switch words[0] {
	case "Put", "Putall": // what Putall records in each window
		return s.put(e, name, force)
	case "Get":
		return s.get(e, name, force)
	case "Merge":
		return s.merge(e)
	}
	return "", core.Errorf(core.CodeNotFound, "%q: unknown command", words[0])
}

// newOn makes windows on files.
func (s *session) newOn(e *core.RunExec, names []string) (string, error) {
	req := &proto.Open{Focus: true}
	for _, n := range names {
		req.Files = append(req.Files, proto.File{Path: s.absolute(e, n)})
	}
	opened, err := s.openFiles(e.Author, req)
	if err != nil {
		return "", err
	}
	for _, p := range opened.Places {
		if err := p.Err(); err != nil {
			return "", err
		}
	}
	return "", nil
}

// absolute makes a name of a file in a command absolute: relative ones are in dirOf.
func (s *session) absolute(e *core.RunExec, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(s.dirOf(e), name)
}

// dirOf is the directory that a command's relative names are in, and a program runs in: where the
// window's terminal says that its program is, or else where the window's file was when the command
// was executed; outside windows the session's.
func (s *session) dirOf(e *core.RunExec) string {
	s.mu.Lock()
	dir := edit.BufferDir(s.a, e.Buffer)
	w := s.a.Window(e.Window)
	s.mu.Unlock()
	if w == nil || w.Term == 0 {
		return dir
	}
	if h := s.programs.term(w.Term); h != nil {
		cwd := h.t.Frame().Dir
		if st, err := os.Stat(cwd); filepath.IsAbs(cwd) && err == nil && st.IsDir() {
			return cwd
		}
	}
	return dir
}

func (s *session) sessionDir() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return edit.Dir(s.a, core.TopView)
}

// put saves a buffer's text. A file that is not what was last read or written is refused once:
// the buffer turns stale, and a Put after that saves over exactly what was warned about.
func (s *session) put(e *core.RunExec, name string, force bool) (string, error) {
	b := e.Buffer
	if b.Kind == core.BufferDir || b.Kind == core.BufferTag {
		return "", core.Errorf(core.CodeBadRequest, "a listing is not saved")
	}
	path := b.Name
	if name != "" {
		path = name
	}
	if path == "" {
		return "", core.Errorf(core.CodeBadRequest,
			"the window has no name: write one in its tag, or Put NAME")
	}
	path = s.absolute(e, path)
	unlock := s.d.saves.lock(path)
	defer unlock()
	opts := file.SaveOptions{Force: force, IntentDir: s.d.intentDir()}
	wrote, own := s.written(path), path == s.absolute(e, b.Name)
	switch {
	case wrote != nil:
		opts.Expect = wrote
	case own && b.Stale && b.Warned:
		opts.Expect = (*file.Hash)(&b.StaleDisk)
	case own && b.OnDisk:
		opts.Expect = (*file.Hash)(&b.Disk)
	}
	save := func() (file.Saved, error) { return file.Save(path, b.Text.Chunks(), opts) }
	saved, err := s.d.rooms.save(path, save)
	var fe *file.Error
	if errors.As(err, &fe) && fe.Code == file.CodeChangedOnDisk {
		if fe.Got != nil && !own && wrote == nil {
			return "", core.Errorf(core.CodeConflict, "%s exists: Put -f %s overwrites it", path, path)
		}
		if fe.Got != nil {
			return "", s.refusePut(e, path, core.Hash(*fe.Got))
		}
		opts.Expect = nil // it is gone: nothing is overwritten
		saved, err = s.d.rooms.save(path, save)
	}
	if err != nil {
		return "", fileError(err)
	}
	if err := s.saved(e, path, saved.Hash); err != nil {
		return "", err
	}
	how := ""
	if saved.Why != "" {
		how = ", in place: " + saved.Why
	}
	return fmt.Sprintf("%s: %d bytes written%s", path, b.Text.Bytes(), how), nil
}

func (s *session) refusePut(e *core.RunExec, path string, disk core.Hash) error {
	s.local(core.Proposal{Author: diskAuthor, Ask: &core.AskStale{Buffer: e.Exec.Buffer, Disk: disk,
		Name: e.Buffer.Name}})
	return core.Errorf(core.CodeConflict,
		"%s changed on disk since it was last read: Merge takes both, Get the disk's text, "+
			"Put again overwrites it", path)
}

// clean records that the file at path holds the text of e's version. A buffer that has got another
// name since it was written is not what that file holds.
func (s *session) clean(e *core.RunExec, path string, hash core.Hash) error {
	if path != e.Buffer.Name {
		r := s.local(core.Proposal{Author: e.Author,
			Ask: &core.AskRename{Buffer: e.Exec.Buffer, Name: path}})
		if r.Err != nil {
			return r.Err
		}
	}
	r := s.local(core.Proposal{Author: diskAuthor, Ask: &core.AskClean{Buffer: e.Exec.Buffer,
		Version: e.Buffer.Version,
		Disk:    core.DiskState{Hash: hash, Bytes: e.Buffer.Text.Bytes(), Name: path}}})
	if r.Err != nil {
		return r.Err
	}
	return nil
}

// get takes a file's text into a buffer, by the smallest edits and as a step of whoever asked for
// it, who can so bring back by undo what it replaces. The text of another file than the buffer's
// own is one that is not saved.
func (s *session) get(e *core.RunExec, name string, force bool) (string, error) {
	path := e.Buffer.Name
	if name != "" {
		path = name
	}
	if path == "" {
		return "", core.Errorf(core.CodeBadRequest, "the window has no name")
	}
	c, err := file.Open(s.absolute(e, path), core.MaxTextBytes)
	if err != nil {
		return "", fileError(err)
	}
	if c.New {
		return "", core.Errorf(core.CodeNotFound, "%s: no such file", c.Path)
	}
	switch kind := e.Buffer.Kind; {
	case c.Dir && kind == core.BufferFile:
		return "", core.Errorf(core.CodeBadRequest, "%s: is a directory", c.Path)
	case !c.Dir && kind == core.BufferDir:
		return "", core.Errorf(core.CodeBadRequest, "%s: is not a directory", c.Path)
	}
	ask := &core.AskSet{Buffer: e.Exec.Buffer, Text: string(c.Data), Force: force}
	switch own := s.absolute(e, e.Buffer.Name); {
	case e.Buffer.Name != "" && s.absolute(e, path) == own:
		ask.Disk = &core.DiskState{Hash: core.Hash(c.Hash), Bytes: len(c.Data), Name: e.Buffer.Name}
	case !force && e.Buffer.Dirty():
		return "", core.Errorf(core.CodeUnsaved, "%s: unsaved changes", own)
	case !force:
		ask.HasBase, ask.Base = true, e.Buffer.Version // what is typed meanwhile is not saved either
	}
	kept := ""
	if force {
		if kept, err = s.keepReplaced(e, string(c.Data)); err != nil {
			return "", err
		}
	}
	r := s.local(core.Proposal{Author: e.Author, Ask: ask})
	switch {
	case r.Err != nil:
		return "", r.Err
	case r.Outcome == core.NeedsMerge:
		return "", core.Errorf(core.CodeConflict, "the text changed while %s was read: try again", c.Path)
	}
	return fmt.Sprintf("%s: %d bytes read%s", c.Path, len(c.Data), kept), nil
}

// fileError gives an error of package file its code on the wire.
func fileError(err error) error {
	var fe *file.Error
	if !errors.As(err, &fe) {
		return err
	}
	code := core.CodeUnavailable
	switch fe.Code {
	case file.CodeBadPath, file.CodeNotRegular:
		code = core.CodeBadRequest
	case file.CodeNotFound:
		code = core.CodeNotFound
	case file.CodeTooLarge:
		code = core.CodeTooLarge
	case file.CodeChangedOnDisk:
		code = core.CodeConflict
	case file.CodeDenied:
		code = core.CodeDenied
	case file.CodeReadOnly:
		code = core.CodeReadOnly
	case file.CodeBusy:
		code = core.CodeBusy
	}
	return core.Errorf(code, "%v", err)
}
