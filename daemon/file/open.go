package file

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/zeebo/blake3"
)

// Hash is the BLAKE3-256 of a file's bytes. It decides whether a file changed; times and sizes
// never do, because they are rounded and touched by others (network disks, backups).
type Hash [32]byte

// Sum returns the hash of data.
func Sum(data []byte) Hash { return blake3.Sum256(data) }

// String returns 64 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Content is what [Open] found at a path.
type Content struct {
	Path string      // absolute and cleaned, links not resolved: the name that the user asked for
	Data []byte      // the exact bytes, or the listing of a directory
	Hash Hash        // of Data; of no bytes for a new file
	Mode fs.FileMode // of the final target; 0 for a new file
	Dir  bool        // Data is a listing
	New  bool        // the file does not exist, its directory does
}

// Open reads the file or lists the directory at path, which must be absolute: the daemon's own
// working directory means nothing to a user. More than maxBytes bytes are refused with
// [CodeTooLarge]. It never blocks: what is neither a regular file nor a directory is refused with
// [CodeNotRegular], as far as possible without opening it, which already has effects on devices.
//
// A listing has one name a line, sorted by bytes, with a trailing slash on directories (not on
// links to them: following one may hang on a dead mount). A name that holds a line end is quoted
// as in Go source.
func Open(path string, maxBytes int64) (Content, error) {
	clean, err := cleaned(path)
	if err != nil {
		return Content{}, fail("open", path, "", err)
	}
	c, err := read(clean, maxBytes)
	if errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(path, "/") {
		return missing(clean, err)
	}
	if err != nil {
		return Content{}, fail("open", clean, "", err)
	}
	if strings.HasSuffix(path, "/") && !c.Dir {
		return Content{}, fail("open", clean, "", syscall.ENOTDIR)
	}
	return c, nil
}

// missing tells a new file from one whose directory is missing. Through links it is the last
// link's directory that counts, because that is where Save will create the file.
func missing(path string, cause error) (Content, error) {
	target, err := final(path)
	if err != nil {
		return Content{}, fail("open", path, "no directory to create it in", err)
	}
	if _, err := os.Lstat(target); err == nil {
		// It appeared between the two looks; the cause is honest and asking again helps.
		return Content{}, fail("open", path, "", cause)
	}
	return Content{Path: path, Hash: Sum(nil), New: true}, nil
}

func read(path string, maxBytes int64) (Content, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Content{}, err
	}
	if err := readable(path, info); err != nil {
		return Content{}, err
	}
	// The path may name something else by now: O_NONBLOCK, and the descriptor has the last word.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return Content{}, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return Content{}, err
	}
	if err := readable(path, info); err != nil {
		return Content{}, err
	}
	c := Content{Path: path, Mode: info.Mode(), Dir: info.IsDir()}
	if c.Dir {
		c.Data, err = listing(f)
	} else {
		c.Data, err = readAll(f, info.Size(), maxBytes)
	}
	if err != nil {
		return Content{}, err
	}
	if n := max(int64(len(c.Data)), info.Size()); !c.Dir && n > maxBytes {
		return Content{}, tooLarge(path, n, maxBytes)
	}
	if n := int64(len(c.Data)); n > maxBytes {
		return Content{}, tooLarge(path, n, maxBytes)
	}
	c.Hash = Sum(c.Data)
	return c, nil
}

func readable(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return &Error{Code: CodeNotRegular, Op: "open", Path: path, Text: kind(info.Mode())}
}

func tooLarge(path string, size, limit int64) error {
	return &Error{Code: CodeTooLarge, Op: "open", Path: path, Size: size, Limit: limit}
}

// kind says in words what is not a regular file.
func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a FIFO, not a regular file"
	case m&fs.ModeSocket != 0:
		return "a socket, not a regular file"
	case m&fs.ModeDevice != 0:
		return "a device, not a regular file"
	case m.IsDir():
		return "a directory, not a regular file"
	}
	return "not a regular file"
}

// readAll reads to the end, and stops one byte past the limit: the size is a hint only (files in
// /proc claim 0, and a file can grow while it is read).
func readAll(r io.Reader, size, maxBytes int64) ([]byte, error) {
	if size > maxBytes {
		return nil, nil // the caller refuses by size, nothing needs to be read
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(r, maxBytes+1)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func listing(f *os.File) ([]byte, error) {
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
		if strings.ContainsAny(names[i], "\n\r") {
			names[i] = strconv.Quote(names[i])
		}
		if e.IsDir() {
			names[i] += "/"
		}
	}
	slices.Sort(names)
	var b bytes.Buffer
	for _, n := range names {
		b.WriteString(n)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// cleaned checks and cleans a user's path.
func cleaned(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", &Error{Code: CodeBadPath, Op: "open", Path: path, Text: "path is not absolute"}
	}
	if strings.IndexByte(path, 0) >= 0 {
		return "", &Error{Code: CodeBadPath, Op: "open", Path: path, Text: "path holds a NUL byte"}
	}
	return filepath.Clean(path), nil
}
