package proto

import (
	"testing"

	"apex/core"
	"apex/core/cell"
)

// sample is one message, with every field set, that the golden bytes, the schema and the
// descriptions are held against.
type sample struct {
	name    string
	from    Side
	message Message
}

var (
	win = core.WindowID(core.MakeID(1, 3))
	buf = core.BufferID(core.MakeID(3, 11))
	trm = core.TermID(core.MakeID(0, 7))
)

// fill returns n bytes that count up from b.
func fill(n int, b byte) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = b + byte(i)
	}
	return out
}

func hash(b byte) core.Hash       { return core.Hash(fill(32, b)) }
func intent(b byte) core.IntentID { return core.IntentID(fill(16, b)) }
func author() core.Author         { return core.Author{Attachment: 3, Actor: "agent:x"} }
func mark(s core.Seq) core.Mark   { return core.Mark{Seq: s, Chain: hash(byte(s))} }
func twoShards() []core.Shard     { return []core.Shard{core.LayoutShard, buf.Shard()} }
func coreError() *core.Error {
	return &core.Error{Code: core.CodeFenced, Message: "held by \xff"}
}
func named1(k core.ShardKind) core.Shard {
	if k.Single() {
		return core.Shard{Kind: k}
	}
	return core.Shard{Kind: k, ID: core.MakeID(3, 11)}
}

// sealed makes a batch of ops on a shard of a kind.
func sealed(k core.ShardKind, ops ...core.Op) *core.Sealed {
	b := core.Batch{Shard: named1(k), Attachment: 3, Epoch: 1 << 41, First: 300, Author: author(),
		Intent: intent(7), Ops: ops}
	s, err := core.Open(b.Append(nil))
	if err != nil {
		panic(err)
	}
	return s
}

// termBatch has each op of a terminal.
func termBatch() *core.Sealed {
	return sealed(core.KindTerm,
		core.Of(&core.TermNew{Window: win, Command: "vi\xff", Dir: "/src", Generation: 1 << 41, Cols: 80,
			Rows: 24}),
		core.Of(&core.TermRows{Scroll: 1, Rows: []core.RowAt{{Y: 0, Row: termRow()},
			{Y: 300, Row: core.NewTermRow(nil, false)}}}),
		core.Of(&core.TermCursor{Cursor: core.Cursor{X: 1, Y: 2, Visible: true, Blink: true,
			Shape: core.CursorShapeBar}}),
		core.Of(&core.TermModes{
			Modes: (core.TermAltScreen | core.TermPaste).WithMouse(core.MouseDrags)}),
		core.Of(&core.TermResize{Cols: 200, Rows: 50}),
		core.Of(&core.TermTitle{Title: "a.go\xff"}),
		core.Of(&core.TermCwd{Dir: "/src"}),
		core.Of(&core.TermMarks{Drop: 1, Cut: 2, Add: []core.PromptMark{
			{Kind: core.MarkEnd, Line: 300, Col: 2, Status: 1},
			{Kind: core.MarkPrompt, Line: 301, Status: core.StatusUnknown}}}),
		core.Of(&core.TermProgress{Progress: core.Progress{State: core.ProgressSet, Percent: 40}}),
		core.Of(&core.TermBell{Bells: 3}),
		core.Of(&core.TermHistory{First: 5, Base: 300, BaseCol: 80}),
		core.Of(&core.TermExit{Exit: core.Exit{Done: true, Code: 1, Signal: "KILL", Reason: "gone"}}),
		core.Of(&core.TermClip{Clips: 1}),
	)
}

// termRow has a run of each kind and of each length.
func termRow() *core.TermRow {
	style := cell.Style{Fg: cell.Palette(1), Bg: cell.RGB(1, 2, 3),
		Attr: cell.Bold.WithUnderline(cell.CurlyUnderline)}
	return core.NewTermRow([]cell.Run{{Text: "ab", Kind: cell.Narrow},
		{Text: "世", Kind: cell.Wide, Style: cell.Style{Fg: style.Fg}},
		{Text: "e\u0301", Kind: cell.NarrowCluster, Style: cell.Style{Bg: style.Bg}},
		{Text: "👩‍🚀", Kind: cell.WideCluster, Style: cell.Style{Attr: style.Attr}},
		{Text: "c", Kind: cell.Narrow, Style: style, Under: cell.Palette(255)},
		{Text: "d", Kind: cell.Narrow, Link: "https://a"}}, true)
}

func termState() *core.Term {
	grid := make([]*core.TermRow, 3)
	for y := range grid {
		grid[y] = core.NewTermRow(nil, false)
	}
	grid[1] = termRow()
	return &core.Term{Window: win, Command: "vi", Dir: "/src", Generation: 1 << 41, Cols: 80, Rows: 3,
		Grid: grid, First: 5, Base: 300, BaseCol: 80, Cursor: core.Cursor{X: 1, Y: 2, Visible: true},
		Modes: core.TermAltScreen, Title: "a.go", Cwd: "/src", Bells: 3, Clips: 1,
		Progress: core.Progress{State: core.ProgressBusy},
		Marks:    []core.PromptMark{{Kind: core.MarkEnd, Line: 300, Status: 1}},
		Exit:     core.Exit{Done: true, Code: 1}}
}

func termEntry() TermEntry {
	return TermEntry{Term: trm, Window: win, Title: "a.go", Command: "vi a.go", Dir: "/src", Cwd: "/b",
		Cols: 80, Rows: 24, PID: 4711, Running: true, Code: 1, Signal: "KILL", Reason: "gone",
		Started: 1 << 41}
}

// lateOpSamples has the ops, and fields of ops, that came later, likewise.
func lateOpSamples() []*core.Sealed {
	apart := []core.Span{{Q0: 1, Q1: 2, Text: "a\xff"}, {Q0: 3, Q1: 3, Text: ""}}
	return []*core.Sealed{
		sealed(core.KindMeta,
			core.Of(&core.ProcStart{Proc: core.ProcID(win), Window: win, Term: trm, Command: "sort\xff",
				Dir: "/src", Holder: "h-1", Started: 1 << 41}),
			core.Of(&core.ProcExit{Proc: core.ProcID(win), Code: 2, Signal: "KILL", Reason: "gone",
				Ended: 1 << 41}),
			core.Of(&core.ProcDel{Proc: core.ProcID(win)}),
		),
		sealed(core.KindWindow, core.Of(&core.WindowNew{Tag: buf + 1, Body: buf, Term: trm})),
		termBatch(),
		sealed(core.KindMeta, core.Of(&core.ProcStart{Proc: core.ProcID(win), Window: win,
			Command: "|sort\xff", Dir: "/src", Holder: "h-1", Started: 1 << 41, At: 7, Author: author(),
			Replace: true, Buffer: buf, Version: 4, Q0: 1, Q1: 2})),
		sealed(core.KindBuffer,
			core.Of(&core.DiskChanged{Disk: hash(5)}),
			core.Of(&core.DiskChanged{Missing: true}),
			core.Of(&core.Merged{Version: 6, Disk: hash(4), Bytes: 70000, Apart: apart}),
		),
		sealed(core.KindMeta, core.Of(&core.LeaseTTL{Shard: buf.Shard(), By: 3, TTL: 30_000})),
		sealed(core.KindMeta, core.Of(&core.Imported{Session: core.SessionID(fill(16, 1)),
			History: [16]byte(fill(16, 2)), At: 1 << 41})),
	}
}

// opSamples has each op of core that there was at first, with every field set, in one batch for
// each kind of shard.
func opSamples() []*core.Sealed {
	status := core.Status{Of: 9, Code: core.CodeNotFound, Message: "no\xff"}
	spans := []core.Span{{Q0: 1, Q1: 2, Text: "a\xff"}, {Q0: 3, Q1: 3, Text: ""}}
	return []*core.Sealed{
		sealed(core.KindRegistry,
			core.Of(&core.SessionNew{Session: core.SessionID(fill(16, 1)), Label: "default"}),
			core.Of(&core.SessionRename{Session: core.SessionID(fill(16, 1)), Label: "work"}),
			core.Of(&core.SessionEnd{Session: core.SessionID(fill(16, 1))}),
		),
		sealed(core.KindMeta,
			core.Of(&core.Identity{Session: core.SessionID(fill(16, 1)),
				History: [16]byte(fill(16, 2)), Created: 1 << 41}),
			core.Of(&core.Label{Label: "work"}),
			core.Of(&core.ShardNew{Shard: buf.Shard(), Holder: 3, Epoch: 77}),
			core.Of(&core.ShardDel{Shard: buf.Shard()}),
			core.Of(&core.Attach{ID: 3, Kind: core.AttachTool, Name: "apex text", Actor: "agent:x",
				Secret: hash(9), Since: 1 << 41, Epoch: 77}),
			core.Of(&core.Detach{ID: 3, Reason: "gone"}),
			core.Of(&core.Resume{ID: 3}),
			core.Of(&core.LeaseRequest{Shard: core.LayoutShard, By: 3}),
			core.Of(&core.LeaseRelease{Shard: core.LayoutShard, At: 5}),
			core.Of(&core.LeaseGrant{Shard: core.LayoutShard, To: 3, Epoch: 79, At: 5}),
			core.Of(&core.LeaseReclaim{Shard: core.LayoutShard, To: 0, Epoch: 80, At: 5}),
			core.Of(&core.Place{Dir: "/home/ann"}),
		),
		sealed(core.KindLayout,
			core.Of(&core.Arrange{Top: buf, Columns: []core.Column{{Tag: buf + 1, Weight: 2,
				Slots: []core.Slot{{Window: win, Share: 3, Show: core.ShowCollapsed}}}}}),
			core.Of(&core.Snarf{Text: "cut\xff"}),
			core.Of(&core.Focus{View: win.Body()}),
			core.Of(&core.LayoutExec{View: core.TopView, Command: "Newcol"}),
			core.Of(&core.LayoutStatus{Of: 9, Code: core.CodeNotFound, Message: "no"}),
		),
		sealed(core.KindWindow,
			core.Of(&core.WindowNew{Tag: buf + 1, Body: buf}),
			core.Of(&core.Settings{TabWidth: 4, LineNumbers: true, NoWrap: true, NoIndent: true}),
			core.Of(&core.Flag{Owner: "lint", Live: true, Work: true}),
			core.Of(&core.Exec{Command: "Look x", Buffer: buf, Version: 4, Q0: 1, Q1: 2}),
			core.Of(&status),
			core.Of(&core.WindowDel{}),
		),
		sealed(core.KindBuffer,
			core.Of(&core.BufferNew{Kind: core.BufferFile, Name: "/a\xff", Text: "x", Loading: true}),
			core.Of(&core.Load{Text: "y\xff"}),
			core.Of(&core.Loaded{Hash: hash(3)}),
			core.Edit(4, 10, 12, "new\xff", 5),
			core.Of(&core.Undo{Version: 5, Redo: true, Target: 5, Edits: spans}),
			core.Of(&core.Clean{Version: 6, Disk: hash(4), Bytes: 70000}),
			core.Of(&core.Stale{Disk: hash(5)}),
			core.Of(&core.Rename{Name: "/b"}),
			core.Of(&core.ViewAdd{View: win.Body(), Q0: 1, Q1: 2, Origin: 3}),
			core.Of(&core.ViewDel{View: win.Tag()}),
			core.Select(core.ColumnView(buf), 10, 12),
			core.Origin(win.Body(), 10),
			core.Of(&core.MarkSet{Name: "note", Q0: 1, Q1: 2}),
			core.Of(&core.MarkDel{Name: "note"}),
		),
	}
}

func askSamples() []core.Ask {
	disk := core.DiskState{Hash: hash(6), Bytes: 9}
	named := core.DiskState{Hash: hash(6), Bytes: 9, Name: "/c"}
	apart := named
	apart.Apart = []core.Span{{Q0: 1, Q1: 3, Text: "z\xff"}}
	return []core.Ask{
		&core.AskEdit{Buffer: buf, Base: 4, OnConflict: core.ConflictRebase, Select: win.Body(),
			Edits: []core.Span{{Q0: 1, Q1: 2, Text: "x\xff"}, {Q0: 5, Q1: 5, Text: "y"}}},
		&core.AskSet{Buffer: buf, Base: 4, HasBase: true, Text: "all\xff", Disk: &disk, Force: true},
		&core.AskSet{Buffer: buf, Text: "all"},
		&core.AskUndo{Buffer: buf, Redo: true, All: true},
		&core.AskClean{Buffer: buf, Version: 4, Disk: disk},
		&core.AskStale{Buffer: buf, Disk: hash(8)},
		&core.AskRename{Buffer: buf, Name: "/c"},
		&core.AskSelect{Buffer: buf, View: win.Body(), Q0: 1, Q1: 2, Show: true},
		&core.AskWindow{Body: buf, Name: "+Errors", Kind: core.BufferScratch, Text: "oops",
			Select: core.Span{Q0: 1, Q1: 2}, Reuse: true, Append: true, Focus: true},
		&core.AskShow{Window: win},
		&core.AskDelete{Window: win, Force: true},
		&core.AskExec{Window: win, Command: "Put", Shard: win.Shard()},
		&core.AskStatus{Window: win, Status: core.Status{Of: 3, Code: core.CodeBusy, Message: "no"}},
		&core.AskSet{Buffer: buf, Text: "all", Disk: &named},
		&core.AskClean{Buffer: buf, Version: 4, Disk: named},
		&core.AskStale{Buffer: buf, Disk: hash(8), Name: "/c"},
		&core.AskWindow{Name: "/src/-vi", Kind: core.BufferScratch, Term: trm},
		&core.AskSnarf{Text: "secret\xff"},
		&core.AskExec{Window: win, Command: "make", Shard: win.Shard(), NoWait: true},
		&core.AskSet{Buffer: buf, Base: 4, HasBase: true, Disk: &apart, Force: true,
			Edits: []core.Span{{Q0: 1, Q1: 2, Text: "x\xff"}, {Q0: 5, Q1: 5, Text: "y"}}},
		&core.AskClean{Buffer: buf, Version: 4, Disk: apart},
		&core.AskStale{Buffer: buf, Name: "/c", Seen: true, Missing: true},
	}
}

func proposal(a core.Ask) core.Proposal {
	return core.Proposal{Intent: intent(1), Author: author(), ExpectedEpoch: 77, Ask: a}
}

func timed(p core.Proposal) core.Proposal {
	p.At = 1 << 41
	return p
}

func applied() core.Result {
	return core.Result{Outcome: core.Applied, Shard: buf.Shard(), First: 4, Last: 6, Version: 9,
		Epoch: 77, Window: win, Hash: hash(3), Message: "said\xff"}
}

func peer() Peer {
	return Peer{ID: "a3", Attachment: 3, Kind: core.AttachUI, Name: "apex tui", Actor: "human:ann",
		Since: 1 << 41, TTL: 5000, View: View(win.Body()), Q0: 1, Q1: 2, Leads: true}
}

func sessionInfo() SessionInfo {
	return SessionInfo{Label: "default", Session: core.SessionID(fill(16, 1)), Dir: "/home/ann",
		Created: 1 << 41, Used: 1<<41 + 1, Windows: 2, Clients: 3, Dirty: 1, Trouble: "disk full",
		Unsynced: 4, JournalSize: 1 << 33, Diverged: 1}
}

func windowInfo() WindowInfo {
	return WindowInfo{Window: win, Buffer: buf, Tag: buf + 1, Name: "/a\xff", Label: "a",
		Kind: core.BufferFile, Column: 1, Row: 2, Dirty: true, Stale: true, Focus: true,
		Show: core.ShowHidden, Live: true, Work: true, Owner: "lint"}
}

func origin() Origin {
	return Origin{Source: LocalCommitted, Seq: 300, Version: 9, Committed: 1 << 41, Lag: 3,
		Queued: 1, IsStale: true}
}

// samples has every message of the table at least once.
func samples() []sample {
	out := []sample{
		{"server", FromDaemon, &Server{Min: 1, Max: 1, Build: "v1.2.3", PID: 4711}},
		{"client", FromClient, &Client{Protocol: 1, Build: "v1.2.3"}},
	}
	out = append(out, clientSamples()...)
	out = append(out, daemonSamples()...)
	for i, r := range requestSamples() {
		out = append(out, sample{"", FromClient, &Call{ID: uint64(i) * 99, Request: r}})
	}
	for i, r := range replySamples() {
		out = append(out, sample{"", FromDaemon, &Return{ID: uint64(i) * 99, Reply: r}})
	}
	out = append(out, sample{"error", FromDaemon, &Return{ID: 7, Err: &Error{Code: core.CodeBusy,
		Message: "later\xff", Details: Details{RetryAfter: 20, Version: 3, Epoch: 77, Limit: 1 << 24,
			Matches: []string{"w1.3", "w1.4"}}}}})
	for i := range out {
		if out[i].name == "" {
			out[i].name = nameOf(out[i].message)
		}
	}
	return out
}

func nameOf(m Message) string {
	switch m := m.(type) {
	case *Call:
		return numberOf(m.Request).String()
	case *Return:
		if m.Err != nil {
			return nError.String()
		}
		return numberOf(m.Reply).String()
	}
	return numberOf(m).String()
}

func clientSamples() []sample {
	var out []sample
	add := func(name string, m Message) { out = append(out, sample{name, FromClient, m}) }
	for _, b := range opSamples() {
		add("append "+b.Shard.Kind.String(), &core.Append{New: twoShards(),
			Del: []core.Shard{win.Shard()}, Batches: []*core.Sealed{b}})
	}
	m := mark(12)
	add("", &core.Follow{Shards: []core.FollowShard{{Shard: core.MetaShard},
		{Shard: buf.Shard(), From: &m}}})
	add("", &core.Unfollow{Shards: twoShards()})
	add("", &core.Take{Shards: twoShards()})
	add("", &core.Release{Shards: twoShards()})
	for _, a := range askSamples() {
		add("", &core.Propose{ID: 5, Proposal: proposal(a)})
	}
	add("", &core.Answer{Call: 6, Result: applied(), Follows: true})
	add("answer failed", &core.Answer{Call: 6, Result: core.Result{Err: coreError()}})
	add("", &core.Bye{})
	add("", &core.Diverged{Shard: buf.Shard(), Seq: 12})
	add("", &Here{View: win.Body(), Q0: 1, Q1: 2})
	add("", &Pointer{View: win.Body(), Q0: 1, Q1: 2})
	add("", &core.Take{Shards: twoShards(), TTL: 30_000})
	add("", &core.Renew{})
	return out
}

func daemonSamples() []sample {
	var out []sample
	for _, m := range []Message{
		&core.Deliver{Batches: opSamples()},
		&core.CaughtUp{Shard: buf.Shard(), Mark: mark(12)},
		&core.Ack{Heads: []core.Head{{Shard: core.LayoutShard, Mark: mark(9)},
			{Shard: buf.Shard(), Mark: mark(12)}}},
		&core.Refused{Shards: twoShards(), Err: coreError()},
		&core.Asked{Shards: twoShards()},
		&core.Evaluate{Call: 6, Proposal: proposal(&core.AskShow{Window: win})},
		&core.ProposeResult{ID: 5, Result: applied()},
		&core.Resync{Shards: twoShards()},
		&core.Check{Shard: buf.Shard(), Seq: 12, Hash: hash(2)},
		&core.Draining{},
		&core.Failure{Err: coreError()},
		&SnapshotChunk{Shard: buf.Shard(), Index: 2, Last: true, Bytes: fill(40, 1)},
		&Presence{Peers: []Peer{peer(), {ID: "agent:x", Kind: core.AttachTool}}},
		&Pointer{From: 3, View: win.Body(), Q0: 1, Q1: 2},
		&core.Deliver{Batches: lateOpSamples()[:2]},
		&core.Deliver{Batches: lateOpSamples()[2:3]},
		&core.Deliver{Batches: lateOpSamples()[3:4]},
		&core.Deliver{Batches: lateOpSamples()[4:5]},
		&core.Deliver{Batches: lateOpSamples()[5:6]},
		&core.NotTaken{Shards: twoShards(), Err: coreError()},
		&core.ProposeResult{ID: 5, Result: core.Result{Err: core.Busy(20, "later")}},
		&core.Evaluate{Call: 6, Proposal: timed(proposal(&core.AskShow{Window: win}))},
		&core.Deliver{Batches: lateOpSamples()[6:]},
	} {
		out = append(out, sample{"", FromDaemon, m})
	}
	return out
}

func requestSamples() []Request {
	return []Request{
		&Attach{Session: "default", Create: true, Dir: "/home/ann", Hello: core.Hello{
			Kind: core.AttachUI, Name: "apex tui", Actor: "human:ann", Seen: 77,
			Resume: &core.Credential{ID: 3, Secret: [32]byte(fill(32, 0xa0))}}},
		&Attach{Session: "default", Hello: core.Hello{Kind: core.AttachTool}},
		&SessionList{},
		&SessionNew{Label: "work", Dir: "/src"},
		&SessionRename{Old: "work", New: "play"},
		&SessionEnd{Session: "play", Force: true},
		&Open{Session: "default", Files: []File{{Path: "/a\xff", Addr: "/re/"}, {Path: "/b"}},
			Focus: true, Author: Author{Actor: "agent:x"}},
		&Open{HasText: true, Text: []byte("in\xff"), Name: "stdin"},
		&Windows{Session: "default"},
		&Resolve{Session: "default", Win: "w1.3"},
		&Read{Session: "default", Win: "w1.3", Addr: "1,$", Q0: 1, Q1: 2, Max: 100, Pinned: true,
			Version: 4, Tag: true},
		&Info{Session: "default", Win: "w1.3"},
		&ProposeIn{Session: "default", Win: "a.go", Proposal: proposal(&core.AskUndo{Buffer: buf})},
		&Exec{Session: "default", Win: "w1.3", Command: "Put", Intent: intent(2),
			Author: Author{Actor: "agent:x"}},
		&Peek{Session: "default", Views: []View{View(win.Body()), View(core.TopView)}, Lines: 60},
		&Who{Session: "default"},
		&Status{},
		&Stop{},
		&Log{Session: "default", Shard: Shard(buf.Shard()), From: 3, Max: 10},
		&Ping{},
		&Stop{Force: true},
		&TermNew{Session: "default", Dir: "/src", Argv: []string{"vi", "a\xff"}, Cols: 80, Rows: 24,
			Focus: true, Author: Author{Actor: "agent:x"}},
		&TermList{Session: "default"},
		&TermInfo{Session: "default", Term: "t0.7"},
		&TermInput{Session: "default", Term: "t0.7", Kind: InputText, Text: []byte("secret\xff"),
			Enter: true, Names: []string{"C-c"}, Keys: []Key{{Code: 1, Rune: 'a', Text: "a", Mods: 4,
				Event: 1, Shifted: 'A', Base: 'q'}}, Mouse: Mouse{Button: 1, Action: 2, X: 3, Y: 4, PX: 30,
				PY: 60, Mods: 1}, In: true, Lines: 3},
		&TermRead{Session: "default", Term: "t0.7", From: 5, To: 9, Tail: 2, Runs: true},
		&TermScreen{Session: "default", Term: "t0.7"},
		&TermWait{Session: "default", Term: "t0.7", Kind: WaitMatch, Pattern: "a+", Quiet: 500,
			Timeout: 1000, From: 5, HasFrom: true},
		&TermRun{Session: "default", Term: "t0.7", Command: "make", Timeout: 1000},
		&TermResize{Session: "default", Term: "t0.7", Cols: 80, Rows: 24},
		&TermClear{Session: "default", Term: "t0.7"},
		&TermKill{Session: "default", Term: "t0.7", Signal: "INT"},
		&TermFind{Session: "default", Term: "t0.7", Pattern: "a+", From: 5, Column: 1, Backwards: true,
			End: true},
		&Ps{Session: "default", All: true},
		&Kill{Session: "default", IDs: []string{"p0.8", "t0.7"}, Signal: "TERM"},
		&EnvGet{Session: "default"},
		&EnvSet{Session: "default", Mode: EnvReplace, Vars: []EnvVar{{Name: "A", Value: "secret"},
			{Name: "B", Unset: true}}},
		&Upgrade{Exe: "/bin/apex"},
		&TermColours{Session: "default", Fg: RGB(1, 2, 3), Bg: RGB(0, 0, 0), Cursor: RGB(255, 0, 9)},
		&Exec{Session: "default", Win: "w1.3", Command: "make", NoWait: true},
		&Attach{Session: "other", Hello: core.Hello{Kind: core.AttachUI}, ID: core.SessionID{1, 15: 2}},
		&Open{Files: []File{{Path: "/c"}}, Dir: "/src"},
		&Open{Files: []File{{Path: "/d"}}, Unkept: true},
		&EnvSet{Session: "default", Mode: EnvReplace, Peer: true},
		&Exists{Path: "/a\xff"},
		&LeaseList{Session: "default", All: true},
		&LeaseRelease{Session: "default", Win: "b3.11", Epoch: 77},
		&Fsck{Session: "default", Ended: true, Shard: Shard(buf.Shard())},
		&EndedList{},
		&SessionRestore{Session: "default", As: "again"},
		&Export{Session: "default", Transfer: 3},
		&Import{Transfer: 3, Label: "again", Bytes: []byte("secret\xff"), Last: true},
	}
}

func replySamples() []Reply {
	w := windowInfo()
	return []Reply{
		&Done{},
		&Attached{Label: "default", Now: 1 << 41, Welcome: core.Welcome{Attachment: 3,
			Secret: [32]byte(fill(32, 0xa0)), Session: core.SessionID(fill(16, 1)), Next: 12, Epoch: 77,
			Resumed: true, Heads: []core.Head{{Shard: core.MetaShard, Mark: mark(9)}}}},
		&Sessions{Sessions: []SessionInfo{sessionInfo(), {Label: "b"}}},
		&Opened{Places: []Place{{Window: win, Path: "/a\xff", Buffer: buf},
			{Path: "/b", Code: core.CodeNotFound, Message: "no such file"}}},
		&WindowList{Windows: []WindowInfo{w, {Window: win + 1}}},
		&Text{Window: win, Buffer: buf, Q0: 1, Q1: 4, End: 9, More: true, Bytes: []byte("ab\xff"),
			Origin: origin()},
		&TextInfo{Window: w, Origin: origin(), Runes: 9, Bytes: 10, Lines: 2, Q0: 1, Q1: 2,
			Hash: hash(1), OnDisk: true, Disk: hash(2), Unsynced: 3, Leader: 3, Epoch: 77, Clean: 8},
		&Outcome{Result: applied()},
		&Peeked{Views: []Lines{{View: View(win.Body()), Buffer: buf, Name: "/a", Version: 9, Q0: 5,
			Line: 2, Bytes: []byte("l\n"), Origin: 6, Dot0: 7, Dot1: 8, Runes: 90, Count: 10,
			Dirty: true}}},
		&Roster{Peers: []Peer{peer()}},
		&DaemonStatus{Build: "v1.2.3", Protocol: 1, PID: 4711, Socket: "/run/s", State: "/state",
			LogFile: "/log", Started: 1 << 41, Now: 1<<41 + 5, Clients: 2, Refused: 1, Draining: true,
			Memory: 1 << 33, Sessions: []SessionInfo{sessionInfo()}},
		&Logged{Batches: []Stored{{Batch: opSamples()[0], At: 1 << 41}}, Before: mark(299), Last: 301,
			Gap: true, More: true},
		&w,
		&Done{Message: "it had ended"},
		&TermMade{Window: win, Term: trm},
		&Terms{Terms: []TermEntry{termEntry(), {Term: trm + 1}}},
		&TermDetail{Entry: termEntry(), Modes: core.TermAltScreen, First: 5, Base: 300, End: 324,
			Bells:    3,
			Marks:    []TermMark{{Kind: core.MarkEnd, Line: 300, Col: 2, HasStatus: true, Status: 1}},
			Progress: TermProgress{State: core.ProgressSet, Percent: 40}},
		&TermText{Term: trm, From: 5, Next: 7, First: 5, End: 324, More: true,
			Lines: []TermLine{{Text: "ab"}, {Runs: termRow().Runs}}},
		&TermGrid{Term: trm, State: termState()},
		&TermMet{Met: true, Line: 300, Column: 2, HasStatus: true, Status: 1, Ended: true, Signal: "KILL",
			Text: "secret"},
		&TermOutput{Output: []byte("secret\xff"), Cut: 3, HasStatus: true, Status: 1, TimedOut: true,
			Ended: true, Signal: "KILL"},
		&TermFound{Found: true, Line: 300, Column: 2, Cells: 4},
		&Procs{Procs: []ProcInfo{{Session: "default", Proc: core.ProcID(win), PID: 4711, Window: win,
			Term: trm, Command: "sort", Dir: "/src", State: ProcEnded, Started: 1 << 41, Code: 1,
			Signal: "KILL", Reason: "gone", Parent: core.ProcID(win) + 1}}},
		&EnvList{Vars: []EnvVar{{Name: "A", Value: "secret"}}},
		&WindowInfo{Window: win, Term: trm},
		&Attached{Label: "d", Welcome: core.Welcome{Attachment: 1, Unkept: true}},
		&Sessions{Sessions: []SessionInfo{{Label: "c", Unkept: true}}},
		&Leases{Leases: []LeaseInfo{{Shard: Shard(buf.Shard()), Text: "/a\xff", Holder: 3,
			Kind: core.AttachTool, Actor: "agent:x", Name: "apex lease", Epoch: 77, TTL: 30_000, Left: 20_000,
			Waiting: 1}, {Shard: Shard(core.LayoutShard)}}},
		&Checked{Sessions: []SessionCheck{{Label: "default", ID: "01", Ended: true, Generations: 2,
			Bytes: 1 << 33, Records: 3, Snapshots: 4, Compared: 5, Live: true,
			Findings: []Finding{{File: "a.journal", Offset: 1 << 33, Length: 2, Shard: "meta", What: "bad"}},
			Notes:    []string{"note"},
			Log:      &ShardLog{From: 1, To: 9, Batches: 3, Proofs: 2, Chain: hash(4)}}}},
		&EndedSessions{Sessions: []EndedSession{{Label: "default", ID: "01", At: 1 << 41, Until: 1 << 42,
			Bytes: 1 << 33}}},
		&Piece{Transfer: 3, Bytes: []byte("secret\xff"), Last: true},
		&Sessions{Sessions: []SessionInfo{{Label: "b", Bytes: 1 << 33}}},
		&TextInfo{Window: w, UndoBytes: 1 << 20, UndoSteps: 300, UndoDropped: true},
		&DaemonStatus{Diverged: 2},
		&Attached{Label: "e", Welcome: core.Welcome{Attachment: 1}},
	}
}

// frameOf returns a message's whole frame.
func frameOf(t testing.TB, m Message) []byte {
	t.Helper()
	f, err := Append(nil, m)
	if err != nil {
		t.Fatalf("%T: %v", m, err)
	}
	return f
}

// decodeAny decodes a frame's item, the two first ones too.
func decodeAny(m Message, from Side, item []byte) (Message, error) {
	switch m.(type) {
	case *Server:
		return DecodeServer(item)
	case *Client:
		return DecodeClient(item)
	}
	return Decode(from, item)
}
