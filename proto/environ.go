package proto

import (
	"slices"
	"strings"
)

// EnvNames names more variables, with commas between, that an interface brings to its session: tokens
// that the programs there are to have.
const EnvNames = "APEX_ENV"

// brought are the variables that an interface that leads brings to its session, whose programs then
// reach what the person has at hand now: the agent of this login, this display, this PATH.
var brought = []string{"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "EDITOR", "KRB5CCNAME", "LANG",
	"LANGUAGE", "PAGER", "PATH", "SHELL", "SSH_AGENT_PID", "SSH_AUTH_SOCK", "SSH_CONNECTION", "TZ",
	"VISUAL", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE"}

// Environment returns what an interface brings to its session of an environment, which is KEY=VALUE.
// Variables whose names begin with LC_ belong to it too.
func Environment(environ []string) []EnvVar {
	names := slices.Clone(brought)
	for _, e := range environ {
		if list, ok := strings.CutPrefix(e, EnvNames+"="); ok {
			names = append(names, strings.Split(list, ",")...)
		}
	}
	var out []EnvVar
	for _, e := range environ {
		name, value, ok := strings.Cut(e, "=")
		if ok && name != "" && (slices.Contains(names, name) || strings.HasPrefix(name, "LC_")) {
			out = append(out, EnvVar{Name: name, Value: value})
		}
	}
	slices.SortFunc(out, func(a, b EnvVar) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b EnvVar) bool { return a.Name == b.Name })
}
