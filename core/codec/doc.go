// Package codec is the append-and-cursor form of the CBOR that apex puts on the wire and on disk:
// RFC 8949 core deterministic encoding (section 4.2.1), restricted to unsigned and negative
// integers, byte strings, text strings, definite arrays and maps, booleans and null.
//
// Appending never fails. A Cursor reads untrusted bytes: every length is checked against what is
// left before anything is allocated, integers must be in their shortest form, nesting is bounded,
// and the first error sticks, so that callers check once at the end. Byte strings that a Cursor
// returns alias its input.
package codec
