package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpCells is how wide help is at most: what a terminal has when nobody chose.
const helpCells = 80

// usage prints how a command is used.
func usage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.Runnable() {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n", c.CommandPath())
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\nAvailable Commands:\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(&b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	if c.HasAvailableLocalFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s", flagUsages(c.LocalFlags()))
	}
	if c.HasAvailableInheritedFlags() {
		fmt.Fprintf(&b, "\nGlobal Flags:\n%s", flagUsages(c.InheritedFlags()))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nUse \"%s [command] --help\" for more information about a command.\n",
			c.CommandPath())
	}
	_, err := fmt.Fprint(c.OutOrStderr(), b.String())
	return err
}

// flagUsages says what flags there are. Those that are on or off are shown as they are written.
func flagUsages(flags *pflag.FlagSet) string {
	shown := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			on := *f
			on.Value, on.NoOptDefVal = onOff{f.Value}, ""
			f = &on
		}
		shown.AddFlag(f)
	})
	return shown.FlagUsagesWrapped(helpCells)
}

// onOff is a value of which its flag says everything.
type onOff struct{ pflag.Value }

func (onOff) Type() string { return "" }

// help prints what a command does and how it is used, on standard output.
func help(c *cobra.Command, _ []string) {
	fmt.Fprintf(c.OutOrStdout(), "%s\n\n", strings.TrimRight(reflow(c.Long), "\n"))
	if err := c.Usage(); err != nil {
		c.PrintErrln(err)
	}
}

// reflow breaks the paragraphs of a text that have lines wider than help is. Lines that are indented
// stand for themselves, and go on under their last column.
func reflow(text string) string {
	var out, par []string
	flush := func() {
		wide := slices.ContainsFunc(par, isWide)
		if wide {
			par = wrap(strings.Fields(strings.Join(par, " ")), 0)
		}
		out, par = append(out, par...), nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "":
			flush()
			out = append(out, line)
		case line[0] != ' ':
			par = append(par, line)
		case !isWide(line):
			flush()
			out = append(out, line)
		default:
			flush()
			column := strings.LastIndex(line, "  ") + 2
			rest := wrap(strings.Fields(line[column:]), column)
			rest[0] = line[:column] + strings.TrimLeft(rest[0], " ")
			out = append(out, rest...)
		}
	}
	flush()
	return strings.Join(out, "\n")
}

// wrap makes lines of words, which begin at a column.
func wrap(words []string, column int) []string {
	lines := []string{strings.Repeat(" ", column) + words[0]}
	for _, w := range words[1:] {
		last := &lines[len(lines)-1]
		if utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(w) > helpCells {
			lines = append(lines, strings.Repeat(" ", column)+w)
			continue
		}
		*last += " " + w
	}
	return lines
}

func isWide(line string) bool { return utf8.RuneCountInString(line) > helpCells }
