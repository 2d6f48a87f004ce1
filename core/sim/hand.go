package sim

import "apex/core"

// The methods below move a world by hand, for scripts.

// NextUp gives the daemon the next message of a client and returns it; nil if there is none.
func (w *World) NextUp(c *Client) core.Msg {
	if c.link == nil || len(c.link.up) == 0 {
		return nil
	}
	m := c.link.up[0]
	w.Up(c.link)
	return m
}

// NextDown gives a client its next message and returns it; nil if there is none.
func (w *World) NextDown(c *Client) core.Msg {
	if c.link == nil || len(c.link.down) == 0 {
		return nil
	}
	m := c.link.down[0]
	w.Down(c.link)
	return m
}

// Lose cuts a client's connection: the first up messages that it sent and the first down ones that
// were sent to it arrive, the rest is lost. The daemon notices with Notice.
func (w *World) Lose(c *Client, up, down int) {
	l := c.link
	if l == nil {
		return
	}
	l.up = l.up[:min(up, len(l.up))]
	w.Cut(l, down)
}

// Notice makes the daemon notice every connection whose client is gone.
func (w *World) Notice() {
	for _, l := range append([]*link(nil), w.links...) {
		if l.client == nil {
			w.Gone(l, len(l.up))
		}
	}
}

// Flood drops what waits for a client, as a queue that overflows does.
func (w *World) Flood(c *Client) {
	if c.link != nil {
		w.Overflow(c.link)
	}
}

// Leave ends a client's attachment.
func (w *World) Leave(c *Client) {
	c.left = true
	c.post(w, c.R.Bye().Send...)
}

// Answers returns the answers to a client's proposals, by their ids.
func (c *Client) Answers() map[uint64]core.Result {
	out := map[uint64]core.Result{}
	for id, a := range c.asked {
		if a.answered {
			out[id] = a.result
		}
	}
	return out
}

// Send puts what a replica wants sent on its way.
func (c *Client) Send(w *World, out core.Out) { c.post(w, out.Send...) }
