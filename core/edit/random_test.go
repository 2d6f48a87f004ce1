package edit

import (
	"testing"

	"apex/core"

	"pgregory.net/rapid"
)

// Whatever is asked of a session, and whoever leads what: Evaluate never panics, a bundle applies
// where every shard of it is led, an error or a conflict changes nothing, and the shards go on
// agreeing with each other.
func TestEvaluateAnything(t *testing.T) {
	applied := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := first(t)
		w.file("/a", "one\ntwo\n")
		for range rapid.IntRange(10, 30).Draw(t, "steps") {
			w.author.Actor = rapid.SampledFrom([]string{"human:ann", "agent:x"}).Draw(t, "actor")
			if rapid.IntRange(0, 9).Draw(t, "lead") == 0 {
				w.takeAway(t)
			}
			name, ask := w.drawAsk(t)
			if res := w.ask(ask); res.Outcome == core.Applied {
				applied[name]++
			}
			w.others = map[core.Shard]bool{}
			w.commit(Repair(w, ann))
			w.verify()
		}
	})
	for _, name := range []string{"edit", "set", "undo", "clean", "stale", "rename", "select",
		"window",
		"show", "delete", "exec"} {
		if applied[name] == 0 {
			t.Errorf("no %s was ever applied: the test no longer tests", name)
		}
	}
}

// takeAway gives one shard to somebody else to lead.
func (w *world) takeAway(t *rapid.T) {
	m := w.Meta()
	s := rapid.SampledFrom(m.Shards).Draw(t, "shard")
	if s.Kind.Leasable() {
		w.others[s] = true
	}
}

func (w *world) drawWindow(t *rapid.T) core.WindowID {
	all := append(windows(&w.Layout().Arrange), 99)
	return rapid.SampledFrom(all).Draw(t, "window")
}

func (w *world) drawBuffer(t *rapid.T) core.BufferID {
	id := w.drawWindow(t)
	win := w.Window(id)
	if win == nil {
		return 98
	}
	return rapid.SampledFrom([]core.BufferID{win.Body, win.Body, win.Tag}).Draw(t, "buffer")
}

// drawView draws a view that mostly is on the buffer.
func (w *world) drawView(t *rapid.T, id core.BufferID) core.View {
	if b := w.Buffer(id); b != nil && rapid.IntRange(0, 3).Draw(t, "any view") > 0 {
		return rapid.SampledFrom(b.Views()).Draw(t, "view").View
	}
	return w.drawWindow(t).Body()
}

// drawAsk draws a proposal that is mostly sensible.
func (w *world) drawAsk(t *rapid.T) (string, core.Ask) {
	id := w.drawBuffer(t)
	var version core.Version
	runes := 3
	if b := w.Buffer(id); b != nil {
		version, runes = b.Version, b.Text.Runes()
	}
	at := func() int { return rapid.IntRange(-1, runes+1).Draw(t, "q") }
	some := func() string {
		return rapid.SampledFrom([]string{"", "x", "one\ntwo\nthree\n", "\xe4\xbd", "\xa0",
			"/n 你"}).Draw(t, "text")
	}
	base := core.Version(max(0, int(version)-rapid.IntRange(-1, 3).Draw(t, "behind")))
	disk := core.DiskState{Hash: hashOf("x"), Bytes: 1}
	switch rapid.IntRange(0, 11).Draw(t, "ask") {
	case 0:
		a := &core.AskEdit{Buffer: id, Base: base,
			OnConflict: core.OnConflict(rapid.IntRange(0, 2).Draw(t, "policy"))}
		for q := 0; len(a.Edits) < rapid.IntRange(0, 3).Draw(t, "edits") && q <= runes; {
			end := min(runes+1, q+rapid.IntRange(0, 4).Draw(t, "n"))
			a.Edits = append(a.Edits, core.Span{Q0: q, Q1: end, Text: some()})
			q = end + rapid.IntRange(0, 2).Draw(t, "gap")
		}
		if v := w.drawWindow(t); rapid.Bool().Draw(t, "select") {
			a.Select = v.Body()
		}
		return "edit", a
	case 1:
		a := &core.AskSet{Buffer: id, Base: base, HasBase: rapid.Bool().Draw(t, "has"),
			Text:  some(),
			Force: rapid.Bool().Draw(t, "force")}
		if rapid.Bool().Draw(t, "disk") {
			a.Disk = &core.DiskState{Hash: hashOf(a.Text), Bytes: len(a.Text)}
		}
		return "set", a
	case 2:
		return "undo", &core.AskUndo{Buffer: id, Redo: rapid.Bool().Draw(t, "redo"),
			All: rapid.Bool().Draw(t, "all")}
	case 3:
		return "clean", &core.AskClean{Buffer: id, Version: base, Disk: disk}
	case 4:
		return "stale", &core.AskStale{Buffer: id, Disk: disk.Hash}
	case 5:
		return "rename", &core.AskRename{Buffer: id, Name: some()}
	case 6:
		q0, q1 := at(), at()
		return "select", &core.AskSelect{Buffer: id, View: w.drawView(t, id),
			Q0: min(q0, q1), Q1: max(q0, q1), Show: rapid.Bool().Draw(t, "show")}
	case 7:
		a := &core.AskWindow{Name: some(), Kind: core.BufferKind(rapid.IntRange(0, 4).Draw(t,
			"kind")),
			Text: some(), Reuse: rapid.Bool().Draw(t, "reuse"), Append: rapid.Bool().Draw(t,
				"append"),
			Focus: rapid.Bool().Draw(t, "focus")}
		if rapid.IntRange(0, 3).Draw(t, "on a body") == 0 {
			a.Body = w.bodyOf(w.drawWindow(t))
		}
		return "window", a
	case 8:
		return "show", &core.AskShow{Window: w.drawWindow(t)}
	case 9:
		return "snarf", &core.AskSnarf{Text: some()}
	case 10:
		return "delete", &core.AskDelete{Window: w.drawWindow(t), Force: rapid.Bool().Draw(t,
			"force")}
	}
	a := &core.AskExec{Window: w.drawWindow(t)}
	a.Command = rapid.SampledFrom(Commands()).Draw(t, "command").Name +
		rapid.SampledFrom([]string{"", " all", " on", " 4", " one", " /name"}).Draw(t, "args")
	if s, err := ShardOf(w, a.Window, a.Command); err == nil {
		a.Shard = s
	}
	return "exec", a
}

// bodyOf is a window's body, or a buffer that is not there.
func (w *world) bodyOf(id core.WindowID) core.BufferID {
	if win := w.Window(id); win != nil {
		return win.Body
	}
	return 97
}
