package vt

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// TitleMaxBytes bounds a title; a longer one is cut.
	TitleMaxBytes = 1 << 10
	// titlesMax is the depth of the stack of titles, as xterm's.
	titlesMax = 10
	// LinkMaxBytes is the longest link (OSC 8) that is kept, as in VTE: what browsers take.
	LinkMaxBytes = 2083
	// DirectoryMaxBytes is the longest directory that is kept: PATH_MAX.
	DirectoryMaxBytes = 4096
	// hostMaxBytes is the longest name that a host can have.
	hostMaxBytes = 255
	// NoticeMaxBytes bounds a notification's title and text each; a longer one is cut.
	NoticeMaxBytes = 4 << 10
)

// osc executes an operating system command; bell says that BEL ended it.
func (s *Screen) osc(str []byte, bell bool) {
	number, arg, _ := cutByte(string(str), ';')
	switch number {
	case "0", "2":
		s.title = clean(arg, TitleMaxBytes)
	case "7":
		s.setDirectory(arg)
	case "8":
		s.setLink(arg)
	case "9":
		s.notice9(arg)
	case "52":
		s.clipboard(arg)
	case "133":
		s.mark(arg)
	case "777":
		if rest, ok := strings.CutPrefix(arg, "notify;"); ok {
			title, text, _ := cutByte(rest, ';')
			s.notify(title, text)
		}
	default:
		s.colourOSC(number, arg, bell)
	}
}

// clean returns s as text of at most limit bytes: without control characters, U+FFFD for what is
// not UTF-8.
func clean(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	if len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = s[:limit]
	}
	return s
}

// setDirectory is OSC 7: a file: URL, or a path as some shells send it. "" forgets it.
func (s *Screen) setDirectory(arg string) {
	host, dir := "", arg
	if rest, ok := strings.CutPrefix(arg, "file://"); ok {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return
		}
		path, err := url.PathUnescape(rest[i:])
		if err != nil {
			return
		}
		host, dir = rest[:i], path
	}
	if len(host) > hostMaxBytes || len(dir) > DirectoryMaxBytes || dir != "" && dir[0] != '/' ||
		strings.ContainsRune(dir, 0) {
		return
	}
	s.host, s.dir = clean(host, hostMaxBytes), dir
}

// setLink is OSC 8: parameters, which are ignored, and a URI; "" ends the link.
func (s *Screen) setLink(arg string) {
	_, uri, ok := cutByte(arg, ';')
	if !ok {
		return
	}
	if len(uri) > LinkMaxBytes || clean(uri, LinkMaxBytes) != uri {
		uri = ""
	}
	if s.tables.full() {
		s.compact()
	}
	l := s.cur.pen
	l.link = s.tables.linkID(uri)
	s.setPen(l)
}

// ProgressState is what a program does, by the numbers of OSC 9;4.
type ProgressState uint8

// The states of progress.
const (
	ProgressNone ProgressState = iota
	ProgressRunning
	ProgressError
	ProgressBusy // without a known end
	ProgressPaused
)

// Progress is how far a program says that it is.
type Progress struct {
	State   ProgressState
	Percent int // 0 to 100
}

// notice9 is OSC 9: 4;state;percent is progress, other numbers are ConEmu's, text is a notice.
func (s *Screen) notice9(arg string) {
	number, rest, _ := cutByte(arg, ';')
	if _, err := strconv.Atoi(number); err != nil {
		s.notify("", arg)
		return
	}
	if number != "4" {
		return
	}
	state, rest, _ := cutByte(rest, ';')
	v, err := strconv.Atoi(state)
	if err != nil || v < 0 || v > int(ProgressPaused) {
		return
	}
	p := Progress{State: ProgressState(v)}
	if digits, _, _ := cutByte(rest, ';'); digits != "" {
		n, err := strconv.Atoi(digits)
		if err != nil {
			return
		}
		p.Percent = min(max(n, 0), 100)
	} else if p.State == ProgressError || p.State == ProgressPaused {
		p.Percent = s.progress.Percent
	}
	if p.State == ProgressNone || p.State == ProgressBusy {
		p.Percent = 0
	}
	s.progress = p
}

func (s *Screen) notify(title, text string) {
	title, text = clean(title, NoticeMaxBytes), clean(text, NoticeMaxBytes)
	if title != "" || text != "" {
		s.event(Event{Kind: Notified, Title: title, Text: text})
	}
}

// clipboard is OSC 52: which clipboard, and base64 or a question mark.
func (s *Screen) clipboard(arg string) {
	selection, data, ok := cutByte(arg, ';')
	if !ok {
		return
	}
	selection = clean(selection, selectionMax)
	if data == "?" {
		if s.opts.ClipboardReads {
			s.event(Event{Kind: ClipboardAsked, Selection: selection})
		}
		return
	}
	text, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		text, err = base64.RawStdEncoding.DecodeString(data)
	}
	if err != nil || len(text) > ClipboardMaxBytes {
		return
	}
	s.event(Event{Kind: ClipboardSet, Selection: selection, Text: string(text)})
}
