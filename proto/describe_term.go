package proto

import "fmt"

// termDetail says what a request or reply about terminals and processes is about: neither what is
// typed, nor what of the environment is given to programs.
func termDetail(b any) string {
	switch b := b.(type) {
	case *TermNew:
		return fmt.Sprintf("%q %.64q %dx%d", b.Session, b.Argv, b.Cols, b.Rows)
	case *TermInfo:
		return fmt.Sprintf("%q %q", b.Session, b.Term)
	case *TermInput:
		return fmt.Sprintf("%q %q kind %d, %d bytes, %d keys", b.Session, b.Term, b.Kind, len(b.Text),
			len(b.Keys)+len(b.Names))
	case *TermRead:
		return fmt.Sprintf("%q %q %d,%d", b.Session, b.Term, b.From, b.To)
	case *TermScreen:
		return fmt.Sprintf("%q %q", b.Session, b.Term)
	case *TermWait:
		return fmt.Sprintf("%q %q kind %d, at most %d ms", b.Session, b.Term, b.Kind, b.Timeout)
	case *TermRun:
		return fmt.Sprintf("%q %q %d bytes, at most %d ms", b.Session, b.Term, len(b.Command), b.Timeout)
	case *TermResize:
		return fmt.Sprintf("%q %q %dx%d", b.Session, b.Term, b.Cols, b.Rows)
	case *TermClear:
		return fmt.Sprintf("%q %q", b.Session, b.Term)
	case *TermKill:
		return fmt.Sprintf("%q %q %.16q", b.Session, b.Term, b.Signal)
	case *TermFind:
		return fmt.Sprintf("%q %q from %d", b.Session, b.Term, b.From)
	case *Ps:
		return fmt.Sprintf("%q", b.Session)
	case *Kill:
		return fmt.Sprintf("%q %d processes %.16q", b.Session, len(b.IDs), b.Signal)
	case *EnvSet:
		return fmt.Sprintf("%q, %d variables", b.Session, len(b.Vars))
	case *TermColours:
		return fmt.Sprintf("%q %06x on %06x", b.Session, b.Fg&0xffffff, b.Bg&0xffffff)
	case *Upgrade:
		return fmt.Sprintf("%q", b.Exe)
	}
	return termReplyDetail(b)
}

func termReplyDetail(b any) string {
	switch b := b.(type) {
	case *TermMade:
		return fmt.Sprintf("%v %v", b.Window, b.Term)
	case *Terms:
		return fmt.Sprintf("%d terminals", len(b.Terms))
	case *TermDetail:
		return fmt.Sprintf("%v, lines %d to %d", b.Entry.Term, b.First, b.End)
	case *TermText:
		return fmt.Sprintf("%v, lines %d to %d", b.Term, b.From, b.Next)
	case *TermGrid:
		return fmt.Sprintf("%v %dx%d", b.Term, b.State.Cols, b.State.Rows)
	case *TermMet:
		return fmt.Sprintf("met %v at %d", b.Met, b.Line)
	case *TermOutput:
		return fmt.Sprintf("%d bytes, status %d, timed out %v", len(b.Output), b.Status, b.TimedOut)
	case *TermFound:
		return fmt.Sprintf("found %v at %d,%d", b.Found, b.Line, b.Column)
	case *Procs:
		return fmt.Sprintf("%d processes", len(b.Procs))
	case *EnvList:
		return fmt.Sprintf("%d variables", len(b.Vars))
	}
	return ""
}
