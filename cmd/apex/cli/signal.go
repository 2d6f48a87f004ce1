package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// signalFlagName is what -SIG stands for; see signalArgs.
const signalFlagName = "signal"

// signalFlag gives a command -SIG. Without it the signal is empty.
func signalFlag(c *cobra.Command, s *signalName) {
	c.Flags().Var(s, signalFlagName, "the signal, as -SIG says it (default HUP, then TERM, then KILL)")
}

// signalName is a flag that takes a signal as kill(1) does: 9, KILL, SIGKILL. It holds the name
// without SIG.
type signalName string

func (s *signalName) String() string { return string(*s) }

func (s *signalName) Type() string { return "SIG" }

// Set implements pflag.Value.
func (s *signalName) Set(text string) error {
	name := "SIG" + strings.TrimPrefix(text, "SIG")
	if n, err := strconv.Atoi(text); err == nil {
		name = unix.SignalName(unix.Signal(n))
	}
	if unix.SignalNum(name) == 0 {
		return usagef("no such signal: want a number or a name, such as 9, KILL or SIGKILL")
	}
	*s = signalName(strings.TrimPrefix(name, "SIG"))
	return nil
}

// signalArgs writes -9, -KILL and -SIGKILL, which no flags are, as --signal=9 and so on, for the
// commands that take it.
func signalArgs(root *cobra.Command, args []string) []string {
	c, _, err := root.Find(args)
	if err != nil || c.Flags().Lookup(signalFlagName) == nil {
		return args
	}
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if sig, ok := strings.CutPrefix(arg, "-"); ok && saysSignal(sig) {
			arg = "--" + signalFlagName + "=" + sig
		}
		out = append(out, arg)
	}
	return out
}

// saysSignal reports whether an argument's letters can only mean a signal: no flag is a digit or
// in upper case.
func saysSignal(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
