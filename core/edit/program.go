package edit

import (
	"path"
	"strings"
	"unicode"
)

// Program is a command line whose first word is no built-in: it runs as a program, as in acme.
// What the characters in front of it say is about the dot of the window's body, wherever it was
// executed.
type Program struct {
	Line    string // for the shell
	Input   bool   // | and >: the dot is its standard input
	Replace bool   // | and <: what it writes takes the dot's place; else it goes to +Errors
}

// ParseProgram returns the program that a command line runs; not ok if it is a built-in's, or
// empty.
func ParseProgram(line string) (Program, bool) {
	p := Program{Line: strings.TrimSpace(line)}
	if p.Line == "" {
		return p, false
	}
	switch p.Line[0] {
	case '|':
		p.Input, p.Replace = true, true
	case '<':
		p.Replace = true
	case '>':
		p.Input = true
	default:
		_, builtIn := Lookup(strings.Fields(p.Line)[0])
		return p, !builtIn
	}
	p.Line = strings.TrimSpace(p.Line[1:])
	return p, p.Line != ""
}

// Name is what people call a program that runs: the last element of its first word, those that only
// set variables aside.
func (p Program) Name() string {
	words := strings.FieldsFunc(p.Line, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("|&;<>()\"'`", r)
	})
	for _, w := range words {
		if !strings.Contains(w, "=") {
			return path.Base(w)
		}
	}
	return p.Line
}

// ProgramName is the Name of the program that a recorded command line runs; of a line that was cut
// too.
func ProgramName(line string) string {
	p, _ := ParseProgram(line)
	return p.Name()
}

// runProgram records a program: the daemon runs it once the entry is durable.
func runProgram(x *execution) error {
	p, ok := ParseProgram(x.line)
	if !ok {
		return badf("%s: no command follows", x.line)
	}
	if _, inWindow := x.view.Window(); !inWindow && (p.Input || p.Replace) {
		return badf("%s: no window here whose selection it could mean", x.line)
	}
	if strings.IndexByte(p.Line, 0) >= 0 {
		return badf("a command with a NUL byte can't be run")
	}
	return x.effect()
}

// runKill records that running programs are to be ended.
func runKill(x *execution) error { return x.effect() }
