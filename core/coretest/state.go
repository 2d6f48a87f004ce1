package coretest

import (
	"fmt"
	"strings"

	"apex/core"

	"github.com/cockroachdb/datadriven"
)

// state prints what there is:
//
//	leases [FILE...]       who leads what; of those files, else of the layout
//	text FILE [of=NAME]    a file's text as the daemon, or a client, has it
//	windows                the names of what the layout shows, and their texts if they are scratch
//	agree                  compares everybody, byte for byte
func (e *Env) state(d *datadriven.TestData) (string, error) {
	w := e.World
	switch d.Cmd {
	case "agree":
		w.Err = w.Agree()
		return "equal", nil
	case "text":
		var s core.Session = w.Auth
		if name := arg(d, "of", ""); name != "" {
			s = e.clients[name].R
		}
		b := s.Buffer(e.files[d.CmdArgs[0].Key])
		if b == nil {
			return "not there", nil
		}
		return fmt.Sprintf("v%d %s", b.Version, quoted(b.Text.String())), nil
	case "windows":
		return e.windows(), nil
	}
	shards := []core.Shard{core.LayoutShard}
	if len(d.CmdArgs) > 0 {
		shards = nil
	}
	for _, a := range d.CmdArgs {
		shards = append(shards, e.shard(a.Key))
	}
	var out strings.Builder
	for _, s := range shards {
		if l, ok := w.Auth.Meta().Lease(s); ok {
			fmt.Fprintf(&out, "%v: %s, waiting %d", s, e.name(l.Holder), len(l.Waiting))
			if until, ok := w.Auth.Until(s); ok {
				fmt.Fprintf(&out, ", for %d ms", until-w.Now)
			}
			fmt.Fprintln(&out)
		}
	}
	return out.String(), nil
}

func (e *Env) windows() string {
	var out strings.Builder
	for _, c := range e.World.Auth.Layout().Columns {
		for _, slot := range c.Slots {
			win := e.World.Auth.Window(slot.Window)
			b := e.World.Auth.Buffer(win.Body)
			fmt.Fprintf(&out, "%s", b.Name)
			if b.Kind == core.BufferScratch {
				fmt.Fprintf(&out, ": %s", quoted(b.Text.String()))
			}
			fmt.Fprintln(&out)
		}
	}
	return out.String()
}

// name returns who an attachment is.
func (e *Env) name(a core.AttachmentID) string {
	if a == core.Server {
		return "the daemon"
	}
	for name, c := range e.clients {
		if c.R.Attachment() == a {
			return name
		}
	}
	return fmt.Sprintf("attachment %d", a)
}
