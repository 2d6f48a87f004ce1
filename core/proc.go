package core

import (
	"slices"

	"apex/core/codec"
)

// Proc is a process that the daemon started for a session. What it was given of the environment is
// not here: secrets enter no shard.
type Proc struct {
	ProcStart
	Done   bool
	Code   int    // exit status, if Signal is empty
	Signal string // that killed it, as in KILL
	Reason string // for people, where neither tells: its outcome is unknown, its holder is gone
	Ended  Millis
}

// Bounds of a session's processes. Everybody who attaches gets the list, so those that have ended
// go, oldest first, when there are more than people look back at.
const (
	MaxProcs       = 1 << 10 // that run
	maxEndedProcs  = 1 << 6
	MaxProcBytes   = 4 << 10 // of a command line; a longer one is shown cut
	MaxHolderBytes = 128     // of a holder's name
	MaxReasonBytes = 1 << 10 // of why an outcome is unknown
)

// ProcStart records that a process is about to start. Holder names who keeps it, which is how a
// daemon that starts anew finds it again.
type ProcStart struct {
	Proc    ProcID
	Window  WindowID // that it belongs to; 0: none
	Term    TermID   // that it is the program of; 0 for a command
	Command string   // at most MaxProcBytes
	Dir     string
	Holder  string
	Started Millis

	// What a command's end is recorded with, and where its output goes, known to a daemon that finds
	// it running. A terminal's program has none of it.
	At      Seq    // of the Exec that it runs: in Window's shard, or in the layout's without one
	Author  Author // of that Exec
	Replace bool   // its output replaces runes [Q0, Q1) of Buffer at Version; else +Errors has it
	Buffer  BufferID
	Version Version
	Q0, Q1  int
}

// ProcExit records how a process ended.
type ProcExit struct {
	Proc   ProcID
	Code   int
	Signal string
	Reason string
	Ended  Millis
}

// ProcDel forgets a process.
type ProcDel struct{ Proc ProcID }

// Proc returns a process of the session; not ok if it is not known, or not any more.
func (m *Meta) Proc(p ProcID) (Proc, bool) {
	i := m.proc(p)
	if i < 0 {
		return Proc{}, false
	}
	return m.Procs[i], true
}

func (m *Meta) proc(p ProcID) int {
	return slices.IndexFunc(m.Procs, func(x Proc) bool { return x.Proc == p })
}

func (m *Meta) procStart(o *ProcStart) error {
	switch {
	case o.Proc == 0 || ID(o.Proc).Creator() != Server:
		return badf("process %v is not the daemon's", o.Proc)
	case m.proc(o.Proc) >= 0:
		return Errorf(CodeExists, "process %v exists", o.Proc)
	case len(o.Command) > MaxProcBytes:
		return badf("command of %d bytes, at most %d", len(o.Command), MaxProcBytes)
	case len(o.Dir) > MaxPathBytes || len(o.Holder) > MaxHolderBytes:
		return badf("directory of %d bytes and holder of %d, at most %d and %d", len(o.Dir),
			len(o.Holder), MaxPathBytes, MaxHolderBytes)
	case len(o.Author.Actor) > MaxActorBytes || o.Q0 > o.Q1:
		return badf("actor of %d bytes and runes %d,%d", len(o.Author.Actor), o.Q0, o.Q1)
	case m.running() >= MaxProcs:
		return Errorf(CodeBusy, "%d processes run, at most %d", m.running(), MaxProcs)
	}
	m.count(ID(o.Proc))
	m.Procs = append(m.Procs, Proc{ProcStart: *o})
	return nil
}

// runs reports whether a process is there, as far as is known, that does what an Exec says.
func (m *Meta) runs(w WindowID, at Seq) bool {
	return slices.ContainsFunc(m.Procs, func(p Proc) bool {
		return !p.Done && p.Window == w && p.At == at && at != 0
	})
}

func (m *Meta) running() int {
	n := 0
	for i := range m.Procs {
		if !m.Procs[i].Done {
			n++
		}
	}
	return n
}

// procExit ends a process. One that is not known any more changes nothing.
func (m *Meta) procExit(o *ProcExit) error {
	if o.Code < 0 || len(o.Signal) > TermSignalMax || len(o.Reason) > MaxReasonBytes {
		return badf("exit with %d, a signal of %d bytes and a reason of %d, at most %d and %d", o.Code,
			len(o.Signal), len(o.Reason), TermSignalMax, MaxReasonBytes)
	}
	i := m.proc(o.Proc)
	if i < 0 {
		return nil
	}
	p := &m.Procs[i]
	if p.Done {
		return badf("process %v has ended already", o.Proc)
	}
	p.Done, p.Code, p.Signal, p.Reason, p.Ended = true, o.Code, o.Signal, o.Reason, o.Ended
	if len(m.Procs)-m.running() > maxEndedProcs {
		i := slices.IndexFunc(m.Procs, func(x Proc) bool { return x.Done })
		m.Procs = slices.Delete(m.Procs, i, i+1)
	}
	return nil
}

func (m *Meta) procDel(p ProcID) error {
	i := m.proc(p)
	if i < 0 {
		return Errorf(CodeNotFound, "no process %v", p)
	}
	m.Procs = slices.Delete(m.Procs, i, i+1)
	return nil
}

func (*ProcStart) kind() OpKind { return OpProcStart }
func (*ProcExit) kind() OpKind  { return OpProcExit }
func (*ProcDel) kind() OpKind   { return OpProcDel }

func (*ProcStart) shardKind() ShardKind { return KindMeta }
func (*ProcExit) shardKind() ShardKind  { return KindMeta }
func (*ProcDel) shardKind() ShardKind   { return KindMeta }

func (o *ProcStart) fields(f *codec.Fields) {
	codec.Num(f, &o.Proc)
	codec.Num(f, &o.Window)
	codec.Num(f, &o.Term)
	f.String(&o.Command)
	f.String(&o.Dir)
	f.String(&o.Holder)
	codec.Num(f, &o.Started)
	if f.Optional(); !f.Reading() && o.At == 0 {
		return
	}
	codec.Num(f, &o.At)
	codec.Num(f, &o.Author.Attachment)
	f.String(&o.Author.Actor)
	f.Bool(&o.Replace)
	codec.Num(f, &o.Buffer)
	codec.Num(f, &o.Version)
	codec.Num(f, &o.Q0)
	codec.Num(f, &o.Q1)
}

func (o *ProcExit) fields(f *codec.Fields) {
	codec.Num(f, &o.Proc)
	codec.Num(f, &o.Code)
	f.String(&o.Signal)
	f.String(&o.Reason)
	codec.Num(f, &o.Ended)
}

func (o *ProcDel) fields(f *codec.Fields) { codec.Num(f, &o.Proc) }

func (p *Proc) fields(f *codec.Fields) {
	f.Struct(p.ProcStart.fields)
	f.Bool(&p.Done)
	codec.Num(f, &p.Code)
	f.String(&p.Signal)
	f.String(&p.Reason)
	codec.Num(f, &p.Ended)
}
