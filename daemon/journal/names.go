package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"apex/daemon/disk"
)

// Names in a journal's directory:
//
//	00000007.journal           generation 7
//	00000007.journal.tmp       generation 7 being written: not valid yet, removed at start
//	00000007.journal.damaged   generation 7, which was damaged and has been replaced: kept for good
//	00000007.journal.tail-4096 bytes that were cut from generation 7 at offset 4096
const (
	nameSuffix    = ".journal"
	damagedSuffix = ".damaged"
	tailInfix     = ".tail-"
)

func generationName(generation uint64) string {
	return fmt.Sprintf("%08d%s", generation, nameSuffix)
}

// parseName splits a name into its generation and what follows ".journal".
func parseName(name string) (generation uint64, rest string, ok bool) {
	number, rest, ok := strings.Cut(name, nameSuffix)
	if !ok {
		return 0, "", false
	}
	generation, err := strconv.ParseUint(number, 10, 64)
	return generation, rest, err == nil && generation > 0
}

// stored is a file of a journal's directory.
type stored struct {
	generation uint64
	name       string
	rest       string // "", damagedSuffix, tailInfix and an offset, disk.TempSuffix
	size       int64  // bytes
}

// list returns the files of a journal's directory by generation. A directory that isn't there has
// none.
func list(fsys disk.FS, dir string) ([]stored, error) {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []stored
	for _, e := range entries {
		if g, rest, ok := parseName(e.Name); ok && !e.Dir {
			files = append(files, stored{generation: g, name: e.Name, rest: rest, size: e.Size})
		}
	}
	slices.SortStableFunc(files, func(a, b stored) int {
		return cmp.Compare(a.generation, b.generation)
	})
	return files, nil
}

// Exists reports whether a directory holds a journal that can be recovered. One of which only
// history or cut tails are left has none.
func Exists(fsys disk.FS, dir string) (bool, error) {
	files, err := list(fsys, dir)
	return slices.ContainsFunc(files, func(f stored) bool { return f.rest == "" }), err
}

// readable reports whether the file holds a generation's frames.
func (s stored) readable() bool { return s.rest == "" || s.rest == damagedSuffix }
