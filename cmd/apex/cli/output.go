package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"apex/cmd/apex/cli/entry"
)

// print prints v as JSON.
func (a *app) print(v any) error { return entry.Write(a.Out, v) }

// say prints a line of the answer.
func (a *app) say(format string, args ...any) error {
	_, err := fmt.Fprintf(a.Out, format+"\n", args...)
	return err
}

// table prints rows in columns; cells are made visible.
func (a *app) table(head []string, rows [][]string) error {
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	printRow(w, head)
	for _, r := range rows {
		for i := range r {
			r[i] = visible(r[i])
		}
		printRow(w, r)
	}
	return w.Flush()
}

func printRow(w io.Writer, cells []string) {
	fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
}

// visible writes a name so that it can be seen: control characters, broken UTF-8 and what else
// shows nothing become escapes. A name must not move the cursor, and two names that differ must
// look different, so a backslash is doubled.
func visible(s string) string { return escapeHidden(strings.ReplaceAll(s, `\`, `\\`)) }

// visibleLines does so for a message of several lines, which is not a name: backslashes stay.
func visibleLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = escapeHidden(l)
	}
	return strings.Join(lines, "\n")
}

// escapeHidden writes what can't be seen as escapes.
func escapeHidden(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1 || r < 0x80 && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// words joins those that are not empty.
func words(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, ",")
}

// iff returns word if it holds.
func iff(holds bool, word string) string {
	if holds {
		return word
	}
	return ""
}
