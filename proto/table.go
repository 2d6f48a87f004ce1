package proto

import (
	"fmt"

	"apex/core"
)

// Number is the first field of every frame after the two first ones. Numbers are appended, never
// reused: a number that is retired stays in the table's gaps.
type Number uint64

// Side is who sends a message.
type Side uint8

// The sides.
const (
	FromClient Side = 1 << iota
	FromDaemon
	fromBoth = FromClient | FromDaemon
)

func (s Side) String() string {
	switch s {
	case FromClient:
		return "client"
	case FromDaemon:
		return "daemon"
	}
	return "both"
}

// Channel is what a message promises.
type Channel uint8

// The channels.
const (
	// Durable messages carry entries: numbered, acknowledged, replayable.
	Durable Channel = iota + 1
	// State messages carry what only the newest of counts, numbered so that a hole shows.
	State
	// Ephemeral messages have no number and are dropped under pressure.
	Ephemeral
	// Control messages run the connection: never dropped in silence.
	Control
	// Calls are requests and their replies: each request has exactly one.
	Calls
)

var channelNames = [...]string{"invalid", "durable", "state", "ephemeral", "control", "calls"}

func (c Channel) String() string {
	if int(c) < len(channelNames) {
		return channelNames[c]
	}
	return channelNames[0]
}

// Numbered reports whether what travels on the channel has a sequence number. It is the one
// predicate behind "logged", "replayable" and "resumable".
func (c Channel) Numbered() bool { return c == Durable || c == State }

// admit refuses a message whose sequence number doesn't fit its channel: one that is durable
// without a number, or ephemeral with one. seq is 0 where there is none.
func (k *Kind) admit(seq core.Seq) error {
	if k.Channel.Numbered() == (seq != 0) {
		return nil
	}
	if seq == 0 {
		return core.Errorf(core.CodeBadRequest, "%s is %v and has no number", k.Name, k.Channel)
	}
	return core.Errorf(core.CodeBadRequest, "%s is %v and has number %d", k.Name, k.Channel, seq)
}

// carries refuses a batch of a shard whose entries promise something else than the channel.
func (k *Kind) carries(s core.Shard) error {
	if s.Kind.Journaled() == (k.Channel == Durable) {
		return nil
	}
	return core.Errorf(core.CodeBadRequest, "%s is %v and has entries of %v", k.Name, k.Channel, s)
}

// The numbers. Those of the busiest messages fit one byte.
const (
	nAppend   Number = 1
	nFollow   Number = 2
	nUnfollow Number = 3
	nTake     Number = 4
	nRelease  Number = 5
	nPropose  Number = 6
	nAnswer   Number = 7
	nBye      Number = 8
	nHere     Number = 9

	nDeliver  Number = 10
	nCaughtUp Number = 11
	nAck      Number = 12
	nRefused  Number = 13
	nAsked    Number = 14
	nEvaluate Number = 15
	nResult   Number = 16
	nResync   Number = 17
	nCheck    Number = 18
	nDraining Number = 19
	nFailure  Number = 20 // frozen: a client of any version must be able to read it
	nSnapshot Number = 21
	nPresence Number = 22
	nPointer  Number = 23
	nShow     Number = 24
	nRenew    Number = 25
	nNotTaken Number = 26
	nDiverged Number = 27

	nAttach        Number = 32
	nSessionList   Number = 33
	nSessionNew    Number = 34
	nSessionRename Number = 35
	nSessionEnd    Number = 36
	nOpen          Number = 37
	nWindows       Number = 38
	nResolve       Number = 39
	nRead          Number = 40
	nInfo          Number = 41
	nProposeIn     Number = 42
	nExec          Number = 43
	nPeek          Number = 44
	nWho           Number = 45
	nStatus        Number = 46
	nStop          Number = 47
	nLog           Number = 48
	nPing          Number = 49

	nTermNew    Number = 50
	nTermList   Number = 51
	nTermInfo   Number = 52
	nTermInput  Number = 53
	nTermRead   Number = 54
	nTermScreen Number = 55
	nTermWait   Number = 56
	nTermRun    Number = 57
	nTermResize Number = 58
	nTermClear  Number = 59
	nTermKill   Number = 60
	nTermFind   Number = 61
	nPs         Number = 62
	nKill       Number = 63
	nEnvGet     Number = 64
	nEnvSet     Number = 65
	nUpgrade    Number = 66

	nTermColours Number = 67

	nFsck           Number = 70
	nEndedList      Number = 72
	nSessionRestore Number = 73
	nExport         Number = 74
	nImport         Number = 75

	nLeaseList    Number = 76
	nLeaseRelease Number = 77

	nExists Number = 82

	nError     Number = 96
	nDone      Number = 97
	nAttached  Number = 98
	nSessions  Number = 99
	nOpened    Number = 100
	nWinList   Number = 101
	nText      Number = 102
	nTextInfo  Number = 103
	nOutcome   Number = 104
	nPeeked    Number = 105
	nRoster    Number = 106
	nDaemon    Number = 107
	nLogged    Number = 108
	nWinSingle Number = 109

	nTermMade   Number = 110
	nTerms      Number = 111
	nTermDetail Number = 112
	nTermText   Number = 113
	nTermGrid   Number = 114
	nTermMet    Number = 115
	nTermOutput Number = 116
	nTermFound  Number = 117
	nProcs      Number = 118
	nEnvList    Number = 119

	nChecked       Number = 122
	nEndedSessions Number = 123
	nPiece         Number = 124

	nLeases Number = 128
)

// Kind is one row of the table of messages.
type Kind struct {
	Number  Number
	Name    string
	From    Side
	Channel Channel
	make    func() any
}

// Kinds returns the table of all numbered messages, ordered by number. The caller does not change
// it.
func Kinds() []Kind { return kinds }

var kinds = []Kind{
	{nAppend, "append", FromClient, Durable, func() any { return new(core.Append) }},
	{nFollow, "follow", FromClient, Control, func() any { return new(core.Follow) }},
	{nUnfollow, "unfollow", FromClient, Control, func() any { return new(core.Unfollow) }},
	{nTake, "take", FromClient, Control, func() any { return new(core.Take) }},
	{nRelease, "release", FromClient, Control, func() any { return new(core.Release) }},
	{nPropose, "propose", FromClient, Control, func() any { return new(core.Propose) }},
	{nAnswer, "answer", FromClient, Control, func() any { return new(core.Answer) }},
	{nBye, "bye", FromClient, Control, func() any { return new(core.Bye) }},
	{nHere, "here", FromClient, Ephemeral, func() any { return new(Here) }},

	{nDeliver, "deliver", FromDaemon, Durable, func() any { return new(core.Deliver) }},
	{nCaughtUp, "caught-up", FromDaemon, Control, func() any { return new(core.CaughtUp) }},
	{nAck, "ack", FromDaemon, Control, func() any { return new(core.Ack) }},
	{nRefused, "refused", FromDaemon, Control, func() any { return new(core.Refused) }},
	{nAsked, "asked", FromDaemon, Control, func() any { return new(core.Asked) }},
	{nEvaluate, "evaluate", FromDaemon, Control, func() any { return new(core.Evaluate) }},
	{nResult, "propose-result", FromDaemon, Control, func() any { return new(core.ProposeResult) }},
	{nResync, "resync", FromDaemon, Control, func() any { return new(core.Resync) }},
	{nCheck, "check", FromDaemon, Control, func() any { return new(core.Check) }},
	{nDraining, "draining", FromDaemon, Control, func() any { return new(core.Draining) }},
	{nFailure, "failure", FromDaemon, Control, func() any { return new(core.Failure) }},
	{nSnapshot, "snapshot-chunk", FromDaemon, Control, func() any { return new(SnapshotChunk) }},
	{nPresence, "presence", FromDaemon, Ephemeral, func() any { return new(Presence) }},
	{nPointer, "pointer", fromBoth, Ephemeral, func() any { return new(Pointer) }},
	{nShow, "show", FromDaemon, State, func() any { return new(core.Deliver) }}, // of terminals
	{nRenew, "renew", FromClient, Control, func() any { return new(core.Renew) }},
	{nNotTaken, "not-taken", FromDaemon, Control, func() any { return new(core.NotTaken) }},
	{nDiverged, "diverged", FromClient, Control, func() any { return new(core.Diverged) }},

	{nAttach, "attach", FromClient, Calls, func() any { return new(Attach) }},
	{nSessionList, "session-list", FromClient, Calls, func() any { return new(SessionList) }},
	{nSessionNew, "session-new", FromClient, Calls, func() any { return new(SessionNew) }},
	{nSessionRename, "session-rename", FromClient, Calls, func() any { return new(SessionRename) }},
	{nSessionEnd, "session-end", FromClient, Calls, func() any { return new(SessionEnd) }},
	{nOpen, "open", FromClient, Calls, func() any { return new(Open) }},
	{nWindows, "windows", FromClient, Calls, func() any { return new(Windows) }},
	{nResolve, "resolve", FromClient, Calls, func() any { return new(Resolve) }},
	{nRead, "read", FromClient, Calls, func() any { return new(Read) }},
	{nInfo, "info", FromClient, Calls, func() any { return new(Info) }},
	{nProposeIn, "propose-in", FromClient, Calls, func() any { return new(ProposeIn) }},
	{nExec, "exec", FromClient, Calls, func() any { return new(Exec) }},
	{nPeek, "peek", FromClient, Calls, func() any { return new(Peek) }},
	{nWho, "who", FromClient, Calls, func() any { return new(Who) }},
	{nStatus, "status", FromClient, Calls, func() any { return new(Status) }},
	{nStop, "stop", FromClient, Calls, func() any { return new(Stop) }},
	{nLog, "log", FromClient, Calls, func() any { return new(Log) }},
	{nPing, "ping", FromClient, Calls, func() any { return new(Ping) }},

	{nTermNew, "term-new", FromClient, Calls, func() any { return new(TermNew) }},
	{nTermList, "term-list", FromClient, Calls, func() any { return new(TermList) }},
	{nTermInfo, "term-info", FromClient, Calls, func() any { return new(TermInfo) }},
	{nTermInput, "term-input", FromClient, Calls, func() any { return new(TermInput) }},
	{nTermRead, "term-read", FromClient, Calls, func() any { return new(TermRead) }},
	{nTermScreen, "term-screen", FromClient, Calls, func() any { return new(TermScreen) }},
	{nTermWait, "term-wait", FromClient, Calls, func() any { return new(TermWait) }},
	{nTermRun, "term-run", FromClient, Calls, func() any { return new(TermRun) }},
	{nTermResize, "term-resize", FromClient, Calls, func() any { return new(TermResize) }},
	{nTermClear, "term-clear", FromClient, Calls, func() any { return new(TermClear) }},
	{nTermKill, "term-kill", FromClient, Calls, func() any { return new(TermKill) }},
	{nTermFind, "term-find", FromClient, Calls, func() any { return new(TermFind) }},
	{nPs, "ps", FromClient, Calls, func() any { return new(Ps) }},
	{nKill, "kill", FromClient, Calls, func() any { return new(Kill) }},
	{nEnvGet, "env-get", FromClient, Calls, func() any { return new(EnvGet) }},
	{nEnvSet, "env-set", FromClient, Calls, func() any { return new(EnvSet) }},
	{nUpgrade, "upgrade", FromClient, Calls, func() any { return new(Upgrade) }},
	{nTermColours, "term-colours", FromClient, Calls, func() any { return new(TermColours) }},
	{nFsck, "fsck", FromClient, Calls, func() any { return new(Fsck) }},
	{nEndedList, "ended-list", FromClient, Calls, func() any { return new(EndedList) }},
	{nSessionRestore, "session-restore", FromClient, Calls, func() any { return new(SessionRestore) }},
	{nExport, "export", FromClient, Calls, func() any { return new(Export) }},
	{nImport, "import", FromClient, Calls, func() any { return new(Import) }},
	{nLeaseList, "lease-list", FromClient, Calls, func() any { return new(LeaseList) }},
	{nLeaseRelease, "lease-release", FromClient, Calls, func() any { return new(LeaseRelease) }},
	{nExists, "exists", FromClient, Calls, func() any { return new(Exists) }},

	{nError, "error", FromDaemon, Calls, func() any { return new(Error) }},
	{nDone, "done", FromDaemon, Calls, func() any { return new(Done) }},
	{nAttached, "attached", FromDaemon, Calls, func() any { return new(Attached) }},
	{nSessions, "sessions", FromDaemon, Calls, func() any { return new(Sessions) }},
	{nOpened, "opened", FromDaemon, Calls, func() any { return new(Opened) }},
	{nWinList, "window-list", FromDaemon, Calls, func() any { return new(WindowList) }},
	{nText, "text", FromDaemon, Calls, func() any { return new(Text) }},
	{nTextInfo, "text-info", FromDaemon, Calls, func() any { return new(TextInfo) }},
	{nOutcome, "outcome", FromDaemon, Calls, func() any { return new(Outcome) }},
	{nPeeked, "peeked", FromDaemon, Calls, func() any { return new(Peeked) }},
	{nRoster, "roster", FromDaemon, Calls, func() any { return new(Roster) }},
	{nDaemon, "daemon-status", FromDaemon, Calls, func() any { return new(DaemonStatus) }},
	{nLogged, "logged", FromDaemon, Calls, func() any { return new(Logged) }},
	{nWinSingle, "window-info", FromDaemon, Calls, func() any { return new(WindowInfo) }},

	{nTermMade, "term-made", FromDaemon, Calls, func() any { return new(TermMade) }},
	{nTerms, "terms", FromDaemon, Calls, func() any { return new(Terms) }},
	{nTermDetail, "term-detail", FromDaemon, Calls, func() any { return new(TermDetail) }},
	{nTermText, "term-text", FromDaemon, Calls, func() any { return new(TermText) }},
	{nTermGrid, "term-grid", FromDaemon, Calls, func() any { return new(TermGrid) }},
	{nTermMet, "term-met", FromDaemon, Calls, func() any { return new(TermMet) }},
	{nTermOutput, "term-output", FromDaemon, Calls, func() any { return new(TermOutput) }},
	{nTermFound, "term-found", FromDaemon, Calls, func() any { return new(TermFound) }},
	{nProcs, "procs", FromDaemon, Calls, func() any { return new(Procs) }},
	{nEnvList, "env-list", FromDaemon, Calls, func() any { return new(EnvList) }},

	{nChecked, "checked", FromDaemon, Calls, func() any { return new(Checked) }},
	{nEndedSessions, "ended-sessions", FromDaemon, Calls, func() any { return new(EndedSessions) }},
	{nPiece, "piece", FromDaemon, Calls, func() any { return new(Piece) }},
	{nLeases, "leases", FromDaemon, Calls, func() any { return new(Leases) }},
}

// maxNumber bounds the index below.
const maxNumber = 255

var byNumber = func() (t [maxNumber + 1]*Kind) {
	for i := range kinds {
		t[kinds[i].Number] = &kinds[i]
	}
	return t
}()

// Lookup returns the row of a number, or nil.
func Lookup(n Number) *Kind {
	if n > maxNumber {
		return nil
	}
	return byNumber[n]
}

func (n Number) String() string {
	if k := Lookup(n); k != nil {
		return k.Name
	}
	return fmt.Sprintf("message(%d)", uint64(n))
}
