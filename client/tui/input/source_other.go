//go:build unix && !linux

package input

import "errors"

func openPolled(int) (Terminal, error) { return nil, errors.ErrUnsupported }
