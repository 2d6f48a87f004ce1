package holder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Kind is what a program's input and output are.
type Kind uint8

// The kinds of programs.
const (
	Pty  Kind = iota + 1 // a pseudo-terminal, which it also controls
	Pipe                 // one pipe for output and errors; input is a file
)

// Limits of a Spec.
const (
	// nameMaxBytes leaves room for the socket's name behind /proc/self/fd in a socket's address.
	nameMaxBytes = 64
	// SizeMax is the most columns or rows of a terminal: the kernel's limit is 65,535, and no
	// screen needs memory for that many.
	SizeMax = 10_000
)

// Spec is a program to start.
type Spec struct {
	Dir  string // of the holders' sockets: absolute, mode 0700, of any length
	Name string // identifies the holder in Dir: letters, digits, '-', '_' and '.', not first

	Argv []string // the first word is looked up in the PATH of Env, unless it has a slash
	Env  []string // the whole environment, KEY=VALUE
	Cwd  string   // absolute
	Kind Kind

	Size Size // of a terminal

	// Input is what a program on a pipe reads: from its current offset, the same open file. Nil is
	// /dev/null. It stays the caller's to close. InputBytes makes one of bytes.
	Input *os.File

	// Errors is where a program on a pipe writes its errors: the same open file. The holder keeps it
	// open as long as it is there, so that a named pipe holds what was written for the next daemon.
	// Nil is the pipe that its output goes to. It stays the caller's to close.
	Errors *os.File
}

// Size is that of a terminal, in cells and in pixels; pixels may be 0 for unknown.
type Size struct{ Cols, Rows, Width, Height int }

func (z Size) check() error {
	if z.Cols < 1 || z.Rows < 1 || z.Cols > SizeMax || z.Rows > SizeMax {
		return fmt.Errorf("size %dx%d, want 1 to %d each", z.Cols, z.Rows, SizeMax)
	}
	const pixelsMax = 1<<16 - 1 // struct winsize has 16 bits for each
	if z.Width < 0 || z.Height < 0 || z.Width > pixelsMax || z.Height > pixelsMax {
		return fmt.Errorf("size %dx%d pixels, want 0 to %d each", z.Width, z.Height, pixelsMax)
	}
	return nil
}

func (s *Spec) check() error {
	switch {
	case !filepath.IsAbs(s.Dir):
		return fmt.Errorf("socket directory %q is not absolute", s.Dir)
	case !validName(s.Name):
		return fmt.Errorf("name %q, want at most %d letters, digits, dots, - and _", s.Name,
			nameMaxBytes)
	case len(s.Argv) == 0 || s.Argv[0] == "":
		return fmt.Errorf("no command")
	case !filepath.IsAbs(s.Cwd):
		return fmt.Errorf("working directory %q is not absolute", s.Cwd)
	case s.Kind != Pty && s.Kind != Pipe:
		return fmt.Errorf("kind %d, want %d or %d", s.Kind, Pty, Pipe)
	case s.Kind == Pty && s.Input != nil:
		return fmt.Errorf("a terminal takes no input file")
	case s.Kind == Pty && s.Errors != nil:
		return fmt.Errorf("a terminal takes no file for errors")
	}
	for _, word := range append(s.Argv[:len(s.Argv):len(s.Argv)], s.Env...) {
		if strings.IndexByte(word, 0) >= 0 {
			return fmt.Errorf("%q has a NUL byte", word)
		}
	}
	if s.Kind == Pty {
		return s.Size.check()
	}
	return nil
}

func validName(name string) bool {
	if name == "" || len(name) > nameMaxBytes || name[0] == '.' {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			r == '-' || r == '_' || r == '.')
	}) < 0
}
