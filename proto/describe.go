package proto

import (
	"fmt"
	"strings"

	"apex/core"
)

// Describe returns one line about a message, for logs: what it is and what it is about, never
// secrets, never texts.
func Describe(m Message) string {
	switch m := m.(type) {
	case *Server:
		return fmt.Sprintf("server protocol %s, build %s, pid %d", span(m.Min, m.Max),
			printable(m.Build), m.PID)
	case *Client:
		return fmt.Sprintf("client protocol %d, build %s", m.Protocol, printable(m.Build))
	case *Call:
		return fmt.Sprintf("call %d %s", m.ID, join(numberOf(m.Request), bodyDetail(m.Request)))
	case *Return:
		if m.Err != nil {
			return fmt.Sprintf("return %d error %s", m.ID, errorDetail(m.Err.Code, m.Err.Message))
		}
		return fmt.Sprintf("return %d %s", m.ID, join(numberOf(m.Reply), bodyDetail(m.Reply)))
	}
	n := numberOf(m)
	if n == 0 {
		return fmt.Sprintf("no message: %T", m)
	}
	return join(n, detail(m))
}

func join(n Number, detail string) string {
	if detail == "" {
		return n.String()
	}
	return n.String() + " " + detail
}

func detail(m Message) string {
	switch m := m.(type) {
	case *core.Append:
		return appendDetail(m)
	case *core.Deliver:
		return batchesDetail(m.Batches)
	case *core.Follow:
		return followDetail(m)
	case *core.Unfollow:
		return shardsDetail(m.Shards)
	case *core.Take:
		if m.TTL != 0 {
			return fmt.Sprintf("%s for %d ms", shardsDetail(m.Shards), m.TTL)
		}
		return shardsDetail(m.Shards)
	case *core.Release:
		return shardsDetail(m.Shards)
	case *core.Asked:
		return shardsDetail(m.Shards)
	case *core.Resync:
		return shardsDetail(m.Shards)
	case *core.Propose:
		return fmt.Sprintf("%d %s", m.ID, proposalDetail(&m.Proposal))
	case *core.Evaluate:
		return fmt.Sprintf("%d %s", m.Call, proposalDetail(&m.Proposal))
	case *core.Answer:
		return fmt.Sprintf("%d %s", m.Call, resultDetail(&m.Result))
	case *core.ProposeResult:
		return fmt.Sprintf("%d %s", m.ID, resultDetail(&m.Result))
	case *core.Ack:
		return headsDetail(m.Heads)
	case *core.CaughtUp:
		return headDetail(core.Head{Shard: m.Shard, Mark: m.Mark})
	case *core.Check:
		return fmt.Sprintf("%v@%d hash %.8v", m.Shard, m.Seq, m.Hash)
	case *core.Diverged:
		return fmt.Sprintf("%v@%d", m.Shard, m.Seq)
	case *core.Refused:
		return shardsDetail(m.Shards) + " " + coreErrorDetail(m.Err)
	case *core.NotTaken:
		return shardsDetail(m.Shards) + " " + coreErrorDetail(m.Err)
	case *core.Failure:
		return coreErrorDetail(m.Err)
	case *SnapshotChunk:
		return chunkDetail(m)
	case *Here:
		return fmt.Sprintf("%v %d,%d", m.View, m.Q0, m.Q1)
	case *Pointer:
		return fmt.Sprintf("a%d %v %d,%d", m.From, m.View, m.Q0, m.Q1)
	case *Presence:
		return fmt.Sprintf("%d peers", len(m.Peers))
	}
	return ""
}

func forceDetail(force bool) string {
	if force {
		return "force"
	}
	return ""
}

// bodyDetail says what a request or reply is about.
func bodyDetail(b any) string {
	switch b := b.(type) {
	case *Attach:
		return fmt.Sprintf("%q as %v %q", b.Session, b.Hello.Kind, b.Hello.Actor)
	case *SessionNew:
		return fmt.Sprintf("%q", b.Label)
	case *SessionRename:
		return fmt.Sprintf("%q to %q", b.Old, b.New)
	case *SessionEnd:
		return fmt.Sprintf("%q, force %v", b.Session, b.Force)
	case *Stop:
		return forceDetail(b.Force)
	case *Open:
		return fmt.Sprintf("%q, %d files", b.Session, len(b.Files))
	case *Resolve:
		return fmt.Sprintf("%q %q", b.Session, b.Win)
	case *Read:
		return fmt.Sprintf("%q %q %q %d,%d", b.Session, b.Win, b.Addr, b.Q0, b.Q1)
	case *Info:
		return fmt.Sprintf("%q %q", b.Session, b.Win)
	case *ProposeIn:
		return fmt.Sprintf("%q %s", b.Session, proposalDetail(&b.Proposal))
	case *Exec:
		return fmt.Sprintf("%q %q %.64q", b.Session, b.Win, b.Command)
	case *Peek:
		return fmt.Sprintf("%q, %d views", b.Session, len(b.Views))
	case *Log:
		return fmt.Sprintf("%q %v from %d", b.Session, core.Shard(b.Shard), b.From)
	case *LeaseList:
		return fmt.Sprintf("%q", b.Session)
	case *LeaseRelease:
		return fmt.Sprintf("%q %q", b.Session, b.Win)
	case *Leases:
		return fmt.Sprintf("%d leases", len(b.Leases))
	case *Attached:
		return fmt.Sprintf("%q a%d at epoch %d, %d shards", b.Label, b.Welcome.Attachment,
			b.Welcome.Epoch, len(b.Welcome.Heads))
	case *Text:
		return fmt.Sprintf("%v %d,%d at version %d", b.Window, b.Q0, b.Q1, b.Origin.Version)
	case *Outcome:
		return resultDetail(&b.Result)
	case *Logged:
		return fmt.Sprintf("%d batches of %d", len(b.Batches), b.Last)
	case *Fsck:
		return fmt.Sprintf("%q, ended %v", b.Session, b.Ended)
	case *SessionRestore:
		return fmt.Sprintf("%q as %q", b.Session, b.As)
	case *Export:
		return fmt.Sprintf("%q, transfer %d", b.Session, b.Transfer)
	case *Import:
		return fmt.Sprintf("transfer %d, %d bytes", b.Transfer, len(b.Bytes))
	case *Piece:
		return fmt.Sprintf("transfer %d, %d bytes", b.Transfer, len(b.Bytes))
	}
	return termDetail(b)
}

// maxNamed is how many shards one line names.
const maxNamed = 4

func named[T any](items []T, name func(T) string) string {
	var parts []string
	for i, it := range items {
		if i == maxNamed {
			parts = append(parts, fmt.Sprintf("and %d more", len(items)-i))
			break
		}
		parts = append(parts, name(it))
	}
	return strings.Join(parts, " ")
}

func shardsDetail(s []core.Shard) string { return named(s, core.Shard.String) }

func headsDetail(h []core.Head) string { return named(h, headDetail) }

func headDetail(h core.Head) string { return fmt.Sprintf("%v@%d", h.Shard, h.Mark.Seq) }

func batchesDetail(b []*core.Sealed) string {
	return named(b, func(s *core.Sealed) string {
		return fmt.Sprintf("%v@%d-%d by a%d epoch %d", s.Shard, s.First, s.Last(), s.Attachment, s.Epoch)
	})
}

func appendDetail(m *core.Append) string {
	s := batchesDetail(m.Batches)
	if len(m.New)+len(m.Del) > 0 {
		s += fmt.Sprintf(" makes %d deletes %d", len(m.New), len(m.Del))
	}
	return s
}

func followDetail(m *core.Follow) string {
	return named(m.Shards, func(s core.FollowShard) string {
		if s.From == nil {
			return s.Shard.String()
		}
		return fmt.Sprintf("%v@%d", s.Shard, s.From.Seq)
	})
}

func chunkDetail(m *SnapshotChunk) string {
	last := ""
	if m.Last {
		last = ", the last"
	}
	return fmt.Sprintf("%v %d, %d bytes%s", m.Shard, m.Index, len(m.Bytes), last)
}

func proposalDetail(p *core.Proposal) string {
	if p.Ask == nil {
		return "nothing"
	}
	name := strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", p.Ask), "*core.Ask"))
	return fmt.Sprintf("%s on %v by %q intent %.8v", name, p.Ask.Target(), p.Author.Actor, p.Intent)
}

func resultDetail(r *core.Result) string {
	if r.Err != nil {
		return coreErrorDetail(r.Err)
	}
	return fmt.Sprintf("%s %v@%d-%d version %d", r.Outcome, r.Shard, r.First, r.Last, r.Version)
}

func coreErrorDetail(e *core.Error) string {
	if e == nil {
		return "unknown"
	}
	return errorDetail(e.Code, e.Message)
}

func errorDetail(code core.Code, message string) string {
	return fmt.Sprintf("%s: %s", code, printable(message))
}
