package cli

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"

	"apex/core"
)

func TestParseEdits(t *testing.T) {
	tests := []struct {
		in   string
		want []core.Span
		ok   bool
	}{
		{`[]`, nil, true},
		{" [\n] ", nil, true},
		{`[{"q0":0,"q1":0,"text":"x"}]`, []core.Span{{Text: "x"}}, true},
		{`[{"text":"","q1":7,"q0":3}]`, []core.Span{{Q0: 3, Q1: 7}}, true},
		{`[{"q0":0,"q1":0,"text":"a"},{"q0":1,"q1":2,"text":"b"}]`,
			[]core.Span{{Text: "a"}, {Q0: 1, Q1: 2, Text: "b"}}, true},
		{`[{"q0":0,"q1":0,"text":"\u00e9\ud83d\ude00\\ud83d\u0000"}]`,
			[]core.Span{{Text: "é😀\\ud83d\x00"}}, true},
		{`[{"q0":0,"q1":0,"text":"\ufffd"}]`, []core.Span{{Text: "\ufffd"}}, true},

		{``, nil, false},
		{`null`, nil, false},
		{`{}`, nil, false},
		{`[1]`, nil, false},
		{`[[]]`, nil, false},
		{`[{}]`, nil, false},
		{`[null]`, nil, false},
		{`[{"q0":0,"q1":0,"text":"x"}`, nil, false},
		{`[{"q0":0,"q1":0,"text":"x"}]x`, nil, false},
		{`[{"q0":0,"q1":0,"text":"x"}] []`, nil, false},
		{`[{"q0":0,"q1":0,"text":null}]`, nil, false},
		{`[{"q0":0,"q1":0,"text":["x"]}]`, nil, false},
		{`[{"q0":-1,"q1":0,"text":"x"}]`, nil, false},
		{`[{"q0":1e1,"q1":10,"text":"x"}]`, nil, false},
		{`[{"q0":"1","q1":10,"text":"x"}]`, nil, false},
		{`[{"q0":true,"q1":10,"text":"x"}]`, nil, false},
		{`[{"q0":99999999999999999999,"q1":10,"text":"x"}]`, nil, false},
		{`[{"q0":0,"q1":0,"text":"x","q1":0}]`, nil, false},
		{`[{"q0":0,"q1":0,"Text":"x"}]`, nil, false},
		{`[{"q0":0,"q1":0,"text":"\ud83d"}]`, nil, false},
		{`[{"q0":0,"q1":0,"text":"\ud83dx\ude00"}]`, nil, false},
		{`[{"q0":0,"q1":0,"text":"\ude00\ud83d"}]`, nil, false},
		{`[{"q0":0,"q1":0,"text":"\ud83d\ud83d\ude00"}]`, nil, false},
		{"[{\"q0\":0,\"q1\":0,\"text\":\"\xff\"}]", nil, false},
		{"[{\"q0\":0,\"q1\":0,\"text\":\"\n\"}]", nil, false},
	}
	for _, x := range tests {
		got, err := parseEdits([]byte(x.in))
		if (err == nil) != x.ok || x.ok && !slices.Equal(got, x.want) {
			t.Errorf("%s: got %+v, %v; want %+v, ok %v", x.in, got, err, x.want, x.ok)
		}
		code, status := core.CodeOf(err), exitStatus(err)
		if err != nil && (code != core.CodeBadRequest || status != exitFailed) {
			t.Errorf("%s: code %v, status %d", x.in, code, status)
		}
	}
}

// What is accepted is what Go's decoder makes of it, and means the same when it is written again.
func FuzzParseEdits(f *testing.F) {
	f.Add([]byte(`[{"q0":0,"q1":1,"text":"\ud83d\ude00 \\u"}]`))
	f.Add([]byte(`[{"q0":0,"q1":1,"text":"\ud83d\\ude00"}]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := parseEdits(in)
		if err != nil {
			return
		}
		var want []struct {
			Q0, Q1 int
			Text   string
		}
		if err := json.Unmarshal(in, &want); err != nil || len(want) != len(got) {
			t.Fatalf("%q: accepted as %+v; decoder: %+v, %v", in, got, want, err)
		}
		for i, g := range got {
			if core.Span(want[i]) != g || !utf8.ValidString(g.Text) {
				t.Fatalf("%q: edit %d is %+v, decoder: %+v", in, i, g, want[i])
			}
		}
	})
}
