package tuitest

import (
	"apex/client"
	"apex/core"
	"apex/core/edit"
)

// tool is who leases texts in tests.
var tool = core.Author{Actor: "agent:x"}

// Lease lets a tool take the lease of a text.
func (s *Session) Lease(b core.BufferID) {
	if _, leased := s.Meta().Lease(b.Shard()); !leased {
		s.append(core.MetaShard, Me, core.Of(&core.ShardNew{Shard: b.Shard(), Holder: Me.Attachment,
			Epoch: s.Meta().MaxEpoch + 1}))
	}
	tool.Attachment = s.attach(core.AttachTool, tool.Actor)
	s.append(core.MetaShard, Me,
		core.Of(&core.LeaseTTL{Shard: b.Shard(), By: tool.Attachment, TTL: core.MinTTL}))
	s.give(b, tool.Attachment)
	led := s.Led
	s.leased = map[core.BufferID]bool{b: true}
	s.Led = func(shard core.Shard) bool {
		return led(shard) && !(shard.Kind == core.KindBuffer && s.leased[core.BufferID(shard.ID)])
	}
}

// Lapse gives the lease of a text back.
func (s *Session) Lapse(b core.BufferID) {
	delete(s.leased, b)
	s.give(b, Me.Attachment)
	s.Tell(client.Event{Kind: client.EventLease, Shard: b.Shard()})
}

func (s *Session) give(b core.BufferID, to core.AttachmentID) {
	s.append(core.MetaShard, Me, core.Of(&core.LeaseReclaim{Shard: b.Shard(), To: to,
		Epoch: s.Meta().MaxEpoch + 1}))
}

// handed is something that was handed over and has no answer yet.
type handed struct {
	ask  core.Ask
	done func(core.Result)
}

// Hand implements tui.Session: Answer makes the change.
func (s *Session) Hand(ask core.Ask, done func(core.Result)) {
	s.handed = append(s.handed, handed{ask, done})
}

// Handed is how many changes have no answer.
func (s *Session) Handed() int { return len(s.handed) }

// AnswerHanded makes the changes that were handed over, as the tool that leads the text, when the model
// takes in what has arrived.
func (s *Session) AnswerHanded() {
	all := s.handed
	s.handed = nil
	s.Later(func() {
		for _, h := range all {
			led := s.Led
			s.Led = func(core.Shard) bool { return true }
			b, res := edit.Evaluate(s, s, &core.Proposal{Author: Me, Ask: h.ask})
			if res.Err == nil {
				s.must(b)
			}
			s.Led = led
			s.Tell(client.Event{Kind: client.EventChanged, Shard: h.ask.Target()})
			h.done(res)
		}
	})
}
