package daemon

import (
	"slices"
	"strings"

	"apex/core"
	"apex/core/edit"
	"apex/proto"
)

// proposeIn makes a proposal for somebody who has no attachment.
func (s *session) proposeIn(r *proto.ProposeIn) (proto.Reply, error) {
	p := r.Proposal
	if err := p.CheckText(); err != nil {
		return nil, err
	}
	by := proto.Author{Actor: p.Author.Actor}
	if x, ok := p.Ask.(*core.AskExec); ok && isPutall(x.Command) {
		return s.putAll(by)
	}
	p.Author = s.d.author(by)
	if r.Win != "" {
		s.mu.Lock()
		w, err := resolve(s.a, r.Win, onText(p.Ask))
		if err == nil {
			aim(s.a, w, p.Ask)
		}
		s.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
	switch p.Ask.(type) {
	case *core.AskEdit, *core.AskSet, *core.AskUndo:
		s.upToDate(core.BufferID(p.Ask.Target().ID))
	}
	return s.outcome(p)
}

// aim puts a window, or its body, into a proposal that names none.
func aim(a *core.Authority, id core.WindowID, ask core.Ask) {
	body := a.Window(id).Body
	switch x := ask.(type) {
	case *core.AskEdit:
		x.Buffer = body
	case *core.AskSet:
		x.Buffer = body
	case *core.AskUndo:
		x.Buffer = body
	case *core.AskClean:
		x.Buffer = body
	case *core.AskStale:
		x.Buffer = body
	case *core.AskRename:
		x.Buffer = body
	case *core.AskSelect:
		x.Buffer = body
		if x.View.Kind == core.ViewInvalid {
			x.View = id.Body()
		}
	case *core.AskShow:
		x.Window = id
	case *core.AskDelete:
		x.Window = id
	case *core.AskExec:
		x.Window = id
	case *core.AskStatus:
		x.Window = id
	}
}

// onText reports whether a proposal is about a text, whichever of its windows shows it.
func onText(ask core.Ask) bool {
	switch x := ask.(type) {
	case *core.AskShow, *core.AskDelete, *core.AskStatus:
		return false
	case *core.AskExec:
		return edit.OnText(x.Command)
	}
	return true
}

// address fills in which shard's leader runs a command; the turn is held.
func (s *session) address(p *core.Proposal) {
	x, ok := p.Ask.(*core.AskExec)
	if !ok {
		return
	}
	if shard, err := edit.ShardOf(s.a, x.Window, x.Command); err == nil {
		x.Shard = shard
	} else {
		x.Shard = x.Window.Shard() // whose leader says what is wrong
	}
}

// outcome makes a proposal and waits for its answer, with the hash of a text that it changed.
func (s *session) outcome(p core.Proposal) (proto.Reply, error) {
	r := s.ask(p)
	if r.Err != nil {
		return nil, r.Err
	}
	if r.Shard.Kind == core.KindBuffer && r.Hash == (core.Hash{}) {
		s.mu.Lock()
		b := s.a.Buffer(core.BufferID(r.Shard.ID))
		s.mu.Unlock()
		if b != nil && b.Version == r.Version {
			r.Hash = core.SumText(b.Text.Chunks())
		}
	}
	return &proto.Outcome{Result: r}, nil
}

func (s *session) exec(r *proto.Exec) (proto.Reply, error) {
	s.mu.Lock()
	w, err := resolve(s.a, r.Win, edit.OnText(r.Command))
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if isPutall(r.Command) {
		return s.putAll(r.Author)
	}
	if actsOnText(r.Command) {
		s.freshen(w)
	}
	if put := s.putNow(r, w); put != nil {
		return put()
	}
	return s.outcome(core.Proposal{Intent: r.Intent, Author: s.d.author(r.Author),
		Ask: &core.AskExec{Window: w, Command: r.Command, NoWait: r.NoWait}})
}

// actsOnText reports whether a command is about a text as the disk may have it by now; what is forced
// is not.
func actsOnText(command string) bool {
	if _, program := edit.ParseProgram(command); program {
		return true
	}
	return edit.OnText(command) && !slices.Contains(strings.Fields(command), "-f")
}
