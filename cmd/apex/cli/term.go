package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
)

func (a *app) termCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "term",
		Short: "Make, read and drive terminals",
		Long: `Make, read and drive terminals: windows in which programs run. They go on when
nobody is attached, and through an end of the daemon.

Where a command takes T, it is a terminal's id (t0.7), or its window: an id (w0.5), a
path, a label, or a part of its name that no other terminal's window has. Without T it
is the session's terminal, if there is exactly one. Lines are logical ones, numbered
from 0 for as long as the terminal is there; columns count cells.`,
		RunE: noSubcommand,
	}
	c.AddCommand(a.termNewCommand(), a.termLsCommand(), a.termInfoCommand(), a.termRunCommand(),
		a.termSendCommand(), a.termKeysCommand(), a.termReadCommand(), a.termScreenCommand(),
		a.termWaitCommand(), a.termResizeCommand(), a.termClearCommand(), a.termKillCommand(),
		a.termFindCommand())
	return c
}

// termRequest is what a command does with a connection about a terminal.
type termRequest func(ctx context.Context, conn *client.Conn, term string) error

// onTerm asks the daemon about the terminal that a name means.
func (a *app) onTerm(c *cobra.Command, name string, do termRequest) error {
	return a.ask(func(ctx context.Context, conn *client.Conn, _ []string) error {
		term, err := a.term(ctx, conn, name)
		if err == nil {
			err = do(ctx, conn, term)
		}
		return aboutTerm(err)
	})(c, nil)
}

// termArgs checks the number of arguments of which the first may be T. One that is empty is none: a
// variable that is not set must not mean the terminal that happens to be there.
func termArgs(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, list []string) error {
		if len(list) > 0 && list[0] == "" {
			return usagef("the name of a terminal is empty")
		}
		return args(low, high)(c, list)
	}
}

// first returns the first of some arguments, empty if there is none.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// beforeDash parts arguments at "--": before it is T, or nothing, behind it the rest. Without
// "--" the first is T.
func beforeDash(c *cobra.Command, args []string) (term string, rest []string, err error) {
	n := c.ArgsLenAtDash()
	switch {
	case n != 0 && len(args) > 0 && args[0] == "":
		return "", nil, usagef("the name of a terminal is empty")
	case n > 1:
		return "", nil, usagef("%d arguments before --: want %s", n, c.UseLine())
	case n >= 0:
		return first(args[:n]), args[n:], nil
	case len(args) == 0:
		return "", nil, nil
	}
	return args[0], args[1:], nil
}

// term returns what the daemon finds the terminal by that an argument names: a path is one from
// here. Without an argument it is the session's only one.
func (a *app) term(ctx context.Context, conn *client.Conn, arg string) (string, error) {
	switch {
	case arg == "":
		return a.onlyTerm(ctx, conn)
	case !strings.Contains(arg, "/") || filepath.IsAbs(arg):
		return arg, nil
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return "", err
	}
	list, err := conn.Windows(ctx, a.session)
	if err != nil {
		return "", err
	}
	name, _ := shown(list, arg, path)
	return name, nil
}

// onlyTerm returns the session's terminal if it has exactly one.
func (a *app) onlyTerm(ctx context.Context, conn *client.Conn) (string, error) {
	list, err := conn.Terms(ctx, a.session)
	if err != nil {
		return "", err
	}
	switch len(list) {
	case 0:
		return "", advise(core.Errorf(core.CodeNotFound, "session %q has no terminal", a.session),
			"`apex term new` makes one")
	case 1:
		return list[0].Term.String(), nil
	}
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = t.Term.String()
	}
	return "", core.Errorf(core.CodeConflict, "which terminal? There are %s",
		strings.Join(ids, ", "))
}

// aboutTerm says what to do about a terminal, where nothing better is known.
func aboutTerm(err error) error {
	var own *adviceError
	switch code := core.CodeOf(err); {
	case errors.As(err, &own):
	case code == core.CodeNotFound, code == core.CodeConflict:
		return advise(err, "`apex term ls` lists the terminals of a session, `apex ls` the sessions")
	case code == core.CodeBusy:
		return advise(err, "`apex term screen` shows what its program waits for")
	}
	return err
}
