// Package proto is the language of the socket: the bytes of core's messages, of requests and of
// replies. It has values and functions only; who sends what when is the business of packages
// daemon and client.
//
// # Frames
//
// A frame is a big-endian length of 4 bytes and one CBOR item of that many bytes, in core
// deterministic encoding (RFC 8949 section 4.2.1), between 1 byte and MaxFrame. There are no tags,
// no indefinite lengths, no floats. Strings that may hold anything - names, paths, texts,
// messages for people - are byte strings.
//
//	+-----------------+------------------------------------+
//	| length, 4 bytes | [number, field, field, ...]        |
//	+-----------------+------------------------------------+
//
// The daemon speaks first: ["apex", min, max, build, pid]. The client answers with
// ["apex", protocol, build], where protocol is the one that it picked from the range. Both shapes
// and that of failure, [20, [code, message]], are frozen for ever, so that any two versions can
// tell each other what is wrong. A peer outside the range gets unsupported_version.
//
// # Messages
//
// Every later frame is an array that begins with the message's number. Kinds is the table of all:
// number, name, who sends it, and the channel, which says what it promises. The schema is
// apex.cddl; the tests hold the table, the schema and real frames against each other.
//
//	append         [1, [*shard], [*shard], [*batch]]   made, deleted, and the batches' bytes
//	deliver        [10, [+batch]]
//	here           [9, null, ...]                      ephemeral: null stands where a number would
//	request        [32..., id, body]
//	reply          [97..., id, body]
//	error          [96, id, [code, message, details]]
//
// A batch is a byte string that holds the batch's own item: it was made once, by whoever sequenced
// the batch, and is hashed, stored and forwarded as it is. Decode leaves it in the frame, which is
// why Reader gives every frame a slice of its own.
//
// Messages and bodies of core's values are arrays, coded by hand where they are busy and by
// core/codec's Fields elsewhere: fields are added at the end. Bodies of other values are maps with
// integer keys: keys are added, never renumbered, and a missing one is zero. Readers ignore what
// they don't know. A change of any message moves Version.
//
// # Requests
//
// A request has an id that its caller chose, and exactly one reply or error with that id, in any
// order. Codes are the contract, messages are for people.
//
// # Limits
//
// MaxFrame bounds a frame, codec.MaxDepth its nesting; lists are bounded before they are
// allocated; a Reader allocates as bytes arrive, not as a length claims. Whatever passes a limit
// or has another shape is an error with a code, and ends the connection. Only a request that can
// be read and whose values make no sense, a CallError, has an answer.
package proto
