package journal

import "fmt"

// snapshotReader puts the parts of a snapshot together from its frames.
type snapshotReader struct {
	limit    int64 // bytes of the file; no part is larger
	begin    begin
	end      end
	sequence uint64 // of the last frame
	ended    bool
	lost     bool // something is missing before the next part
	reported bool // something was missing, and was said to be
	open     bool // a part's data is being collected
	ready    bool // it is whole
	part     part
	data     []byte
	count    int // parts that were whole
}

// wholePart is a part whose data is complete.
type wholePart struct {
	key  string
	data []byte
}

// frame takes the next frame of a snapshot. It returns what is wrong with it in this place, or
// nothing.
func (s *snapshotReader) frame(it item) string {
	h := it.header
	if s.ended {
		return "a snapshot frame after the snapshot's end"
	}
	missing := ""
	if h.sequence != s.sequence+1 && !s.lost {
		missing = fmt.Sprintf("snapshot frames %d to %d are missing", s.sequence+1, h.sequence-1)
		s.lost = true
	}
	s.sequence = h.sequence
	if wrong := s.content(it); wrong != "" {
		s.lost = true
		return wrong
	}
	return missing
}

func (s *snapshotReader) content(it item) string {
	var ok bool
	switch it.header.kind {
	case kindBegin:
		if s.begin, ok = parseBegin(it.payload); !ok || it.off != 0 {
			return "the first frame makes no sense"
		}
	case kindPart:
		return s.openPart(it)
	case kindChunk:
		return s.chunk(it.payload)
	case kindEnd:
		s.end, ok = parseEnd(it.payload)
		if !s.reported && (!ok || s.open || s.end.parts != s.count) {
			return fmt.Sprintf("the snapshot ends after %d parts, want %d", s.count, s.end.parts)
		}
		s.ended = ok
	}
	return ""
}

func (s *snapshotReader) openPart(it item) string {
	unfinished := s.open && !s.lost
	p, ok := parsePart(it.payload)
	switch {
	case !ok || p.size > s.limit:
		s.drop()
		return "the first frame of a part makes no sense"
	case unfinished:
		return fmt.Sprintf("part %q ends after %d bytes, want %d",
			s.part.key, len(s.data), s.part.size)
	}
	s.part, s.data, s.open, s.lost = p, make([]byte, 0, p.size), true, false
	s.full()
	return ""
}

func (s *snapshotReader) chunk(data []byte) string {
	if s.lost {
		return "" // with its part
	}
	if !s.open {
		return "data that belongs to no part"
	}
	if int64(len(s.data)+len(data)) > s.part.size {
		return fmt.Sprintf("part %q has more than %d bytes", s.part.key, s.part.size)
	}
	s.data = append(s.data, data...)
	s.full()
	return ""
}

// full notes when the part that is open has all its data.
func (s *snapshotReader) full() {
	if int64(len(s.data)) == s.part.size {
		s.open, s.ready = false, true
		s.count++
	}
}

// take returns a part that has become whole.
func (s *snapshotReader) take() (wholePart, bool) {
	if !s.ready {
		return wholePart{}, false
	}
	p := wholePart{key: s.part.key, data: s.data}
	s.ready, s.data = false, nil
	return p, true
}

// drop gives up the part that is open and returns its key, if there is one.
func (s *snapshotReader) drop() string {
	key := ""
	if s.open {
		key = s.part.key
	}
	s.open, s.data, s.lost, s.reported = false, nil, true, true
	return key
}
