//go:build !linux

package paint

import (
	"io"
	"os"
)

// Output returns f, a terminal, for a Writer.
func Output(f *os.File) io.Writer { return f }
