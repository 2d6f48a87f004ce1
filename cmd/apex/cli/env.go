package cli

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/proto"
)

// envJSON is a variable in JSON.
type envJSON struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Unset bool   `json:"unset"` // programs don't get it, whoever else has set it
}

func (a *app) envCommand() *cobra.Command {
	var unset []string
	c := &cobra.Command{
		Use:   "env [KEY=VALUE...]",
		Short: "Print or change the environment of the session's programs",
		Long: `Print the environment that the session gives to the programs that it starts, as lines for
a shell: a shell that runs already takes over what has changed by eval "$(apex env)", at
each prompt if you like. It is the environment of who attached last (agent, display,
tokens, PATH), and what was set here.

With arguments, set variables, to nothing too (KEY=); --unset takes one away. With --json a
list of objects with name, value and unset; a variable whose name no shell takes is only
there.`,
		Example: "  eval \"$(apex env)\"\n  apex env EDITOR='apex edit-wait' --unset PAGER",
	}
	c.Flags().StringArrayVarP(&unset, "unset", "u", nil,
		"take a variable away (may be given several times)")
	c.RunE = func(c *cobra.Command, args []string) error {
		vars, err := envVars(args, unset)
		if err != nil {
			return err
		}
		return a.ask(func(ctx context.Context, conn *client.Conn, _ []string) error {
			if len(vars) > 0 {
				return conn.SetEnv(ctx, a.session, vars, proto.EnvMerge)
			}
			return a.env(ctx, conn)
		})(c, nil)
	}
	return a.jsonFlag(c)
}

// shellName is a variable's name that shells take.
var shellName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// envVars reads KEY=VALUE, by name, each once: the last one counts.
func envVars(set, unset []string) ([]proto.EnvVar, error) {
	var vars []proto.EnvVar
	for _, arg := range set {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, usagef("%q: want KEY=VALUE", arg)
		}
		vars = append(vars, proto.EnvVar{Name: name, Value: value})
	}
	for _, name := range unset {
		vars = append(vars, proto.EnvVar{Name: name, Unset: true})
	}
	for _, v := range vars {
		if !shellName.MatchString(v.Name) {
			return nil, usagef("%q is no name of a variable", v.Name)
		}
	}
	slices.Reverse(vars)
	slices.SortStableFunc(vars, func(v, w proto.EnvVar) int { return strings.Compare(v.Name, w.Name) })
	return slices.CompactFunc(vars, func(v, w proto.EnvVar) bool { return v.Name == w.Name }), nil
}

// env prints the session's environment.
func (a *app) env(ctx context.Context, conn *client.Conn) error {
	vars, err := conn.Env(ctx, a.session)
	if err != nil {
		return err
	}
	if a.json {
		out := make([]envJSON, 0, len(vars))
		for _, v := range vars {
			out = append(out, envJSON{v.Name, v.Value, v.Unset})
		}
		return a.print(out)
	}
	for _, v := range vars {
		if !shellName.MatchString(v.Name) {
			continue
		}
		line := "export " + v.Name + "=" + quoted(v.Value)
		if v.Unset {
			line = "unset " + v.Name
		}
		if err := a.say("%s", line); err != nil {
			return err
		}
	}
	return nil
}

// quoted makes one word of a shell of any text.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
