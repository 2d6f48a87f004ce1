package cli

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
	"apex/proto"
)

// metJSON is how a wait ended, in JSON.
type metJSON struct {
	Met    bool   `json:"met"`
	Line   uint64 `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
	Status *int   `json:"status"` // of the program that ended, or of the prompt's last command
	Ended  bool   `json:"ended"`
	Signal string `json:"signal"`
}

func (a *app) termWaitCommand() *cobra.Command {
	var timeout seconds
	var from uint64
	c := &cobra.Command{
		Use:   "wait [T] exit | quiet[=MS] | prompt | /RE/",
		Short: "Wait for something to happen in a terminal",
		Long: `Wait for something to happen in a terminal: for its program's end, for a time without
output (500 ms if none is given), for the prompt of a shell that marks it (bash, zsh and
fish, started without arguments), or for a line that the regular expression matches, which
is printed. A line or a prompt that is there already counts;
with --from only from that line on, such as next of apex term read --json before something
was sent. /RE/ is RE2, within one line.

It goes on waiting when the daemon is killed or replaced.

Exit status: 0 when it has come, 7 when the time is over, 1 when the program has ended so
that it can't come any more. With --json an object with met, line, column, text, status,
ended and signal, in each of these cases.`,
		Example: "  apex term wait t0.7 '/^PASS/' --timeout 30\n  apex term wait t0.7 quiet=200",
		Args:    termArgs(1, 2),
	}
	timeoutFlag(c, &timeout)
	c.Flags().Uint64Var(&from, "from", 0, "the first line that counts, for prompt and /RE/")
	c.RunE = func(c *cobra.Command, args []string) error {
		what := args[len(args)-1]
		req, err := until(what)
		if err != nil {
			return err
		}
		if c.Flags().Changed("from") {
			if req.Kind != proto.WaitMatch && req.Kind != proto.WaitPrompt {
				return usagef("--from is for prompt and /RE/")
			}
			req.From, req.HasFrom = from, true
		}
		return aboutTerm(a.termWait(c.Context(), first(args[:len(args)-1]), req, what, &timeout))
	}
	return a.jsonFlag(completes(c, a.terms("exit", "quiet", "prompt")))
}

// termWait waits, however often the daemon goes away. What was met meanwhile is: an end and a prompt
// are there still, a line is looked for from where the first wait looked. Quiet begins anew.
func (a *app) termWait(ctx context.Context, name string, req *proto.TermWait, what string,
	timeout *seconds) error {
	var limit time.Time
	if *timeout > 0 {
		limit = time.Now().Add(time.Duration(*timeout) * time.Millisecond)
	}
	req.Session = a.session
	var screen uint64 // the line that it began with
	err := a.outlast(ctx, limit, func(ctx context.Context, conn *client.Conn) error {
		if req.Term == "" {
			term, err := a.term(ctx, conn, name)
			if err != nil {
				return err
			}
			detail, err := conn.TermInfo(ctx, a.session, term)
			if err != nil {
				return err
			}
			req.Term, screen = detail.Entry.Term.String(), detail.Base
		} else if req.Kind == proto.WaitMatch && !req.HasFrom {
			req.From, req.HasFrom = screen, true
		}
		if !limit.IsZero() {
			req.Timeout = core.Millis(max(1, time.Until(limit).Milliseconds()))
		}
		met, err := conn.WaitTerm(ctx, req)
		if err != nil {
			return err
		}
		return a.met(met, what, timeout)
	})
	if exitStatus(err) == exitNoDaemon && req.Term != "" && !limit.IsZero() && time.Now().After(limit) {
		return a.met(&proto.TermMet{}, what, timeout)
	}
	return err
}

// until reads what is to be waited for.
func until(what string) (*proto.TermWait, error) {
	name, ms, timed := strings.Cut(what, "=")
	switch {
	case what == "exit":
		return &proto.TermWait{Kind: proto.WaitExit}, nil
	case what == "prompt":
		return &proto.TermWait{Kind: proto.WaitPrompt}, nil
	case what == "quiet":
		return &proto.TermWait{Kind: proto.WaitQuiet}, nil
	case name == "quiet" && timed:
		n, err := strconv.ParseUint(ms, 10, 64)
		if err != nil || n == 0 || core.Millis(n) > proto.WaitMax {
			return nil, usagef("%q: want milliseconds, more than 0 and at most %d", what, proto.WaitMax)
		}
		return &proto.TermWait{Kind: proto.WaitQuiet, Quiet: core.Millis(n)}, nil
	}
	re, err := pattern(what)
	if err != nil {
		return nil, err
	}
	return &proto.TermWait{Kind: proto.WaitMatch, Pattern: re}, nil
}

// pattern reads /RE/.
func pattern(arg string) (string, error) {
	re, open := strings.CutPrefix(arg, "/")
	re, closed := strings.CutSuffix(re, "/")
	if !open || !closed || re == "" {
		return "", usagef("%q: want a regular expression between slashes, such as /done/", arg)
	}
	if _, err := regexp.Compile(re); err != nil {
		return "", usagef("%s: %v", arg, err)
	}
	if len(re) > proto.PatternMaxBytes {
		return "", usagef("the pattern has %d bytes, at most %d", len(re), proto.PatternMaxBytes)
	}
	return re, nil
}

// met prints how a wait ended. The error says that it ended otherwise than was hoped for.
func (a *app) met(m *proto.TermMet, what string, timeout *seconds) error {
	if a.json {
		j := metJSON{Met: m.Met, Line: m.Line, Column: m.Column, Text: m.Text, Ended: m.Ended,
			Signal: m.Signal}
		if m.HasStatus {
			j.Status = &m.Status
		}
		if err := a.print(j); err != nil {
			return err
		}
	}
	switch {
	case m.Met && m.Text != "" && !a.json:
		return a.say("%s", visibleLines(m.Text))
	case m.Met:
		return nil
	case m.Ended:
		why := ended(m.Status, m.Signal, iff(!m.HasStatus, "nobody knows how"))
		return &told{advise(fmt.Errorf("%s can't come: the program has ended, %s", what, why),
			"`apex term read` prints what it left")}
	}
	return &told{&timeoutError{fmt.Sprintf("%s has not come in %v s", what, timeout)}}
}
