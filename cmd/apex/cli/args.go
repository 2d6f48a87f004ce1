package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"apex/core/addr"
	"apex/proto"
)

// args checks the number of arguments, as a matter of usage; high < 0 is any number.
func args(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if n := len(args); n < low || high >= 0 && n > high {
			return usagef("%d arguments: want %s", n, c.UseLine())
		}
		return nil
	}
}

var noArgs = args(0, 0)

// noSubcommand refuses what is none of a group's commands.
func noSubcommand(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%q is not a command of %s", args[0], c.CommandPath())
	}
	return usagef("%s needs a command", c.CommandPath())
}

// file makes the place that FILE[:ADDR] names. A file of the whole name wins.
func file(arg string) (proto.File, error) {
	name, at := arg, ""
	if _, err := os.Lstat(arg); err != nil {
		name, at = addr.SplitFile(arg)
		if at == "" && len(name) > 1 {
			name = strings.TrimSuffix(name, ":") // an address that is empty
		}
	}
	if name == "" {
		return proto.File{}, usagef("%q: the name of a file is empty", arg)
	}
	path, err := filepath.Abs(name)
	return proto.File{Path: path, Addr: at}, err
}

// files makes the places that arguments name.
func files(args []string) ([]proto.File, error) {
	var out []proto.File
	for _, arg := range args {
		f, err := file(arg)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}
