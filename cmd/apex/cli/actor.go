package cli

import (
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/cobra"

	"apex/core"
)

// envActor names who acts, where it is not the user: a script's steps of undo are its own then.
const envActor = "APEX_ACTOR"

// checkActor refuses a name in the environment that can't be an actor's, before anything is done.
func checkActor(*cobra.Command, []string) error {
	name := os.Getenv(envActor)
	hidden := func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsGraphic(r) }
	switch {
	case len(name) > core.MaxActorBytes:
		return usagef("$%s has %d bytes, at most %d", envActor, len(name), core.MaxActorBytes)
	case strings.ContainsFunc(name, hidden) || strings.TrimSpace(name) != name:
		return usagef("$%s is %q: want a name that can be seen, such as agent:x", envActor, name)
	}
	return nil
}

// actor is the author of what is done: the environment's, else the user.
func actor() string {
	if name := os.Getenv(envActor); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return "human:" + u.Username
	}
	return "human:uid" + strconv.Itoa(syscall.Getuid())
}
