package core

import (
	"fmt"
	"strings"

	"apex/core/cell"
)

// This file prints what the package is made of, each as one line, for traces and for people who
// debug. Nothing is parsed back from it.

// describeText bounds how much of a text a line shows, in bytes.
const describeText = 32

// String prints an op: its name and its fields.
func (o Op) String() string {
	switch o.Kind {
	case OpEdit:
		return fmt.Sprintf("Edit v%d %d,%d %s g%d", o.Version, o.Q0, o.Q1, shorten(o.Text), o.Group)
	case OpSelect:
		return fmt.Sprintf("Select %v %d,%d", o.View, o.Q0, o.Q1)
	case OpOrigin:
		return fmt.Sprintf("Origin %v %d", o.View, o.Q0)
	}
	return describeBody(o.Body)
}

func describeBody(b Body) string {
	switch o := b.(type) {
	case nil:
		return "no op"
	case *Attach: // without the secret's hash
		return fmt.Sprintf("Attach a%d %v %s e%d", o.ID, o.Kind, o.Actor, o.Epoch)
	case *ShardNew:
		return fmt.Sprintf("ShardNew %v a%d e%d", o.Shard, o.Holder, o.Epoch)
	case *LeaseRequest:
		return fmt.Sprintf("LeaseRequest %v a%d", o.Shard, o.By)
	case *LeaseRelease:
		return fmt.Sprintf("LeaseRelease %v at %d", o.Shard, o.At)
	case *LeaseGrant:
		return fmt.Sprintf("LeaseGrant %v a%d e%d at %d", o.Shard, o.To, o.Epoch, o.At)
	case *LeaseReclaim:
		return fmt.Sprintf("LeaseReclaim %v a%d e%d at %d", o.Shard, o.To, o.Epoch, o.At)
	case *LeaseTTL:
		return fmt.Sprintf("LeaseTTL %v a%d %d ms", o.Shard, o.By, o.TTL)
	case *BufferNew:
		return fmt.Sprintf("BufferNew kind %d %q %s", o.Kind, o.Name, shorten(o.Text))
	case *Load:
		return fmt.Sprintf("Load %s", shorten(o.Text))
	case *Snarf:
		return fmt.Sprintf("Snarf %s", shorten(o.Text))
	case *ProcStart:
		return fmt.Sprintf("ProcStart %v %v %v %s %q", o.Proc, o.Window, o.Term, shorten(o.Command),
			o.Holder)
	case *TermNew:
		return fmt.Sprintf("TermNew %v %s %dx%d generation %d", o.Window, shorten(o.Command), o.Cols,
			o.Rows, o.Generation)
	case *TermRows:
		var s strings.Builder
		fmt.Fprintf(&s, "TermRows up %d", o.Scroll)
		for i := range o.Rows {
			fmt.Fprintf(&s, " %d %s", o.Rows[i].Y, shorten(cell.RowText(o.Rows[i].Row.Runs)))
		}
		return s.String()
	case *TermTitle:
		return fmt.Sprintf("TermTitle %s", shorten(o.Title))
	case *TermCwd:
		return fmt.Sprintf("TermCwd %q", o.Dir)
	case *TermMarks:
		return fmt.Sprintf("TermMarks drop %d cut %d add %v", o.Drop, o.Cut, o.Add)
	case *Merged:
		return fmt.Sprintf("Merged v%d %v %d bytes%s", o.Version, o.Disk, o.Bytes, describeSpans(o.Apart))
	case *Undo:
		return fmt.Sprintf("Undo v%d redo %v target %d%s", o.Version, o.Redo, o.Target,
			describeSpans(o.Edits))
	}
	name := strings.TrimPrefix(fmt.Sprintf("%T", b), "*core.")
	return name + " " + strings.Trim(fmt.Sprintf("%v", b), "&{}")
}

func shorten(s string) string {
	if len(s) <= describeText {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q+%d", s[:describeText], len(s)-describeText)
}

// String prints a batch: shard, numbers, who sequenced it under which epoch, whose it is, its ops.
func (b *Batch) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%v %d-%d a%d e%d", b.Shard, b.First, b.Last(), b.Attachment, b.Epoch)
	if b.Author.Attachment != b.Attachment || b.Intent != (IntentID{}) {
		fmt.Fprintf(&s, " by a%d %s", b.Author.Attachment, b.Author.Actor)
	}
	if b.Intent != (IntentID{}) {
		fmt.Fprintf(&s, " intent %x", b.Intent[:4])
	}
	for i := range b.Ops {
		fmt.Fprintf(&s, "; %v", b.Ops[i])
	}
	return s.String()
}

// String prints a sealed batch and the beginning of its chain value.
func (s *Sealed) String() string { return fmt.Sprintf("%v ~%v", &s.Batch, Mark{s.Last(), s.Chain}) }

// String prints a mark: its number and the beginning of its chain value.
func (m Mark) String() string { return fmt.Sprintf("%d:%x", m.Seq, m.Chain[:3]) }

// String prints a lease.
func (l Lease) String() string {
	s := fmt.Sprintf("%v a%d e%d", l.Shard, l.Holder, l.Epoch)
	if l.Released {
		s += " released"
	}
	if len(l.Waiting) > 0 {
		s += fmt.Sprintf(" waiting %v", l.Waiting)
	}
	for _, t := range l.Tenures {
		s += fmt.Sprintf(" a%d for %d ms", t.By, t.TTL)
	}
	return s
}

// String prints an outcome, or the error.
func (r Result) String() string {
	if r.Err != nil {
		return fmt.Sprintf("error %s: %s", r.Err.Code, r.Err.Message)
	}
	s := fmt.Sprintf("%s %v %d-%d v%d", r.Outcome, r.Shard, r.First, r.Last, r.Version)
	if r.Window != 0 {
		s += " " + r.Window.String()
	}
	return s
}

// String prints a proposal: whose, and what it asks.
func (p *Proposal) String() string {
	s := fmt.Sprintf("a%d intent %x", p.Author.Attachment, p.Intent[:4])
	if p.ExpectedEpoch != 0 {
		s += fmt.Sprintf(" e%d", p.ExpectedEpoch)
	}
	return s + " " + describeAsk(p.Ask)
}

func describeAsk(a Ask) string {
	switch a := a.(type) {
	case nil:
		return "nothing"
	case *AskEdit:
		var s strings.Builder
		fmt.Fprintf(&s, "AskEdit %v v%d policy %d", a.Buffer, a.Base, a.OnConflict)
		for _, e := range a.Edits {
			fmt.Fprintf(&s, " %d,%d %s", e.Q0, e.Q1, shorten(e.Text))
		}
		return s.String()
	case *AskSet:
		return fmt.Sprintf("AskSet %v v%d %v %s", a.Buffer, a.Base, a.HasBase, shorten(a.Text))
	case *AskSnarf:
		return fmt.Sprintf("AskSnarf %s", shorten(a.Text))
	case *AskWindow:
		s := fmt.Sprintf("AskWindow %v %q %s reuse %v", a.Body, a.Name, shorten(a.Text), a.Reuse)
		if a.Term != 0 {
			s += " " + a.Term.String()
		}
		return s
	}
	name := strings.TrimPrefix(fmt.Sprintf("%T", a), "*core.")
	return name + " " + strings.Trim(fmt.Sprintf("%v", a), "&{}")
}

// Describe prints a message between the two halves. Secrets are left out.
func Describe(m Msg) string {
	switch m := m.(type) {
	case *Hello:
		if m.Resume != nil {
			return fmt.Sprintf("Hello %v %s resume a%d", m.Kind, m.Actor, m.Resume.ID)
		}
		return fmt.Sprintf("Hello %v %s", m.Kind, m.Actor)
	case *Append:
		return "Append" + describeList(" new", m.New) + describeList(" del", m.Del) +
			describeBatches(m.Batches)
	case *Follow:
		s := "Follow"
		for _, f := range m.Shards {
			s += " " + f.Shard.String()
			if f.From != nil {
				s += "@" + f.From.String()
			}
		}
		return s
	case *Unfollow:
		return "Unfollow" + describeList("", m.Shards)
	case *Take:
		if m.TTL != 0 {
			return fmt.Sprintf("Take%s for %d ms", describeList("", m.Shards), m.TTL)
		}
		return "Take" + describeList("", m.Shards)
	case *Renew:
		return "Renew"
	case *Release:
		return "Release" + describeList("", m.Shards)
	case *Propose:
		return fmt.Sprintf("Propose %d %v", m.ID, &m.Proposal)
	case *Answer:
		return fmt.Sprintf("Answer %d %v follows %v", m.Call, m.Result, m.Follows)
	case *Bye:
		return "Bye"
	}
	return describeDown(m)
}

// describeDown prints the messages that the daemon sends.
func describeDown(m Msg) string {
	switch m := m.(type) {
	case *Welcome:
		s := fmt.Sprintf("Welcome a%d e%d next %d resumed %v", m.Attachment, m.Epoch, m.Next,
			m.Resumed)
		if m.Unkept {
			s += ", unkept"
		}
		return s
	case *Snapshot:
		return "Snapshot " + m.State.String()
	case *Deliver:
		return "Deliver" + describeBatches(m.Batches)
	case *CaughtUp:
		return fmt.Sprintf("CaughtUp %v@%v", m.Shard, m.Mark)
	case *Ack:
		s := "Ack"
		for _, h := range m.Heads {
			s += fmt.Sprintf(" %v@%v", h.Shard, h.Mark)
		}
		return s
	case *Refused:
		return fmt.Sprintf("Refused%s: %s: %s", describeList("", m.Shards), m.Err.Code, m.Err.Message)
	case *NotTaken:
		return fmt.Sprintf("NotTaken%s: %s: %s", describeList("", m.Shards), m.Err.Code, m.Err.Message)
	case *Asked:
		return "Asked" + describeList("", m.Shards)
	case *Evaluate:
		return fmt.Sprintf("Evaluate %d %v", m.Call, &m.Proposal)
	case *ProposeResult:
		return fmt.Sprintf("ProposeResult %d %v", m.ID, m.Result)
	case *Resync:
		return "Resync" + describeList("", m.Shards)
	case *Diverged:
		return fmt.Sprintf("Diverged %v@%d", m.Shard, m.Seq)
	case *Check:
		return fmt.Sprintf("Check %v@%d", m.Shard, m.Seq)
	case *Draining:
		return "Draining"
	case *Failure:
		return fmt.Sprintf("Failure %s: %s", m.Err.Code, m.Err.Message)
	}
	return fmt.Sprintf("%T", m)
}

func describeList(word string, shards []Shard) string {
	if len(shards) == 0 {
		return ""
	}
	for _, s := range shards {
		word += " " + s.String()
	}
	return word
}

func describeBatches(batches []*Sealed) string {
	s := ""
	for _, b := range batches {
		s += " [" + b.Batch.String() + "]"
	}
	return s
}

// String prints a state: its shard, its mark and what it is.
func (s *ShardState) String() string {
	head := fmt.Sprintf("%v@%v ", s.Shard, s.Mark)
	switch t := s.state.(type) {
	case *Meta:
		return head + fmt.Sprintf("%d shards, %d attachments, epoch %d", len(t.Shards),
			len(t.Attachments), t.MaxEpoch)
	case *Layout:
		slots := 0
		for _, c := range t.Columns {
			slots += len(c.Slots)
		}
		return head + fmt.Sprintf("%d columns, %d windows, focus %v", len(t.Columns), slots,
			t.Focus)
	case *Window:
		return head + fmt.Sprintf("tag %v body %v, %d runs", t.Tag, t.Body, len(t.Runs))
	case *Buffer:
		return head + fmt.Sprintf("%q v%d, %d runes, %d views", t.Name, t.Version, t.Text.Runes(),
			len(t.views))
	case *Term:
		return head + fmt.Sprintf("%v %s %dx%d generation %d, lines from %d, screen from %d, exit %v",
			t.Window, shorten(t.Command), t.Cols, t.Rows, t.Generation, t.First, t.Base, t.Exit)
	case *Registry:
		return head + fmt.Sprintf("%d sessions", len(t.Sessions))
	}
	return head + "unused"
}

// String prints a replica: what it waits for, and what it may not lose.
func (r *Replica) String() string {
	s := fmt.Sprintf("a%d connected %v, joining %v, %d proposals, %d messages sent", r.author.Attachment,
		r.connected, r.joining, len(r.proposals), len(r.sent))
	for _, t := range r.tailShards() {
		tail := r.tails[t]
		s += fmt.Sprintf("; %v from %d e%d missed %v giving %v assumed %v", t, tail.unacked[0].First,
			tail.epoch, tail.missed, r.giving[t], r.assumed[t])
		if l, ok := r.Meta().Lease(t); ok {
			s += fmt.Sprintf(" (%v)", l)
		}
	}
	return s
}

func describeSpans(spans []Span) string {
	var s strings.Builder
	for _, e := range spans {
		fmt.Fprintf(&s, " %d,%d %s", e.Q0, e.Q1, shorten(e.Text))
	}
	return s.String()
}
