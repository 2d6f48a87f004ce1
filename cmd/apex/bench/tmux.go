package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// tmux is a tmux server of a test's own, with one session of one pane that fills the screen.
type tmux struct {
	r   *rig
	pid int // of the server
}

// tmuxConf makes tmux keep as much history as apex does by default, and draw nothing but the pane.
const tmuxConf = "set -g history-limit 10000\nset -g status off\nset -s escape-time 0\n"

// startTmux starts a server whose pane of a size runs a shell command. It is a skip without tmux.
func (r *rig) startTmux(cols, rows int, command string) (*tmux, error) {
	if err := needs("tmux"); err != nil {
		return nil, err
	}
	t := &tmux{r: r}
	if err := os.WriteFile(t.path("conf"), []byte(tmuxConf), 0o600); err != nil {
		return nil, err
	}
	if _, err := t.run("new-session", "-d", "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows),
		command); err != nil {
		return nil, err
	}
	out, err := t.run("display-message", "-p", "#{pid}")
	if err != nil {
		return nil, err
	}
	t.pid, err = strconv.Atoi(strings.TrimSpace(out))
	return t, err
}

func (t *tmux) path(name string) string { return filepath.Join(t.r.dir, "tmux."+name) }

// args are the arguments of a client of this server.
func (t *tmux) args(more ...string) []string {
	return append([]string{"-S", t.path("sock"), "-f", t.path("conf")}, more...)
}

// run runs a command of tmux and returns what it printed.
func (t *tmux) run(args ...string) (string, error) {
	c := exec.CommandContext(t.r.ctx, "tmux", t.args(args...)...)
	c.Env = append(os.Environ(), "TMUX=", "TERM=xterm-256color")
	out, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %v: %s", args[0], err, out)
	}
	return string(out), nil
}

// attach shows the session on a screen.
func (t *tmux) attach() (*screen, error) { return t.r.show("tmux", t.args("attach")...) }

// close ends the server and what runs in it.
func (t *tmux) close() { t.run("kill-server") }
