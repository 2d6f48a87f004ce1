package daemon

import (
	"testing"

	"apex/core"
)

// More commands than maxJobs are refused; one that ends makes room.
func TestJobLimit(t *testing.T) {
	p := newPrograms(&session{})
	var jobs []*job
	for n := range maxJobs {
		j := &job{start: core.ProcStart{Proc: core.ProcID(n + 1)}}
		if err := p.reserve(j); err != nil {
			t.Fatalf("job %d: %v", n+1, err)
		}
		jobs = append(jobs, j)
	}
	more := &job{start: core.ProcStart{Proc: maxJobs + 1}}
	if err := p.reserve(more); core.CodeOf(err) != core.CodeBusy {
		t.Errorf("one too many: %v", err)
	}
	p.forget(jobs[3])
	if err := p.reserve(more); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
	if n := len(p.allJobs()); n != 0 {
		t.Errorf("%d jobs have started", n)
	}
}
