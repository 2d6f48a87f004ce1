package cli

import (
	"context"
	"errors"
	"os"

	"github.com/charmbracelet/x/term"

	"apex/client"
	"apex/client/tui"
	"apex/core"
	"apex/proto"
)

// isTerminal reports whether a standard stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// attach runs the UI on a session.
func (a *app) attach(ctx context.Context, o attachOptions) error {
	list, err := o.places()
	if err != nil {
		return err
	}
	if !isTerminal(a.Out) {
		return advise(core.Errorf(core.CodeBadRequest, "standard output is not a terminal"),
			"run it in a terminal; `apex open`, `apex text` and `apex follow` work without one")
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	opts := client.Options{Label: a.session, Create: o.create, Kind: core.AttachUI,
		Name: "apex", Actor: actor(), Daemon: a.daemon(true), Lines: tui.PeekLines}
	if o.observe {
		opts.Kind = core.AttachObserver
	}
	if o.via == nil {
		opts.Dir, opts.Environ = dir, proto.Environment(os.Environ())
	} else {
		opts.Via = o.via.connection(a.Err)
		if err := opts.Via.Connect(ctx); err != nil {
			return o.via.unattached(err)
		}
		defer opts.Via.Close()
	}
	s, err := client.Attach(ctx, opts)
	switch {
	case err != nil && o.via != nil:
		return o.via.unattached(err)
	case err != nil:
		return a.unattached(err)
	}
	err = tui.Run(ctx, tui.Options{Session: s, Files: list, Remote: o.via.name()})
	var signal *tui.SignalError
	if errors.As(err, &signal) {
		return advise(err, "the session is as it was; `apex attach` goes back to it")
	}
	return err
}

// unattached says why a session could not be attached.
func (a *app) unattached(err error) error {
	switch core.CodeOf(err) {
	case core.CodeNotFound:
		return advise(err, "`apex new %s` makes the session, `apex ls` lists those that there are",
			a.session)
	case core.CodeDenied:
		return advise(err, "attach from a terminal outside of it, or another session: `apex ls` lists them")
	case core.CodeUnavailable:
		var none *client.NoDaemonError
		if !errors.As(err, &none) {
			err = a.daemon(true).Explain(nil, err)
		}
		return &noDaemonError{err}
	}
	return err
}
