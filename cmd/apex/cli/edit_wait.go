package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
	"apex/proto"
)

func (a *app) editWaitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "edit-wait [+LINE] FILE[:ADDR]",
		Short: "Open a file in a window and wait until that is closed",
		Long: `Open a file in a window of the running session, which gets the focus, and wait until the
window is closed: for programs that start an editor, as git does. The status is 0 when it
is closed, 1 if a signal came first, and 3 if the session ended. It goes on waiting when
the daemon is restarted.`,
		Example: "  apex edit-wait main.go:12\n  EDITOR='apex edit-wait' git commit",
		Args:    args(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			f, err := lineFile(args)
			if err != nil {
				return err
			}
			return a.editWait(c.Context(), f)
		},
	}
}

// lineFile makes the place that FILE[:ADDR] names, or +LINE FILE, as other editors take it.
func lineFile(args []string) (proto.File, error) {
	if len(args) == 1 {
		return file(args[0])
	}
	line, plus := strings.CutPrefix(args[0], "+")
	if !plus || line == "" || strings.Trim(line, "0123456789") != "" {
		return proto.File{}, usagef("%q: want +LINE before the file", args[0])
	}
	f, err := file(args[1])
	f.Addr = line
	return f, err
}

// editWait opens a file and returns when its window is gone.
func (a *app) editWait(ctx context.Context, f proto.File) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	win, err := a.openOne(ctx, f)
	if err != nil {
		return err
	}
	s, err := client.Attach(ctx, client.Options{Label: a.session, Kind: core.AttachTool,
		Name: "apex edit-wait", Actor: actor(), Daemon: a.daemon(true)})
	if err != nil {
		return a.unattached(err)
	}
	fmt.Fprintf(a.Err, "apex: %v has %s; close the window when you are done\n", win, visible(f.Path))
	err = untilGone(ctx, s, win.Shard())
	if ctx.Err() != nil {
		err = advise(core.Errorf(core.CodeUnavailable, "interrupted while %v is open", win),
			"the window is still there")
	}
	if left := s.Detach(); err == nil && core.CodeOf(left) != core.CodeUnavailable {
		err = left
	}
	return err
}

// openOne opens a file and returns its window.
func (a *app) openOne(ctx context.Context, f proto.File) (core.WindowID, error) {
	conn, err := a.dial(ctx, true)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	places, err := conn.Open(ctx, &proto.Open{Session: a.session, Files: []proto.File{f}, Focus: true,
		Author: proto.Author{Actor: actor()}, Dir: dir})
	if err == nil {
		err = unopened(places[0])
	}
	if err != nil {
		return 0, a.answered(conn, err)
	}
	return places[0].Window, nil
}

// untilGone returns when the session has a shard no more. The metalog says so, also when that
// happened while there was no daemon.
func untilGone(ctx context.Context, s *client.Session, shard core.Shard) error {
	id := s.ID()
	for {
		switch {
		case s.ID() != id:
			return core.Errorf(core.CodeNotFound, "the session was ended, and another has its name")
		case s.Knows(core.MetaShard) && !s.Meta().Has(shard):
			return nil
		}
		if err := s.Wait(ctx); err != nil {
			return err
		}
		for _, e := range s.Process() {
			if e.Kind == client.EventEnded {
				return e.Err
			}
		}
	}
}
