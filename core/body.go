package core

// newBody returns an empty body for a kind, or nil for a kind that this version does not know.
func newBody(k OpKind) Body {
	if make, ok := bodies[k]; ok {
		return make()
	}
	return nil
}

// bodies makes an empty body of every op that has one. It is only read.
var bodies = map[OpKind]func() Body{
	OpSessionNew:    func() Body { return new(SessionNew) },
	OpSessionRename: func() Body { return new(SessionRename) },
	OpSessionEnd:    func() Body { return new(SessionEnd) },

	OpIdentity:     func() Body { return new(Identity) },
	OpLabel:        func() Body { return new(Label) },
	OpPlace:        func() Body { return new(Place) },
	OpShardNew:     func() Body { return new(ShardNew) },
	OpShardDel:     func() Body { return new(ShardDel) },
	OpAttach:       func() Body { return new(Attach) },
	OpDetach:       func() Body { return new(Detach) },
	OpResume:       func() Body { return new(Resume) },
	OpLeaseRequest: func() Body { return new(LeaseRequest) },
	OpLeaseRelease: func() Body { return new(LeaseRelease) },
	OpLeaseGrant:   func() Body { return new(LeaseGrant) },
	OpLeaseReclaim: func() Body { return new(LeaseReclaim) },
	OpProcStart:    func() Body { return new(ProcStart) },
	OpProcExit:     func() Body { return new(ProcExit) },
	OpProcDel:      func() Body { return new(ProcDel) },
	OpImported:     func() Body { return new(Imported) },
	OpLeaseTTL:     func() Body { return new(LeaseTTL) },

	OpArrange:      func() Body { return new(Arrange) },
	OpSnarf:        func() Body { return new(Snarf) },
	OpFocus:        func() Body { return new(Focus) },
	OpLayoutExec:   func() Body { return new(LayoutExec) },
	OpLayoutStatus: func() Body { return new(LayoutStatus) },

	OpWindowNew: func() Body { return new(WindowNew) },
	OpSettings:  func() Body { return new(Settings) },
	OpFlag:      func() Body { return new(Flag) },
	OpExec:      func() Body { return new(Exec) },
	OpStatus:    func() Body { return new(Status) },
	OpWindowDel: func() Body { return new(WindowDel) },

	OpBufferNew: func() Body { return new(BufferNew) },
	OpLoad:      func() Body { return new(Load) },
	OpLoaded:    func() Body { return new(Loaded) },
	OpUndo:      func() Body { return new(Undo) },
	OpClean:     func() Body { return new(Clean) },
	OpStale:     func() Body { return new(Stale) },
	OpRename:    func() Body { return new(Rename) },
	OpViewAdd:   func() Body { return new(ViewAdd) },
	OpViewDel:   func() Body { return new(ViewDel) },
	OpMarkSet:   func() Body { return new(MarkSet) },
	OpMarkDel:   func() Body { return new(MarkDel) },

	OpDiskChanged: func() Body { return new(DiskChanged) },
	OpMerged:      func() Body { return new(Merged) },

	OpTermNew:      func() Body { return new(TermNew) },
	OpTermRows:     func() Body { return new(TermRows) },
	OpTermCursor:   func() Body { return new(TermCursor) },
	OpTermModes:    func() Body { return new(TermModes) },
	OpTermResize:   func() Body { return new(TermResize) },
	OpTermTitle:    func() Body { return new(TermTitle) },
	OpTermCwd:      func() Body { return new(TermCwd) },
	OpTermMarks:    func() Body { return new(TermMarks) },
	OpTermProgress: func() Body { return new(TermProgress) },
	OpTermBell:     func() Body { return new(TermBell) },
	OpTermHistory:  func() Body { return new(TermHistory) },
	OpTermExit:     func() Body { return new(TermExit) },
	OpTermClip:     func() Body { return new(TermClip) },
}
