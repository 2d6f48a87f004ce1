package term

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"apex/core/cell"
	"apex/term/holder"
	"apex/term/input"
	"apex/term/vt"
)

// Result is what came of a command that was run in a shell.
type Result struct {
	Output string       // what it printed; lines end with \n
	Cut    uint64       // lines at its beginning that are not there: no longer kept, or too many
	Status int          // of the command; vt.UnknownStatus if the shell did not tell
	Exit   *holder.Exit // the shell ended
}

// OutputMaxBytes is how much of a command's output Run returns: the end of it.
const OutputMaxBytes = 8 << 20

// Run types a command at the shell's prompt and returns when it is done: what it printed, and its
// status. One command runs at a time; who comes meanwhile waits.
//
// A shell that marks its prompts (OSC 133) is waited for until it prompts, and tells the rest by
// its marks. marks says that this one will, though it has not yet: it is still starting. To any
// other shell the command is typed between two commands that make the marks; it must be one that
// knows printf and $?.
func (t *Terminal) Run(ctx context.Context, command string, marks bool) (Result, error) {
	select {
	case t.running <- struct{}{}:
		defer func() { <-t.running }()
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
	t.mu.Lock()
	marks = marks || t.screen.MarksSeen() > 0
	t.mu.Unlock()
	if !marks {
		return t.runPlain(ctx, command)
	}
	if met, err := t.Wait(ctx, Until{Prompt: true}); err != nil || met.Ended {
		return Result{Status: vt.UnknownStatus, Exit: met.Exit}, err
	}
	before, first, err := t.enter(command)
	if err != nil {
		return Result{}, err
	}
	return t.collect(ctx, before, first)
}

// ErrTyping says that somebody has begun to type a command: another one would be mixed with it.
var ErrTyping = errors.New("something is typed at the prompt already")

// enter types a command at an empty prompt. It returns the marks that there were before, and the
// line that the screen began with.
func (t *Terminal) enter(command string) (before, first uint64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.screen
	if at, ok := t.prompts(); ok && !s.Modes().AltScreen {
		c := s.Cursor()
		line, col := s.RowLine(c.Y)
		if line != at.Line || col+c.X != at.Col {
			return 0, 0, ErrTyping
		}
	}
	before, first = s.MarksSeen(), s.HistoryEnd()
	m := inputModes(s.Modes())
	_, err = t.send(append(input.AppendPaste(nil, m, []byte(command)), '\r'))
	return before, first, err
}

// collect waits for the end of a command whose marks come after before, and its lines from first
// on.
func (t *Terminal) collect(ctx context.Context, before, first uint64) (Result, error) {
	met, err := t.Wait(ctx, Until{ended: true, after: before})
	if err != nil {
		return Result{Status: vt.UnknownStatus}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Result{Status: vt.UnknownStatus}
	if met.Ended {
		r.Exit = met.Exit
	}
	var from, to *vt.Mark
	for _, m := range t.screen.MarksSince(before) {
		switch {
		case m.Kind == vt.OutputStart && from == nil:
			from = &m
		case m.Kind == vt.OutputEnd && to == nil && (from != nil || m.Status != vt.UnknownStatus):
			to = &m
		}
	}
	if to != nil {
		r.Status = to.Status
	}
	if from != nil || to != nil {
		r.Output, r.Cut = t.between(from, to, first)
	}
	return r, nil
}

// between returns what was printed between two marks, and how many lines of it are missing at the
// beginning, at least: if the first mark is no longer there, which a program that clears the screen
// takes away too, all that there is from line first on; up to the end of all without the second.
func (t *Terminal) between(from, to *vt.Mark, first uint64) (text string, cut uint64) {
	s := t.screen
	skip := 0
	if from != nil {
		first, skip = from.Line, from.Col
	}
	end, last := t.end(), 0
	if to != nil {
		end, last = to.Line, to.Col
	}
	begin := max(first, s.HistoryFirst())
	if cut = begin - first; from == nil {
		cut = max(cut, 1)
	}
	var out []string
	for n := begin; n < end || to != nil && n == end && last > 0; n++ {
		runs, ok := s.Line(n)
		if !ok {
			break
		}
		if n == end {
			runs = head(runs, last)
		}
		line := cell.RowText(runs)
		if n == first && skip > 0 {
			line = line[len(cell.RowText(head(runs, skip))):]
		}
		if n < end {
			line += "\n"
		}
		out = append(out, line)
	}
	if to == nil { // below what was printed the screen is empty
		for len(out) > 0 && out[len(out)-1] == "\n" {
			out = out[:len(out)-1]
		}
	}
	return tail(out, cut)
}

// tail joins lines, the last OutputMaxBytes of them; cut counts those that are missing.
func tail(lines []string, cut uint64) (string, uint64) {
	n, from := 0, len(lines)
	for from > 0 && n+len(lines[from-1]) <= OutputMaxBytes {
		from--
		n += len(lines[from])
	}
	return strings.Join(lines[from:], ""), cut + uint64(from)
}

// head returns the first cells of a line.
func head(runs []cell.Run, cells int) []cell.Run {
	var out []cell.Run
	for _, r := range runs {
		n := r.Cells()
		if n <= cells {
			out = append(out, r)
			cells -= n
			continue
		}
		if cells > 0 && (r.Kind == cell.Narrow || r.Kind == cell.Wide) {
			per := n / max(len([]rune(r.Text)), 1)
			r.Text = string([]rune(r.Text)[:cells/per])
			out = append(out, r)
		}
		break
	}
	return out
}

// runPlain runs a command in a shell that makes no marks: they are made by what is typed around
// it. The nonce tells this command's end from the echo of what was typed.
func (t *Terminal) runPlain(ctx context.Context, command string) (Result, error) {
	nonce := rand.Text()[:12]
	begin, end := "<"+nonce+"<", ">"+nonce+">"
	typed := fmt.Sprintf(" printf '%%s\\n' '<'%s'<'; eval '%s'; printf '%%s%%s\\n' '>'%s'>' \"$?\"\r",
		nonce, quote(command), nonce)
	t.mu.Lock()
	first := t.screen.HistoryEnd()
	_, err := t.send([]byte(typed))
	t.mu.Unlock()
	if err != nil {
		return Result{}, err
	}
	ended := regexp.MustCompile(regexp.QuoteMeta(end) + `(\d+)$`)
	met, err := t.Wait(ctx, Until{Match: ended, From: first})
	r := Result{Status: vt.UnknownStatus}
	if err != nil {
		return r, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	stop := t.end()
	if met.Ended {
		r.Exit = met.Exit
	} else {
		r.Status, _ = strconv.Atoi(ended.FindStringSubmatch(met.Text)[1])
		stop = met.Line
	}
	r.Output, r.Cut = t.printed(first, stop, begin, end)
	return r, nil
}

// quote makes a command one word within single quotes.
func quote(command string) string {
	return strings.ReplaceAll(strings.ReplaceAll(command, "'", `'\''`), "\n", "\r")
}

// printed returns the lines between the two that runPlain had printed.
func (t *Terminal) printed(first, stop uint64, begin, end string) (text string, cut uint64) {
	var out []string
	found := false
	from := max(first, t.screen.HistoryFirst())
	for n := from; n < stop; n++ {
		line, _ := t.screen.LineText(n)
		if !found && strings.HasSuffix(line, begin) {
			found, out = true, nil // what was before it is the echo
			continue
		}
		out = append(out, line+"\n")
	}
	// A command that printed no line end has the last line's marker behind its output.
	if line, ok := t.screen.LineText(stop); ok {
		if i := strings.Index(line, end); i > 0 {
			out = append(out, line[:i])
		}
	}
	if !found {
		cut = from - first
	}
	return tail(out, cut)
}
