package entry

import "apex/core"

// forms has every op. Names and fields are a contract: they are only ever added to.
var forms = map[core.OpKind]form{
	core.OpSessionNew: of("session_new", func(o *core.SessionNew) any {
		return sessionFields{o.Session.String(), o.Label}
	}),
	core.OpSessionRename: of("session_rename", func(o *core.SessionRename) any {
		return sessionFields{o.Session.String(), o.Label}
	}),
	core.OpSessionEnd: of("session_end", func(o *core.SessionEnd) any {
		return sessionFields{Session: o.Session.String()}
	}),

	core.OpIdentity: of("identity", identity),
	core.OpLabel:    of("label", func(o *core.Label) any { return labelFields{o.Label} }),
	core.OpPlace:    of("place", func(o *core.Place) any { return placeFields{o.Dir} }),
	core.OpShardNew: of("shard_new", func(o *core.ShardNew) any {
		return shardNewFields{o.Shard.String(), Attachment(o.Holder), uint64(o.Epoch)}
	}),
	core.OpShardDel: of("shard_del", func(o *core.ShardDel) any {
		return shardFields{o.Shard.String()}
	}),
	core.OpAttach: of("attach", attach),
	core.OpDetach: of("detach", func(o *core.Detach) any {
		return detachFields{Attachment(o.ID), o.Reason}
	}),
	core.OpResume: of("resume", func(o *core.Resume) any { return resumeFields{Attachment(o.ID)} }),
	core.OpLeaseRequest: of("lease_request", func(o *core.LeaseRequest) any {
		return leaseRequestFields{o.Shard.String(), Attachment(o.By)}
	}),
	core.OpLeaseRelease: of("lease_release", func(o *core.LeaseRelease) any {
		return leaseReleaseFields{o.Shard.String(), uint64(o.At)}
	}),
	core.OpLeaseGrant:   of("lease_grant", func(o *core.LeaseGrant) any { return grant(*o) }),
	core.OpLeaseReclaim: of("lease_reclaim", func(o *core.LeaseReclaim) any { return grant(*o) }),
	core.OpLeaseTTL: of("lease_ttl", func(o *core.LeaseTTL) any {
		return leaseTTLFields{o.Shard.String(), Attachment(o.By), uint64(o.TTL)}
	}),
	core.OpProcStart: of("proc_start", procStart),
	core.OpProcExit:  of("proc_exit", procExit),
	core.OpProcDel: of("proc_del", func(o *core.ProcDel) any {
		return procFields{o.Proc.String()}
	}),
	core.OpImported: of("imported", imported),

	core.OpArrange: of("arrange", arrange),
	core.OpSnarf:   of("snarf", func(o *core.Snarf) any { return TextOf(o.Text) }),
	core.OpFocus:   of("focus", func(o *core.Focus) any { return viewFields{View(o.View)} }),
	core.OpLayoutExec: of("layout_exec", func(o *core.LayoutExec) any {
		return layoutExecFields{View(o.View), o.Command}
	}),
	core.OpLayoutStatus: of("layout_status", func(o *core.LayoutStatus) any {
		return statusFields{uint64(o.Of), string(o.Code), o.Message}
	}),

	core.OpWindowNew: of("window_new", func(o *core.WindowNew) any {
		return windowNewFields{o.Tag.String(), o.Body.String(), TermID(o.Term)}
	}),
	core.OpSettings: of("settings", func(o *core.Settings) any { return settingsFields(*o) }),
	core.OpFlag:     of("flag", func(o *core.Flag) any { return flagFields(*o) }),
	core.OpExec:     of("exec", exec),
	core.OpStatus: of("status", func(o *core.Status) any {
		return statusFields{uint64(o.Of), string(o.Code), o.Message}
	}),
	core.OpWindowDel: bare("window_del"),

	core.OpBufferNew: of("buffer_new", bufferNew),
	core.OpLoad:      of("load", func(o *core.Load) any { return TextOf(o.Text) }),
	core.OpLoaded: of("loaded", func(o *core.Loaded) any {
		return loadedFields{o.Hash.String()}
	}),
	core.OpEdit: {"edit", edit},
	core.OpUndo: of("undo", undo),
	core.OpClean: of("clean", func(o *core.Clean) any {
		return cleanFields{uint64(o.Version), o.Disk.String(), o.Bytes}
	}),
	core.OpStale:  of("stale", func(o *core.Stale) any { return staleFields{o.Disk.String()} }),
	core.OpRename: of("rename", func(o *core.Rename) any { return nameFields{o.Name} }),
	core.OpViewAdd: of("view_add", func(o *core.ViewAdd) any {
		return viewAddFields{View(o.View), o.Q0, o.Q1, o.Origin}
	}),
	core.OpViewDel: of("view_del", func(o *core.ViewDel) any { return viewFields{View(o.View)} }),
	core.OpSelect: {"select", func(o *core.Op) any {
		return selectFields{View(o.View), o.Q0, o.Q1}
	}},
	core.OpOrigin: {"origin", func(o *core.Op) any { return originFields{View(o.View), o.Q0} }},
	core.OpMarkSet: of("mark_set", func(o *core.MarkSet) any {
		return markFields{o.Name, o.Q0, o.Q1}
	}),
	core.OpMarkDel: of("mark_del", func(o *core.MarkDel) any { return nameFields{o.Name} }),

	core.OpDiskChanged: of("disk_changed", func(o *core.DiskChanged) any {
		if o.Missing {
			return diskChangedFields{Missing: true}
		}
		disk := o.Disk.String()
		return diskChangedFields{&disk, false}
	}),
	core.OpMerged: of("merged", func(o *core.Merged) any {
		return mergedFields{uint64(o.Version), o.Disk.String(), o.Bytes, spansOf(o.Apart)}
	}),

	core.OpTermNew:  of("term_new", termNew),
	core.OpTermRows: of("term_rows", termRows),
	core.OpTermCursor: of("term_cursor", func(o *core.TermCursor) any {
		return CursorOf(o.Cursor)
	}),
	core.OpTermModes: of("term_modes", func(o *core.TermModes) any {
		return termModesFields{Modes(o.Modes), Mouse(o.Modes)}
	}),
	core.OpTermResize: of("term_resize", func(o *core.TermResize) any { return sizeFields(*o) }),
	core.OpTermTitle:  of("term_title", func(o *core.TermTitle) any { return titleFields(*o) }),
	core.OpTermCwd:    of("term_cwd", func(o *core.TermCwd) any { return placeFields(*o) }),
	core.OpTermMarks:  of("term_marks", termMarks),
	core.OpTermProgress: of("term_progress", func(o *core.TermProgress) any {
		return ProgressOf(o.Progress)
	}),
	core.OpTermBell:    of("term_bell", func(o *core.TermBell) any { return bellsFields(*o) }),
	core.OpTermHistory: of("term_history", func(o *core.TermHistory) any { return termHistoryFields(*o) }),
	core.OpTermExit:    of("term_exit", func(o *core.TermExit) any { return termExitFields(o.Exit) }),
	core.OpTermClip:    of("term_clip", func(o *core.TermClip) any { return clipsFields(*o) }),
}

// View prints a view: w1.3, w1.3/tag, column/b0.2, top; none is empty.
func View(v core.View) string {
	if v.Kind == core.ViewInvalid {
		return ""
	}
	return v.String()
}

// Kind names what a buffer's text is.
func Kind(k core.BufferKind) string {
	switch k {
	case core.BufferFile:
		return "file"
	case core.BufferScratch:
		return "scratch"
	case core.BufferTag:
		return "tag"
	case core.BufferDir:
		return "dir"
	}
	return "unknown"
}

// Show names how a window stands in its column.
func Show(s core.Show) string {
	switch s {
	case core.ShowNormal:
		return "normal"
	case core.ShowCollapsed:
		return "collapsed"
	case core.ShowMaximised:
		return "maximised"
	case core.ShowHidden:
		return "hidden"
	}
	return "unknown"
}
