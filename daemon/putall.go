package daemon

import (
	"strings"
	"time"

	"apex/core"
	"apex/core/edit"
	"apex/proto"
)

const (
	// putAllTimeout is how long Putall waits for its files: a save takes milliseconds, and one on a
	// file server that hangs must not keep the others' outcome from being told.
	putAllTimeout = time.Minute
	// putsAtOnce is how many files it saves at a time: enough to keep a disk busy with syncs.
	putsAtOnce = 16
)

// isPutall reports whether a command saves all files.
func isPutall(command string) bool {
	words := strings.Fields(command)
	return len(words) > 0 && words[0] == "Putall"
}

// onePut is one file's part in a Putall.
type onePut struct {
	file int // which of them
	said string
	err  error
}

// putAll saves every file with unsaved changes, for a client without an attachment, and returns
// when all are done: each is a Put of its own, in one of its windows. The error names each file
// that was not saved.
func (s *session) putAll(by proto.Author) (proto.Reply, error) {
	s.mu.Lock()
	windows := edit.Unsaved(s.a)
	names := make([]string, len(windows))
	for i, w := range windows {
		names[i] = s.a.Buffer(s.a.Window(w).Body).Name
	}
	s.mu.Unlock()
	ended := make(chan onePut, len(windows)) // nobody who puts waits for a reader that has left
	room := make(chan struct{}, putsAtOnce)
	for i, w := range windows {
		go func() { // until it is answered, which the session's end does at the latest
			room <- struct{}{}
			defer func() { <-room }()
			said, err := s.putIn(w, by)
			ended <- onePut{i, said, err}
		}()
	}
	puts := make([]onePut, len(windows))
	for i := range puts {
		puts[i].err = core.Errorf(core.CodeBusy, "not saved after %v; that goes on", putAllTimeout)
	}
	late := time.NewTimer(putAllTimeout)
	defer late.Stop()
	for range windows {
		select {
		case p := <-ended:
			puts[p.file] = p
			continue
		case <-late.C:
		}
		break
	}
	return allPut(names, puts)
}

// putIn is the Put of one window's text.
func (s *session) putIn(w core.WindowID, by proto.Author) (said string, err error) {
	reply, err := s.exec(&proto.Exec{Win: w.String(), Command: "Put", Author: by})
	if out, ok := reply.(*proto.Outcome); err == nil && ok {
		return out.Result.Message, nil
	}
	return "", err
}

// allPut is the answer to a Putall. Files that failed alike give it their code.
func allPut(names []string, puts []onePut) (proto.Reply, error) {
	var said, failed []string
	code := core.Code("")
	for i, p := range puts {
		if p.err == nil {
			said = append(said, p.said)
			continue
		}
		if c := core.CodeOf(p.err); code == "" || code == c {
			code = c
		} else {
			code = core.CodeUnsaved
		}
		why := strings.TrimPrefix(p.err.Error(), names[i]+": ")
		failed = append(failed, names[i]+": "+strings.TrimPrefix(why, names[i]+" "))
	}
	if len(failed) > 0 {
		return nil, core.Errorf(code, "%d of %d files not saved:\n%s", len(failed), len(names),
			strings.Join(failed, "\n"))
	}
	return &proto.Outcome{Result: core.Result{Outcome: core.Applied, Shard: core.LayoutShard,
		Message: strings.Join(said, "\n")}}, nil
}
