package client

import (
	"apex/proto"
)

// Send sends a request, in the order of the calls, and does not wait for its reply: answer gets
// that, once, from whoever reads then, and must not wait for anything. While there is no link the
// error is unavailable, and answer is not called. Any goroutine may call it.
func (s *Session) Send(req proto.Request, answer func(proto.Reply, error)) error {
	conn, _ := s.linkNow()
	if conn == nil {
		return unavailable("the daemon is gone")
	}
	_, err := conn.start(req, func(m *proto.Return, err error) {
		if err != nil {
			answer(nil, err)
			return
		}
		answer(m.Reply, nil)
	})
	return err
}
