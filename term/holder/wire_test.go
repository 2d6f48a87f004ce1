package holder

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The bytes of each kind of frame are fixed: a holder is talked to by daemons of later builds.
func TestFramesAreFrozen(t *testing.T) {
	exit := Exit{Code: 3, At: time.Unix(0, 5)}.record()
	tests := []struct {
		name  string
		value any
		empty func() any
		frame string
	}{
		{"start", &request{ID: 1, Op: opStart, Protocol: 1, Start: &startRequest{
			Dir: []byte("/d"), Name: []byte("n"), Argv: [][]byte{{0xff}},
			Env: [][]byte{[]byte("A=b")}, Cwd: []byte("/"), Kind: Pty,
			Cols: 80, Rows: 24, Width: 800, Height: 480}},
			func() any { return new(request) },
			"\x00\x00\x00-\xa4\x01\x01\x02\x01\x03\xaa\x01B/d\x02An\x03\x81A\xff\x04\x81CA=b\x05A" +
				"/\x06\x01\a\x18P\b\x18\x18\t\x19\x03 \n\x19\x01\xe0\x06\x01"},
		{"signal", &request{ID: 300, Op: opSignal, Signal: 15, To: Group},
			func() any { return new(request) },
			"\x00\x00\x00\v\xa4\x01\x19\x01,\x02\x04\x04\x0f\x05\x02"},
		{"taken", &message{ID: 1, Taken: &taken{Protocol: 1, Holder: 2, Child: 3, Kind: Pipe,
			Started: 4, Exit: exit, Released: true}}, func() any { return new(message) },
			"\x00\x00\x00\x17\xa2\x01\x01\x04\xa7\x01\x01\x02\x02\x03\x03\x04\x02\x05\x04\x06\xa2" +
				"\x01\x03\x04\x05\a\xf5"},
		{"exit", &message{Exit: exit}, func() any { return new(message) },
			"\x00\x00\x00\a\xa1\x05\xa2\x01\x03\x04\x05"},
		{"refusal", &message{ID: 2, Code: Busy, Text: []byte("t")},
			func() any { return new(message) },
			"\x00\x00\x00\b\xa3\x01\x02\x02\f\x03At"},
		{"processes", &message{ID: 2, Processes: []processRecord{{PID: 1, Parent: 2, Group: 3,
			Session: 4, Started: 5, Argv: [][]byte{[]byte("x")}, Orphan: true}}},
			func() any { return new(message) },
			"\x00\x00\x00\x16\xa2\x01\x02\x06\x81\xa7\x01\x01\x02\x02\x03\x03\x04\x04\x05\x05\x06" +
				"\x81Ax\a\xf5"},
		{"leaving", &message{Leaving: true}, func() any { return new(message) },
			"\x00\x00\x00\x03\xa1\a\xf5"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := appendFrame(nil, test.value)
			if err != nil || string(got) != test.frame {
				t.Errorf("frame %q, error %v\nwant  %q", got, err, test.frame)
			}
			back := test.empty()
			rest, ok, err := cutFrame(append([]byte(test.frame), "rest"...), back)
			if !ok || err != nil || string(rest) != "rest" {
				t.Fatalf("cut: rest %q, %v, error %v", rest, ok, err)
			}
			if d := cmp.Diff(test.value, back); d != "" {
				t.Error(d)
			}
		})
	}
}

// Fields of a later build are passed over.
func TestUnknownFields(t *testing.T) {
	var m message
	_, ok, err := cutFrame([]byte("\x00\x00\x00\x07\xa2\x07\xf5\x18\x63\x81\x00"), &m)
	if !ok || err != nil || !m.Leaving {
		t.Errorf("message %+v, %v, error %v", m, ok, err)
	}
}

// A frame is cut off or refused; what is left is the end of what was there.
func FuzzCutFrame(f *testing.F) {
	for _, v := range []any{&request{ID: 1, Op: opKill}, &message{Leaving: true}} {
		b, err := appendFrame(nil, v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, v := range []any{new(request), new(message)} {
			rest, ok, err := cutFrame(b, v)
			if ok && err != nil || !bytes.HasSuffix(b, rest) || !ok && len(rest) != len(b) {
				t.Errorf("rest %q, %v, error %v", rest, ok, err)
			}
		}
	})
}
