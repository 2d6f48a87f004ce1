package coretest

import (
	"apex/core"

	"github.com/cockroachdb/datadriven"
)

// connection handles what happens to connections and leases:
//
//	connect NAME                  the client comes back
//	leave NAME                    it ends its attachment
//	cut NAME [up=N] [down=N]      it loses its connection; the first N messages still arrive
//	notice                        the daemon notices lost connections
//	flood NAME                    its queue overflows
//	takeback NAME                 it asks for every lease
//	take NAME FILE [ttl=MS]       it asks for the lease of a file; a tool for a time
//	renew NAME                    it says that it is there
//	recall FILE                   the daemon asks the tool that holds it to give it back
//	give NAME FILE                it releases the lease of a file
//	retry NAME                    it sends again what was refused of a lost tail
func (e *Env) connection(d *datadriven.TestData) (string, error) {
	w := e.World
	return e.traced(d, func() {
		switch d.Cmd {
		case "connect":
			w.Connect(e.client(d))
		case "leave":
			w.Leave(e.client(d))
		case "cut":
			w.Lose(e.client(d), arg(d, "up", 0), arg(d, "down", 0))
		case "notice":
			w.Notice()
		case "flood":
			w.Flood(e.client(d))
		case "takeback":
			e.client(d).TakeBack(w)
		case "take":
			c := e.client(d)
			if ttl := arg(d, "ttl", uint64(0)); c.Kind == core.AttachTool {
				c.Send(w, c.R.TakeFor(core.Millis(ttl), e.shard(d.CmdArgs[1].Key)))
			} else {
				c.Send(w, c.R.Take(e.shard(d.CmdArgs[1].Key)))
			}
		case "renew":
			e.client(d).Send(w, core.Out{Send: []core.Msg{&core.Renew{}}})
		case "recall":
			w.Recall(e.shard(d.CmdArgs[0].Key))
		case "retry":
			c := e.client(d)
			c.Send(w, c.R.Retry())
		case "give":
			c := e.client(d)
			c.Send(w, c.R.Give(e.shard(d.CmdArgs[1].Key)))
		}
	}), nil
}

// shard returns the shard that a script calls by a file's name, or by its own.
func (e *Env) shard(name string) core.Shard {
	if b, ok := e.files[name]; ok {
		return b.Shard()
	}
	s, ok := core.ParseShard(name)
	if !ok {
		panic("no file or shard " + name)
	}
	return s
}
