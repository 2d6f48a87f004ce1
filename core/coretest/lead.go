package coretest

import (
	"strings"

	"apex/core"
	"apex/core/edit"
	"apex/core/sim"

	"github.com/cockroachdb/datadriven"
)

// lead does what a client may do by itself, where it leads; elsewhere the answer is not_leader.
//
//	open NAME PATH            a window on a new file, whose text is the command's input
//	type NAME FILE [at=Q] [cut=N] text=S
//	undo NAME FILE [redo] [all]
//	delete NAME FILE          the window that shows it
func (e *Env) lead(d *datadriven.TestData) (string, error) {
	c, file := e.client(d), d.CmdArgs[1].Key
	var ask core.Ask
	switch d.Cmd {
	case "open":
		ask = &core.AskWindow{Name: file, Kind: core.BufferFile, Text: d.Input, Focus: true}
	case "type":
		ask = e.edit(d, c, e.files[file])
	case "undo":
		ask = &core.AskUndo{Buffer: e.files[file], Redo: d.HasArg("redo"), All: d.HasArg("all")}
	case "delete":
		ask = &core.AskDelete{Window: e.window(c.R, e.files[file]), Force: true}
	}
	b, res := edit.Evaluate(c.R, c.R, &core.Proposal{Author: c.R.Author(), Ask: ask})
	if res.Err != nil {
		return "", res.Err
	}
	if err := c.Commit(e.World, b); err != nil {
		return "", err
	}
	if d.Cmd == "open" {
		e.files[file] = c.R.Window(res.Window).Body
	}
	return "", nil
}

// bundle types into several files at once: bundle NAME text=S FILE FILE...
func (e *Env) bundle(d *datadriven.TestData) (string, error) {
	c := e.client(d)
	var b core.Bundle
	for _, a := range d.CmdArgs[1:] {
		if id, ok := e.files[a.Key]; ok {
			b.Add(id.Shard(), core.Edit(c.R.Buffer(id).Version, 0, 0, arg(d, "text", ""), 0))
		}
	}
	return "", c.Commit(e.World, b)
}

// edit is the edit that a command describes, against the version that the client knows.
func (e *Env) edit(d *datadriven.TestData, c *sim.Client, id core.BufferID) *core.AskEdit {
	b := c.R.Buffer(id)
	q0 := arg(d, "at", 0)
	a := &core.AskEdit{Buffer: id, Base: core.Version(arg(d, "base", uint64(b.Version))),
		Edits: []core.Span{{Q0: q0, Q1: q0 + arg(d, "cut", 0), Text: arg(d, "text", "")}}}
	switch arg(d, "policy", "fail") {
	case "rebase":
		a.OnConflict = core.ConflictRebase
	case "recover":
		a.OnConflict = core.ConflictRecover
	}
	return a
}

// window returns a window that shows a buffer.
func (e *Env) window(s core.Session, id core.BufferID) core.WindowID {
	for _, c := range s.Layout().Columns {
		for _, slot := range c.Slots {
			if w := s.Window(slot.Window); w != nil && w.Body == id {
				return slot.Window
			}
		}
	}
	return 0
}

// quoted shows a text on one line.
func quoted(s string) string { return strings.ReplaceAll(s, "\n", "|") }
