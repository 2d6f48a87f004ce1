package cli

import (
	"context"
	"os"

	"github.com/charmbracelet/x/term"

	"apex/core"
	"apex/proto"
)

// isTerminal reports whether a standard stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// runUI attaches to the session and runs the UI on it.
func (a *app) runUI(context.Context, []proto.File, bool) error {
	return core.Errorf(core.CodeUnavailable, "this build has no UI")
}
