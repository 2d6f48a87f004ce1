package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"apex/client"
	"apex/cmd/apex/cli/entry"
	"apex/core"
	"apex/proto"
)

// runJSON is what came of a command, in JSON.
type runJSON struct {
	entry.Text
	Cut      uint64 `json:"cut"`
	Status   *int   `json:"status"` // null: none was told
	TimedOut bool   `json:"timed_out"`
	Ended    bool   `json:"ended"`
	Signal   string `json:"signal"`
}

func (a *app) termRunCommand() *cobra.Command {
	var timeout seconds
	c := &cobra.Command{
		Use:   "run [T] -- CMD...",
		Short: "Run a command in a terminal's shell",
		Long: `Type a command into a terminal's shell when it prompts, wait until it has ended, print
what it printed, and exit with its status. The words of CMD are joined by blanks, and
the shell reads them. Commands that are run at once are run one after the other.

What is printed is what the terminal shows, without colours; the newest 10,000 lines,
with a word on standard error if there were more. The exit status is 7 when the time is
over; the command goes on then. If the shell ended instead, the status is the shell's,
128 and more if a signal killed it, and standard error says so. If the daemon goes away
meanwhile, the command goes on and its status is not told. With --json an object
with text, cut (lines that are missing at its beginning), status, timed_out, ended and
signal; the exit status is the same.`,
		Example: "  apex term run --timeout 60 t0.7 -- make test",
	}
	timeoutFlag(c, &timeout)
	c.RunE = func(c *cobra.Command, args []string) error {
		name, words, err := beforeDash(c, args)
		switch {
		case err != nil:
			return err
		case c.ArgsLenAtDash() < 0 || len(words) == 0:
			return usagef("no command: want %s", c.UseLine())
		}
		command := strings.Join(words, " ")
		if len(command) > proto.InputMaxBytes {
			return usagef("the command has %d bytes, at most %d", len(command), proto.InputMaxBytes)
		}
		return a.onTerm(c, name, func(ctx context.Context, conn *client.Conn, term string) error {
			out, err := conn.RunTerm(ctx, &proto.TermRun{Session: a.session, Term: term,
				Command: command, Timeout: core.Millis(timeout)})
			if wentAway(conn, err) {
				return advise(fmt.Errorf("the daemon went away, and the command may still run: %w", err),
					"`apex term wait %s prompt` waits for its end, if the shell marks prompts; `apex term "+
						"read %[1]s` prints what there is", term)
			}
			if err != nil {
				return err
			}
			return a.ran(out, &timeout)
		})
	}
	return a.jsonFlag(completes(c, a.terms()))
}

// ran prints what came of a command. The error has its status.
func (a *app) ran(out *proto.TermOutput, timeout *seconds) error {
	if a.json {
		j := runJSON{Text: entry.TextOf(string(out.Output)), Cut: out.Cut, TimedOut: out.TimedOut,
			Ended: out.Ended, Signal: out.Signal}
		if out.HasStatus {
			j.Status = &out.Status
		}
		if err := a.print(j); err != nil {
			return err
		}
	} else if _, err := a.Out.Write(out.Output); err != nil {
		return err
	}
	if out.Cut > 0 && !a.json {
		fmt.Fprintf(a.Err, "apex: %d lines at the beginning are not there any more\n", out.Cut)
	}
	switch {
	case out.TimedOut:
		return &told{&timeoutError{fmt.Sprintf("the command has not ended in %v s", timeout)}}
	case out.Ended:
		fmt.Fprintf(a.Err, "apex: the terminal's program has ended, %s\n",
			ended(out.Status, out.Signal, iff(!out.HasStatus, "nobody knows how")))
		return runStatus(out)
	case !out.HasStatus:
		return &told{core.Errorf(core.CodeUnavailable, "the shell did not tell the command's status")}
	}
	return runStatus(out)
}

// runStatus is the exit status of what was run, as a shell has it; what is not known is a failure.
func runStatus(out *proto.TermOutput) error {
	sig := unix.SignalNum("SIG" + out.Signal)
	switch {
	case out.Signal != "" && sig != 0:
		return &statusError{128 + int(sig)}
	case !out.HasStatus:
		return &statusError{exitFailed}
	case out.Status != 0:
		return &statusError{out.Status}
	}
	return nil
}
