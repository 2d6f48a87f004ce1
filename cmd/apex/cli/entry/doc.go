// Package entry is the public form of log entries: what `apex follow` and `apex log` print.
//
// An entry is one JSON object:
//
//	{"shard": "buffer/b1.3", "seq": 12, "epoch": 1700000000000, "attachment": "a1",
//	 "actor": "human:ann", "op": "edit", "fields": {...}}
//
// shard, seq and epoch say where in which log it stands; attachment is who sequenced it, a0 being
// the daemon; actor is whose change it is. The fields depend on op; the table of them is in
// testdata/forms.txt, one example for each op, which a test holds against the code. Names are only
// ever added. Offsets are runes. Ids are strings (w1.3, b1.2, a7), hashes are hexadecimal.
//
// A text is in "text", unless it is not valid UTF-8: then its bytes are in "text_base64" instead.
// What is done to a buffer's text can be replayed from its entries alone: it begins with
// buffer_new and its load pieces; edit replaces runes [q0, q1) by the text; undo does so with each
// of its edits, one after the other. Nothing else changes it.
package entry
