package proto

import (
	"apex/core/codec"

	"github.com/fxamacker/cbor/v2"
)

// Requests and replies that consist of values of their own are maps with integer keys, coded by
// fxamacker/cbor: they are off the hot path and what changes most. Three of its ways are kept
// away from the wire: it marshals a string that isn't UTF-8 as a text string, so all strings are
// byte strings; it accepts integers that are not in their shortest form, so a codec.Cursor
// goes over every map first; and it fills an array of bytes from a shorter string, so what must
// have its length exactly (secrets, intents, marks) travels in arrays of core/codec.

const (
	// maxMapPairs bounds one map: no body has half as many keys, a later version may.
	maxMapPairs = 64
	// maxItems bounds the arrays in bodies: windows, peers, files, matches.
	maxItems = 1 << 14
)

var encMode = func() cbor.EncMode {
	o := cbor.CoreDetEncOptions()
	o.String = cbor.StringToByteString
	o.TagsMd = cbor.TagsForbidden
	m, err := o.EncMode()
	if err != nil {
		panic("proto: " + err.Error())
	}
	return m
}()

var decMode = func() cbor.DecMode {
	m, err := cbor.DecOptions{
		DupMapKey:          cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:    codec.MaxDepth,
		MaxArrayElements:   maxItems,
		MaxMapPairs:        maxMapPairs,
		IndefLength:        cbor.IndefLengthForbidden,
		TagsMd:             cbor.TagsForbidden,
		ByteStringToString: cbor.ByteStringToStringAllowed,
	}.DecMode()
	if err != nil {
		panic("proto: " + err.Error())
	}
	return m
}()

// checked is a body with rules beyond its types.
type checked interface{ check() error }

// appendMap appends a body that is a map. Bodies are structs of encodable fields: it can't fail.
func appendMap(b []byte, body any) []byte {
	m, err := encMode.Marshal(body)
	if err != nil {
		panic("proto: " + err.Error())
	}
	return append(b, m...)
}

// readMap reads a body that is a map into body, a pointer to a zero struct; errors stay in c.
func readMap(c *codec.Cursor, body any) {
	raw := c.Raw()
	if c.Err() != nil {
		return
	}
	if raw[0]>>5 != mapType {
		c.Fail("want map, got major type %d", raw[0]>>5)
		return
	}
	if err := decMode.Unmarshal(raw, body); err != nil {
		c.Fail("%v", err)
	}
}

// mapType is the major type of maps: null, which fxamacker takes for an empty one, is refused.
const mapType = 5
