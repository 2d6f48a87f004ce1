package codec

import "encoding/binary"

// The major types of RFC 8949 section 3.1, in the high three bits of an item's first byte.
const (
	majorUint   = 0 << 5
	majorNeg    = 1 << 5
	majorBytes  = 2 << 5
	majorText   = 3 << 5
	majorArray  = 4 << 5
	majorMap    = 5 << 5
	majorTag    = 6 << 5
	majorSimple = 7 << 5
)

const (
	simpleFalse = majorSimple | 20
	simpleTrue  = majorSimple | 21
	simpleNull  = majorSimple | 22
)

// AppendUint appends v in its shortest form.
func AppendUint(b []byte, v uint64) []byte { return appendHead(b, majorUint, v) }

// AppendInt appends v in its shortest form.
func AppendInt(b []byte, v int64) []byte {
	if v < 0 {
		return appendHead(b, majorNeg, uint64(^v))
	}
	return appendHead(b, majorUint, uint64(v))
}

// AppendBytes appends s as a byte string: the form for anything that may not be valid UTF-8.
func AppendBytes[S []byte | string](b []byte, s S) []byte {
	return append(appendHead(b, majorBytes, uint64(len(s))), s...)
}

// AppendText appends s as a text string. The caller guarantees that s is valid UTF-8.
func AppendText(b []byte, s string) []byte {
	return append(appendHead(b, majorText, uint64(len(s))), s...)
}

// AppendArray appends the head of an array of n items.
func AppendArray(b []byte, n int) []byte { return appendHead(b, majorArray, uint64(n)) }

// AppendMap appends the head of a map of n pairs. Deterministic order is the caller's duty.
func AppendMap(b []byte, n int) []byte { return appendHead(b, majorMap, uint64(n)) }

// AppendBool appends a boolean.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, simpleTrue)
	}
	return append(b, simpleFalse)
}

// AppendNull appends null.
func AppendNull(b []byte) []byte { return append(b, simpleNull) }

func appendHead(b []byte, major byte, v uint64) []byte {
	switch {
	case v < 24:
		return append(b, major|byte(v))
	case v < 1<<8:
		return append(b, major|24, byte(v))
	case v < 1<<16:
		return append(b, major|25, byte(v>>8), byte(v))
	case v < 1<<32:
		return binary.BigEndian.AppendUint32(append(b, major|26), uint32(v))
	default:
		return binary.BigEndian.AppendUint64(append(b, major|27), v)
	}
}

// AppendBytesHead appends the head of a byte string whose n bytes the caller writes itself.
func AppendBytesHead(b []byte, n int) []byte { return appendHead(b, majorBytes, uint64(n)) }
