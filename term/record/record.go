package record

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

const magic = "apexterm\x01"

const (
	// PieceMaxBytes bounds a piece: the longest history, and a large screen.
	PieceMaxBytes = 256 << 20
	// slackBytes is how much longer than what it tells a file may be before it is written anew:
	// several screens.
	slackBytes = 4 << 20
)

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// State is what a record tells.
type State struct {
	Covered uint64 // bytes of the program's output
	First   uint64 // the history's oldest line
	Lines   [][]byte
	Screen  []byte
}

// End is the number after the history's last line.
func (s *State) End() uint64 { return s.First + uint64(len(s.Lines)) }

// Line returns a line of the history by its number.
func (s *State) Line(n uint64) ([]byte, bool) {
	if n < s.First || n >= s.End() {
		return nil, false
	}
	return s.Lines[n-s.First], true
}

// Piece is what has changed since the last one.
type Piece struct {
	Covered uint64
	First   uint64
	From    uint64 // the number of the first of Lines; those of the record from here on are void
	Lines   [][]byte
	Screen  []byte
}

// File is a record that is written.
type File struct {
	path  string
	f     *os.File // nil after an error: the next Save writes everything anew
	size  int64    // of the file
	whole int64    // of the file when it was written anew, or opened
	end   uint64   // the number after the last line that it tells
	buf   []byte
}

// ErrNone says that there is no record.
var ErrNone = errors.New("no record of the terminal")

// Create begins a record, in the place of one that is there.
func Create(path string) (*File, error) {
	r := &File{path: path}
	if err := r.anew(nil); err != nil {
		return nil, err
	}
	return r, nil
}

// Later is a record that can't be written now: the first Save that can begins it.
func Later(path string) *File { return &File{path: path} }

// Open reads a record and goes on with it. The error is ErrNone if there is none, or none that
// tells anything.
func Open(path string) (*File, State, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, State{}, ErrNone
	}
	if err != nil {
		return nil, State{}, fmt.Errorf("record of a terminal: %w", err)
	}
	s, end, err := read(f)
	if err == nil {
		if _, err = f.Seek(end, io.SeekStart); err == nil {
			err = f.Truncate(end)
		}
	}
	if err != nil {
		f.Close()
		return nil, State{}, err
	}
	return &File{path: path, f: f, size: end, whole: end, end: s.End()}, s, nil
}

// read returns what a record tells and where its last whole piece ends.
func read(f io.Reader) (s State, end int64, err error) {
	r := bufio.NewReaderSize(f, 256<<10)
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(r, head); err != nil || string(head) != magic {
		return s, 0, ErrNone
	}
	end = int64(len(magic))
	var none = true
	for {
		b, n, err := piece(r)
		if err != nil {
			break
		}
		p, err := decode(b)
		if err != nil || s.take(&p) != nil {
			break
		}
		end += n
		none = false
	}
	if none {
		return s, 0, ErrNone
	}
	return s, end, nil
}

// piece reads the next piece's payload; n is how long it is in the file.
func piece(r io.Reader) (b []byte, n int64, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, 0, err
	}
	size := binary.BigEndian.Uint32(head[:4])
	if size > PieceMaxBytes {
		return nil, 0, fmt.Errorf("piece of %d bytes, at most %d", size, PieceMaxBytes)
	}
	b, err = io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil || len(b) < int(size) {
		return nil, 0, io.ErrUnexpectedEOF
	}
	if crc32.Checksum(b, castagnoli()) != binary.BigEndian.Uint32(head[4:]) {
		return nil, 0, errors.New("checksum")
	}
	return b, int64(len(head)) + int64(size), nil
}

var errPiece = errors.New("a piece makes no sense")

func decode(b []byte) (p Piece, err error) {
	bad := false
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			bad = true
			return 0
		}
		b = b[n:]
		return v
	}
	p.Covered, p.First, p.From = number(), number(), number()
	count := number()
	if bad || count > uint64(len(b)) {
		return p, errPiece
	}
	p.Lines = make([][]byte, 0, count)
	for range count {
		n := number()
		if bad || n > uint64(len(b)) {
			return p, errPiece
		}
		p.Lines = append(p.Lines, b[:n:n])
		b = b[n:]
	}
	p.Screen = b
	return p, nil
}

// take brings s up to a piece.
func (s *State) take(p *Piece) error {
	switch {
	case p.From > s.End() && s.Screen != nil && p.From != p.First:
		return errPiece // lines are missing
	case p.From < s.First || p.From > s.End():
		s.First, s.Lines = p.From, nil
	}
	s.Lines = append(s.Lines[:p.From-s.First:p.From-s.First], p.Lines...)
	drop := min(p.First-min(s.First, p.First), uint64(len(s.Lines)))
	s.Lines = s.Lines[drop:]
	s.First += drop
	if len(s.Lines) == 0 {
		s.First = max(s.First, p.First)
	}
	s.Covered, s.Screen = p.Covered, p.Screen
	return nil
}

// Save adds a piece. whole makes one with all lines of the history, for when everything is to be
// written anew: after an error, with which nothing is lost that was saved before, or when the file
// is much longer than what it tells.
func (r *File) Save(p *Piece, whole func() *Piece) error {
	if r.f == nil || r.size > 2*r.whole+slackBytes {
		return r.anew(whole())
	}
	r.buf = appendPiece(r.buf[:0], p)
	if _, err := r.f.Write(r.buf); err != nil {
		r.f.Close()
		r.f = nil
		return fmt.Errorf("record of a terminal: %w", err)
	}
	r.size += int64(len(r.buf))
	r.end = p.From + uint64(len(p.Lines))
	return nil
}

// End is the number after the last line that the record has.
func (r *File) End() uint64 { return r.end }

// anew writes the file anew, with p alone.
func (r *File) anew(p *Piece) error {
	b := append(r.buf[:0], magic...)
	if p != nil {
		b = appendPiece(b, p)
	}
	r.buf = b
	f, err := os.CreateTemp(filepath.Dir(r.path), filepath.Base(r.path)+".*")
	if err != nil {
		return fmt.Errorf("record of a terminal: %w", err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = os.Rename(f.Name(), r.path)
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return fmt.Errorf("record of a terminal: %w", err)
	}
	if r.f != nil {
		r.f.Close()
	}
	r.f, r.size, r.whole, r.end = f, int64(len(b)), int64(len(b)), 0
	if p != nil {
		r.end = p.From + uint64(len(p.Lines))
	}
	return nil
}

func appendPiece(b []byte, p *Piece) []byte {
	at := len(b)
	b = append(b, make([]byte, 8)...)
	b = binary.AppendUvarint(b, p.Covered)
	b = binary.AppendUvarint(b, p.First)
	b = binary.AppendUvarint(b, p.From)
	b = binary.AppendUvarint(b, uint64(len(p.Lines)))
	for _, l := range p.Lines {
		b = binary.AppendUvarint(b, uint64(len(l)))
		b = append(b, l...)
	}
	b = append(b, p.Screen...)
	body := b[at+8:]
	binary.BigEndian.PutUint32(b[at:], uint32(len(body)))
	binary.BigEndian.PutUint32(b[at+4:], crc32.Checksum(body, castagnoli()))
	return b
}

// Sync waits until what was saved is on the disk.
func (r *File) Sync() error {
	if r.f == nil {
		return nil
	}
	return r.f.Sync()
}

// Close ends the writing; the record stays. A Save after it writes everything anew.
func (r *File) Close() error {
	if r.f == nil {
		return nil
	}
	err := r.f.Close()
	r.f = nil
	return err
}
