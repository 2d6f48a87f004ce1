package coretest

import (
	"fmt"

	"apex/core"

	"github.com/cockroachdb/datadriven"
)

// attach adds clients: attach NAME ui|tool|observer [manual]. What a manual one follows and takes,
// the script says.
func (e *Env) attach(d *datadriven.TestData) (string, error) {
	kinds := map[string]core.AttachKind{
		"ui": core.AttachUI, "tool": core.AttachTool, "observer": core.AttachObserver}
	name, kind := d.CmdArgs[0].Key, kinds[d.CmdArgs[1].Key]
	if kind == core.AttachInvalid || e.clients[name] != nil {
		return "", fmt.Errorf("attach %s: want a new name and ui, tool or observer", name)
	}
	c := e.World.NewClient(name, kind)
	c.Manual = d.HasArg("manual")
	e.clients[name] = c
	e.World.Connect(c)
	return "", nil
}
