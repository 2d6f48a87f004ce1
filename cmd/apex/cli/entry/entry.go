package entry

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"apex/core"
)

// Entry is one entry of a log.
type Entry struct {
	Shard      string `json:"shard"`
	Seq        uint64 `json:"seq"`
	Epoch      uint64 `json:"epoch"`
	Attachment string `json:"attachment"`
	Actor      string `json:"actor"`
	Op         string `json:"op"`
	Fields     any    `json:"fields"`
	// StoredAt is when it went to disk, RFC 3339 with milliseconds; only in logs.
	StoredAt string `json:"stored_at,omitempty"`
}

// Gap says that entries are no longer kept.
type Gap struct {
	Shard string `json:"shard"`
	Gap   Range  `json:"gap"`
}

// Range is a run of sequence numbers, both ends included.
type Range struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Of returns a batch's entries from a sequence number on.
func Of(b *core.Batch, from core.Seq) []Entry {
	var out []Entry
	for i := range b.Ops {
		seq := b.First + core.Seq(i)
		if seq < from {
			continue
		}
		name, fields := Form(&b.Ops[i])
		out = append(out, Entry{Shard: b.Shard.String(), Seq: uint64(seq), Epoch: uint64(b.Epoch),
			Attachment: Attachment(b.Attachment), Actor: b.Author.Actor, Op: name, Fields: fields})
	}
	return out
}

// Form returns an op's name and its fields. An op that this build doesn't know is named by its
// number, without fields.
func Form(o *core.Op) (name string, fields any) {
	f, ok := forms[o.Kind]
	if !ok {
		return fmt.Sprintf("op_%d", o.Kind), struct{}{}
	}
	return f.name, f.fields(o)
}

// form is the public form of one kind of op.
type form struct {
	name   string
	fields func(*core.Op) any
}

// of makes the form of an op that has a body.
func of[B core.Body](name string, fields func(B) any) form {
	return form{name, func(o *core.Op) any { return fields(o.Body.(B)) }}
}

// bare makes the form of an op that is its name only.
func bare(name string) form { return form{name, func(*core.Op) any { return struct{}{} }} }

// Attachment prints an attachment's id; a0 is the daemon.
func Attachment(a core.AttachmentID) string { return fmt.Sprintf("a%d", a) }

// Time prints a time; an unknown one is empty.
func Time(at core.Millis) string {
	if at == 0 {
		return ""
	}
	return time.UnixMilli(int64(at)).UTC().Format("2006-01-02T15:04:05.000Z")
}

// Text is a text that may not be UTF-8.
type Text struct {
	Text   *string `json:"text,omitempty"`
	Base64 []byte  `json:"text_base64,omitempty"`
}

// TextOf makes the form of a text.
func TextOf(s string) Text {
	if !utf8.ValidString(s) {
		return Text{Base64: []byte(s)}
	}
	return Text{Text: &s}
}

// Write prints v as one line of JSON.
func Write(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
