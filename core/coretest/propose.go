package coretest

import (
	"fmt"
	"sort"
	"strings"

	"apex/core"

	"github.com/cockroachdb/datadriven"
)

// propose sends a proposal: propose NAME edit|undo|delete|open FILE [intent=X] [epoch=E]
// [base=V] [at=Q] [cut=N] [text=S] [policy=fail|rebase]. The same intent is the same proposal.
func (e *Env) propose(d *datadriven.TestData) (string, error) {
	c, file := e.client(d), d.CmdArgs[2].Key
	p := core.Proposal{Intent: e.intent(arg(d, "intent", "")),
		ExpectedEpoch: core.Epoch(arg(d, "epoch", 0))}
	switch d.CmdArgs[1].Key {
	case "edit":
		p.Ask = e.edit(d, c, e.files[file])
	case "undo":
		p.Ask = &core.AskUndo{Buffer: e.files[file], Redo: d.HasArg("redo"), All: d.HasArg("all")}
	case "delete":
		p.Ask = &core.AskDelete{Window: e.window(c.R, e.files[file]), Force: true}
	case "open":
		p.Ask = &core.AskWindow{Name: file, Kind: core.BufferFile, Text: d.Input}
	case "taken", "merged", "seen", "refused", "gone", "saved":
		p.Ask = e.proposeDisk(d, c.R.Buffer(e.files[file]), e.files[file])
	default:
		return "", fmt.Errorf("propose what?")
	}
	c.Propose(e.World, p)
	return "", nil
}

// intent returns the intent that a script calls by a name; each unnamed one is its own.
func (e *Env) intent(name string) core.IntentID {
	if name == "" {
		name = fmt.Sprintf("unnamed %d", len(e.intents))
	}
	i, ok := e.intents[name]
	if !ok {
		i = core.IntentID{0xe0, byte(len(e.intents) + 1)}
		e.intents[name] = i
	}
	return i
}

// results prints the answers that a client has: results NAME.
func (e *Env) results(d *datadriven.TestData) (string, error) {
	c := e.client(d)
	answers := c.Answers()
	ids := make([]int, 0, len(answers))
	for id := range answers {
		ids = append(ids, int(id))
	}
	sort.Ints(ids)
	var out strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&out, "%d %v\n", id, answers[uint64(id)])
	}
	fmt.Fprintf(&out, "unsynced %d, pending %d\n", c.R.Unsynced(), c.R.Pending())
	return out.String(), nil
}
