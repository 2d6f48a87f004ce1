package daemon

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"apex/core"
	"apex/core/edit"
	"apex/term/holder"
)

// watch takes in what a command writes until nothing of it is left, or the daemon leaves.
func (j *job) watch() {
	defer j.s.programs.forget(j)
	defer j.close()
	defer func() {
		if !j.done {
			close(j.over)
		}
	}()
	j.out.run()
	j.say(j.before, "gap")
	if j.had != nil {
		j.had()
	}
	for {
		o, err := j.ho.Read()
		switch {
		case err == nil:
			j.take(o.From, o.Bytes)
		case errors.Is(err, holder.ErrExited):
			if !j.finish() {
				return
			}
		case errors.Is(err, io.EOF):
			select { // what it left behind may have other output
			case <-j.ho.Gone():
			case <-j.s.programs.left:
			}
			j.out.drain()
			return
		default:
			j.out.drain()
			return
		}
	}
}

// finish deals with the program's end: what it wrote takes its place, then the outcome is recorded,
// and the holder may leave when nothing of the program runs any more. False if the daemon leaves
// before: the next one does it.
func (j *job) finish() bool {
	if j.done { // its end was recorded by a daemon before
		j.s.release(j.ho, j.start.Proc)
		return true
	}
	x := exitOf(j.ho.Exit())
	j.settleErrors()
	j.out.drain()
	notes := j.out.notes()
	st := core.Status{Of: j.start.At}
	if why := ending(x); why != "" {
		st.Code, st.Message = core.CodeFailed, j.name()+": "+why
		notes += st.Message + "\n"
	}
	if x.Reason != "" {
		st.Code = core.CodeUnavailable
	}
	if j.start.Replace {
		if err := j.replace(x); err != nil {
			st.Code, st.Message = core.CodeOf(err), j.name()+": "+err.Error()
		}
	}
	j.say(notes, "notes")
	if !j.record(st, x) {
		return false
	}
	j.done = true
	close(j.over)
	j.removeFiles()
	j.s.release(j.ho, j.start.Proc)
	return true
}

// ending says how a program ended, if not well.
func ending(x core.Exit) string {
	switch {
	case x.Reason != "":
		return "unknown: " + x.Reason
	case x.Signal != "":
		return "killed by " + x.Signal
	case x.Code != 0:
		return fmt.Sprintf("exit status %d", x.Code)
	}
	return ""
}

// record records the outcome for good; false if the daemon leaves before.
func (j *job) record(st core.Status, x core.Exit) bool {
	st.Message = cutText(st.Message, core.MaxMessageBytes)
	j.insist(core.Proposal{Author: j.s.signature(), Intent: j.intent("status", 0),
		Ask: &core.AskStatus{Window: j.start.Window, Status: st}})
	for !j.isLeft() {
		j.s.procExit(j.start.Proc, core.ProcExit{Code: x.Code, Signal: x.Signal, Reason: x.Reason})
		if j.s.flush() == nil {
			return true
		}
		j.pause()
	}
	return false
}

// author signs what the program writes.
func (j *job) author() core.Author { return core.Author{Actor: "proc:" + j.start.Proc.String()} }

// say appends lines to +Errors; what says which of the job's it is, for a daemon that says it
// again.
func (j *job) say(text, what string) {
	if text == "" {
		return
	}
	if j.out.midLine() {
		text = "\n" + text
	}
	for n := uint64(0); text != ""; n++ {
		k := min(len(text), core.LoadMaxBytes)
		j.insist(core.Proposal{Author: j.author(), Intent: j.intent(what, n),
			Ask: edit.Output(j.start.Dir, text[:k])})
		text = text[k:]
	}
}

// intent identifies something that is done once on behalf of the job, by whatever daemon.
func (j *job) intent(what string, n uint64) (i core.IntentID) {
	h := sha256.New()
	h.Write(j.s.id[:])
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(j.start.Proc)))
	h.Write(binary.BigEndian.AppendUint64(nil, n))
	io.WriteString(h, what)
	copy(i[:], h.Sum(nil))
	return i
}

const (
	// insistEvery is how long after a refusal that will pass the next try comes.
	insistEvery = time.Second
	// insistMax is how often what may pass is tried while the disk is well.
	insistMax = 10
)

// insist makes a proposal, again while the disk refuses or somebody is busy, until the daemon
// leaves: what a command wrote is not dropped for that.
func (j *job) insist(p core.Proposal) core.Result {
	for n := 0; ; n++ {
		r := j.s.local(p)
		if r.Err == nil || !j.passes(r.Err.Code, n) || !j.pause() {
			return r
		}
	}
}

// passes reports whether a refusal, the n-th, is worth another try.
func (j *job) passes(code core.Code, n int) bool {
	j.s.mu.Lock()
	failed, ended := j.s.a.Failed(), j.s.ended
	j.s.mu.Unlock()
	switch {
	case ended:
		return false
	case failed:
		return true
	}
	return n < insistMax && (code == core.CodeReadOnly || code == core.CodeBusy ||
		code == core.CodeNotLeader || code == core.CodeUnavailable)
}

// pause waits before the next try; false if the daemon leaves.
func (j *job) pause() bool {
	t := time.NewTimer(insistEvery)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-j.s.programs.left:
		return false
	}
}

func (j *job) isLeft() bool {
	select {
	case <-j.s.programs.left:
		return true
	default:
		return false
	}
}
