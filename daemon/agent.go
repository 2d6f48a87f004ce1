package daemon

import (
	"os"
	"path/filepath"
	"strconv"

	"apex/proto"
)

// The agent of ssh is another one with each login. Programs are told of a link that stays, beside
// the daemon's socket, and whoever leads has it point to theirs: so a shell that was started last
// week finds the agent of now.

// agentVar is the variable that says where the agent is.
const agentVar = "SSH_AUTH_SOCK"

func (d *Daemon) agentLink() string { return filepath.Join(filepath.Dir(d.opts.Socket), "agent") }

// pointAgent has the link point to the agent among what was brought. It returns the variables as
// programs are to see them.
func (d *Daemon) pointAgent(vars []proto.EnvVar) []proto.EnvVar {
	link := d.agentLink()
	for i, v := range vars {
		if v.Name != agentVar || v.Unset || v.Value == "" {
			continue
		}
		if v.Value != link { // who is in one of our terminals has the link already
			temp := link + "." + strconv.Itoa(os.Getpid())
			os.Remove(temp)
			err := os.Symlink(v.Value, temp)
			if err == nil {
				err = os.Rename(temp, link)
			}
			if err != nil {
				d.log.Warn("the link to the ssh agent is not made", "link", link, "err", err)
				return vars
			}
		}
		vars[i].Value = link
	}
	return vars
}
