package daemon

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"apex/core"
	"apex/proto"
)

// environment is what a session adds to the daemon's own environment for its programs. It holds
// secrets: it is kept in memory alone, and who leads brings it again after a restart.
type environment struct {
	brought []proto.EnvVar // by name: by the attachment that leads
	set     []proto.EnvVar // by name: by hand, which counts more
}

// foreign are variables that say what terminal the daemon, or the client that started it, was in.
// A program in one of ours must not believe them.
var foreign = []string{"TERM", "TERMCAP", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX",
	"TMUX_PANE", "STY", "WINDOW", "WINDOWID", "COLUMNS", "LINES", "COLORFGBG", "VTE_VERSION",
	"KITTY_WINDOW_ID", "KITTY_PID", "KITTY_LISTEN_ON", "WEZTERM_PANE", "ITERM_SESSION_ID",
	"KONSOLE_VERSION", "ALACRITTY_WINDOW_ID", "WT_SESSION", "INSIDE_EMACS", "SHLVL", "_",
	"APEX_SESSION", "APEX_SOCKET", "APEX_STATE", "winid", "samfile", "%"}

// shell is the program of a terminal for which none is named.
func (s *session) shell() string {
	if sh := s.programs.getenv("SHELL"); sh != "" {
		return sh
	}
	return "/bin/sh"
}

// getenv returns a variable as programs see it.
func (p *programs) getenv(name string) string {
	for _, v := range slices.Backward(p.variables()) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// variables returns the environment of programs, KEY=VALUE, without what is the terminal's.
func (p *programs) variables() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !slices.Contains(foreign, name) && !p.env.names(name) {
			out = append(out, v)
		}
	}
	for _, v := range p.env.all() {
		if !v.Unset && !slices.Contains(foreign, v.Name) {
			out = append(out, v.Name+"="+v.Value)
		}
	}
	return out
}

// all returns the variables by name.
func (e *environment) all() []proto.EnvVar { return merge(e.brought, e.set) }

func (e *environment) names(name string) bool {
	is := func(v proto.EnvVar) bool { return v.Name == name }
	return slices.ContainsFunc(e.brought, is) || slices.ContainsFunc(e.set, is)
}

// merge returns the variables of both, those of over where both have one; each is by name.
func merge(under, over []proto.EnvVar) []proto.EnvVar {
	var out []proto.EnvVar
	for len(under)+len(over) > 0 {
		switch {
		case len(over) == 0 || len(under) > 0 && under[0].Name < over[0].Name:
			out, under = append(out, under[0]), under[1:]
		default:
			if len(under) > 0 && under[0].Name == over[0].Name {
				under = under[1:]
			}
			out, over = append(out, over[0]), over[1:]
		}
	}
	return out
}

// What a program on a terminal is told of it.
const (
	termVariable  = "TERM=xterm-256color"
	colorVariable = "COLORTERM=truecolor"
)

// programEnv is the environment of a program in a window.
func (s *session) programEnv(w core.WindowID) []string {
	s.mu.Lock()
	label := s.a.Meta().Label
	s.mu.Unlock()
	env := append(s.programs.variables(), termVariable, colorVariable,
		"TERM_PROGRAM=apex", "TERM_PROGRAM_VERSION="+s.d.opts.Build,
		"APEX_SOCKET="+s.d.opts.Socket, "APEX_STATE="+s.d.opts.State, "APEX_SESSION="+label)
	if w != 0 {
		env = append(env, "winid="+w.String())
	}
	return env
}

func (s *session) envGet() proto.Reply {
	p := s.programs
	p.mu.Lock()
	defer p.mu.Unlock()
	return &proto.EnvList{Vars: p.env.all()}
}

// peerEnvironment is what the process at the other end of a connection brings to a session: for a
// person on another machine that of their login here. Nothing where that can't be known.
func peerEnvironment(pid int) []proto.EnvVar {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if pid == 0 || err != nil {
		return nil
	}
	return proto.Environment(strings.Split(string(b), "\x00"))
}

// envSet changes the environment of programs that are started from now on.
func (s *session) envSet(r *proto.EnvSet) (proto.Reply, error) {
	for _, v := range r.Vars {
		if strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
			return nil, core.Errorf(core.CodeBadRequest, "variable %q: no name or value of one", v.Name)
		}
	}
	p := s.programs
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Mode == proto.EnvReplace {
		p.env.brought = s.d.pointAgent(r.Vars)
	} else {
		p.env.set = merge(p.env.set, r.Vars)
	}
	return &proto.Done{}, nil
}
