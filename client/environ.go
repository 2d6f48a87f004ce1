package client

import (
	"apex/proto"
)

// bring gives the session the environment of this client, which leads it now. That is for what is
// started from now on, so nobody waits for it; a daemon that has forgotten it gets it again with
// the next link.
func (s *Session) bring() {
	if s.opts.Environ == nil && s.opts.Via == nil || s.conn == nil {
		return
	}
	s.conn.start(&proto.EnvSet{Session: s.Meta().Label, Mode: proto.EnvReplace, Vars: s.opts.Environ,
		Peer: s.opts.Via != nil}, func(*proto.Return, error) {})
}
