package daemon

import (
	"os"
	"path/filepath"
	"strings"

	"apex/core"
	"apex/core/addr"
	"apex/core/text"
	"apex/daemon/file"
	"apex/proto"
)

// opener is who opens something, and how.
type opener struct {
	core.Author
	unkept bool // also while the disk refuses: it says itself that nothing is kept
}

// openFiles opens files, or a text, in windows.
func (s *session) openFiles(author core.Author, r *proto.Open) (*proto.Opened, error) {
	by := opener{author, r.Unkept}
	if r.HasText {
		p, err := s.openText(by, r)
		if err != nil {
			return nil, err
		}
		return &proto.Opened{Places: []proto.Place{p}}, nil
	}
	out := &proto.Opened{}
	for i, f := range r.Files {
		p, err := s.openFile(by, f, r.Focus && i == len(r.Files)-1)
		if err != nil {
			p = proto.Place{Path: f.Path, Code: core.CodeOf(err), Message: err.Error()}
		}
		out.Places = append(out.Places, p)
	}
	return out, nil
}

// openText puts a text into a new window.
func (s *session) openText(by opener, r *proto.Open) (proto.Place, error) {
	id, err := s.load(by, core.BufferScratch, r.Name, r.Text, file.Sum(r.Text), false)
	if err != nil {
		return proto.Place{}, err
	}
	return s.window(by, &core.AskWindow{Body: id, Name: r.Name, Focus: r.Focus}, r.Name)
}

// userPath is a path that may be in the user's directory, as shells write that.
func (d *Daemon) userPath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(d.userDir, rest)
	}
	return path
}

// exists answers whether there is something at a path.
func (d *Daemon) exists(path string) (proto.Reply, error) {
	if path = d.userPath(path); !filepath.IsAbs(path) {
		return nil, core.Errorf(core.CodeBadRequest, "%s: want an absolute path", path)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, core.Errorf(core.CodeNotFound, "%v", err)
	}
	return &proto.Done{}, nil
}

// openFile opens one file: a buffer that holds it is shown, otherwise it is read.
func (s *session) openFile(by opener, f proto.File, focus bool) (proto.Place, error) {
	f.Path = s.d.userPath(f.Path)
	if !filepath.IsAbs(f.Path) {
		return proto.Place{}, core.Errorf(core.CodeBadRequest, "open %s: want an absolute path", f.Path)
	}
	path := filepath.Clean(f.Path)
	a, err := addr.Parse(f.Addr)
	if err != nil {
		return proto.Place{}, core.Errorf(core.CodeBadRequest, "%v", err)
	}
	defer s.opening.lock(final(path))()
	id, w, ok := s.holding(path)
	said := ""
	if !ok {
		if name := s.otherName(path); name != "" {
			path = name
			id, w, ok = s.holding(path)
		}
	}
	if !ok {
		from, err := s.follow(by.Author, path)
		if err != nil {
			return proto.Place{}, err
		}
		if from != "" {
			said = from + " was renamed to " + path + ": its window goes on with it"
			id, w, ok = s.holding(path)
		}
	}
	if ok {
		s.upToDate(id) // an address is meant in what the disk holds by now
		dot, err := s.span(id, f.Addr, a)
		if err != nil {
			return proto.Place{}, err
		}
		var p proto.Place
		if w == 0 {
			p, err = s.window(by, &core.AskWindow{Body: id, Name: path, Focus: focus, Select: dot}, path)
		} else {
			p, err = s.show(by, id, w, path, f.Addr != "", dot, focus)
		}
		p.Message = said
		return p, err
	}
	return s.readFile(by, f, path, a, focus)
}

// readFile opens a file that no buffer holds.
func (s *session) readFile(by opener, f proto.File, path string, a addr.Addr,
	focus bool) (proto.Place, error) {
	look, lookErr := file.LookAt(f.Path)
	c, err := file.Open(f.Path, core.MaxTextBytes)
	if err != nil {
		return proto.Place{}, fileError(err)
	}
	kind := core.BufferFile
	if c.Dir {
		kind = core.BufferDir
	}
	dot := core.Span{}
	if f.Addr != "" {
		r, err := a.Eval(text.New(c.Data), addr.Range{})
		if err != nil {
			return proto.Place{}, core.Errorf(core.CodeBadRequest, "%v", err)
		}
		dot = core.Span{Q0: r.Q0, Q1: r.Q1}
	}
	id, err := s.load(by, kind, path, c.Data, c.Hash, !c.New)
	if err != nil {
		return proto.Place{}, err
	}
	if lookErr == nil && !c.New && !c.Dir {
		s.setSight(id, sight{path: path, look: look, hash: core.Hash(c.Hash)})
	}
	return s.window(by, &core.AskWindow{Body: id, Name: path, Select: dot, Focus: focus}, path)
}

// span evaluates an address in a buffer. The empty one is the beginning.
func (s *session) span(id core.BufferID, at string, a addr.Addr) (core.Span, error) {
	s.mu.Lock()
	b := s.a.Buffer(id)
	s.mu.Unlock()
	if b == nil || at == "" {
		return core.Span{}, nil
	}
	r, err := a.Eval(b.Text, addr.Range{})
	if err != nil {
		return core.Span{}, core.Errorf(core.CodeBadRequest, "%v", err)
	}
	return core.Span{Q0: r.Q0, Q1: r.Q1}, nil
}

// holding returns the buffer of a path and a window that shows it, if there are any.
func (s *session) holding(path string) (core.BufferID, core.WindowID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, shard := range s.a.Meta().Shards {
		b := s.a.Buffer(core.BufferID(shard.ID))
		if shard.Kind != core.KindBuffer || b == nil || b.Name != path || b.Loading ||
			b.Kind != core.BufferFile && b.Kind != core.BufferDir {
			continue
		}
		id := core.BufferID(shard.ID)
		for _, w := range windows(s.a) {
			if s.a.Window(w).Body == id {
				return id, w, true
			}
		}
		return id, 0, true
	}
	return 0, 0, false
}

// window asks the layout's leader for a window.
func (s *session) window(by opener, ask *core.AskWindow,
	path string) (proto.Place, error) {
	r := s.askBy(by, core.Proposal{Ask: ask})
	if r.Err != nil {
		return proto.Place{}, r.Err
	}
	s.point(by, ask, r.Window)
	return proto.Place{Window: r.Window, Path: path, Buffer: ask.Body}, nil
}

// point sets a new window's dot where the window's maker could not: it did not lead the body. The
// window is there whether that works or not.
func (s *session) point(by opener, ask *core.AskWindow, w core.WindowID) {
	s.mu.Lock()
	var at core.ViewState
	if b := s.a.Buffer(ask.Body); b != nil {
		at, _ = b.View(w.Body())
	}
	s.mu.Unlock()
	if at.Q0 == ask.Select.Q0 && at.Q1 == ask.Select.Q1 {
		return
	}
	p := core.Proposal{Author: by.Author, Ask: &core.AskSelect{Buffer: ask.Body, View: w.Body(),
		Q0: ask.Select.Q0, Q1: ask.Select.Q1, Show: true}}
	s.mu.Lock()
	r := s.await(p, false, by.unkept)
	if r.Err != nil {
		s.log.Warn("a new window's dot was not set", "window", w.String(), "err", r.Err)
	}
}

// show makes a window visible, and with move sets its dot.
func (s *session) show(by opener, id core.BufferID, w core.WindowID, path string,
	move bool, dot core.Span, focus bool) (proto.Place, error) {
	place := proto.Place{Window: w, Path: path, Buffer: id}
	if focus {
		r := s.askBy(by, core.Proposal{Ask: &core.AskShow{Window: w}})
		if r.Err != nil {
			return place, r.Err
		}
	}
	if !move {
		return place, nil
	}
	r := s.askBy(by, core.Proposal{Ask: &core.AskSelect{Buffer: id, View: w.Body(),
		Q0: dot.Q0, Q1: dot.Q1, Show: true}})
	if r.Err != nil {
		return place, r.Err
	}
	return place, nil
}

// loadBatchBytes is how much of a large text goes into one record: small enough that the session's
// other work has its turn in between.
const loadBatchBytes = core.LoadMaxBytes

// load makes a buffer, led by the daemon, on a text that may be large.
func (s *session) load(by opener, kind core.BufferKind, name string, data []byte, sum file.Hash,
	onDisk bool) (core.BufferID, error) {
	size := len(data)
	piece := func() string {
		n := min(len(data), loadBatchBytes)
		p := string(data[:n])
		data = data[n:]
		return p
	}
	s.mu.Lock()
	id := core.BufferID(s.a.NewID())
	s.mu.Unlock()
	large := size > loadBatchBytes
	b := core.Bundle{Author: diskAuthor, New: []core.Shard{id.Shard()}}
	b.Add(id.Shard(), core.Of(&core.BufferNew{Kind: kind, Name: name, Text: piece(), Loading: large}))
	for len(data) > 0 {
		if err := s.commitBy(by, b); err != nil {
			return 0, err
		}
		b = core.Bundle{Author: diskAuthor}
		b.Add(id.Shard(), core.Of(&core.Load{Text: piece()}))
	}
	if large {
		b.Add(id.Shard(), core.Of(&core.Loaded{Hash: core.Hash(sum)}))
	}
	if onDisk {
		b.Add(id.Shard(), core.Of(&core.Clean{Disk: core.Hash(sum), Bytes: size}))
	}
	return id, s.commitBy(by, b)
}
