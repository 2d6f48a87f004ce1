package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"apex/core"
)

// parseEdits reads a list of edits. Nothing is guessed: a field that is missing, unknown, doubled
// or of another type is refused, and so is a text that would not come out as it was meant (invalid
// UTF-8, half of a surrogate pair), which Go's decoder would repair.
func parseEdits(in []byte) ([]core.Span, error) {
	if !utf8.Valid(in) {
		return nil, badEdits("not valid UTF-8")
	}
	if err := checkSurrogates(in); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(in))
	d.UseNumber()
	if err := expect(d, json.Delim('[')); err != nil {
		return nil, err
	}
	var out []core.Span
	for d.More() {
		s, err := parseEdit(d)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if err := expect(d, json.Delim(']')); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, badEdits("something follows the list")
	}
	return out, nil
}

func badEdits(format string, args ...any) error {
	return advise(core.Errorf(core.CodeBadRequest, "edits: "+format, args...),
		`edits are a list of {"q0": 0, "q1": 3, "text": "x"}, see `+"`apex text apply --help`")
}

// expect reads one token.
func expect(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err != nil {
		return badEdits("%v, want %v", err, want)
	}
	if got != want {
		return badEdits("%s at byte %d, want %v", written(got), d.InputOffset(), want)
	}
	return nil
}

// written is a token as it is written in JSON, near enough.
func written(t json.Token) string {
	if t == nil {
		return "null"
	}
	return fmt.Sprint(t)
}

// parseEdit reads one edit.
func parseEdit(d *json.Decoder) (s core.Span, err error) {
	if err := expect(d, json.Delim('{')); err != nil {
		return s, err
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return s, badEdits("%v", err)
		}
		name, _ := key.(string)
		if seen[name] {
			return s, badEdits("field %q twice", name)
		}
		seen[name] = true
		if err := editField(d, name, &s); err != nil {
			return s, err
		}
	}
	if err := expect(d, json.Delim('}')); err != nil {
		return s, err
	}
	for _, name := range []string{"q0", "q1", "text"} {
		if !seen[name] {
			return s, badEdits("field %q is missing before byte %d", name, d.InputOffset())
		}
	}
	return s, nil
}

// editField reads the value of one field.
func editField(d *json.Decoder, name string, s *core.Span) error {
	value, err := d.Token()
	if err != nil {
		return badEdits("%v", err)
	}
	switch name {
	case "q0":
		s.Q0, err = offset(name, value)
	case "q1":
		s.Q1, err = offset(name, value)
	case "text":
		text, ok := value.(string)
		if !ok {
			return badEdits("text is %s, want a string", written(value))
		}
		s.Text = text
	default:
		return badEdits("field %q is unknown", name)
	}
	return err
}

func offset(name string, value json.Token) (int, error) {
	n, ok := value.(json.Number)
	q, err := strconv.Atoi(n.String())
	if !ok || err != nil || q < 0 {
		return 0, badEdits("%s is %s, want a number of runes", name, written(value))
	}
	return q, nil
}

// checkSurrogates refuses a \u escape of half a surrogate pair.
func checkSurrogates(in []byte) error {
	for i := 0; i+1 < len(in); {
		if in[i] != '\\' {
			i++
			continue
		}
		high, ok := escape(in[i:])
		if !ok {
			i += 2
			continue
		}
		i += 6
		if high < 0xd800 || high > 0xdfff {
			continue
		}
		low, ok := escape(in[min(i, len(in)):])
		if !ok || high >= 0xdc00 || low < 0xdc00 || low > 0xdfff {
			return badEdits("half a surrogate pair at byte %d", i-6)
		}
		i += 6
	}
	return nil
}

// escape reads \uXXXX at the beginning of b.
func escape(b []byte) (uint64, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return v, err == nil
}
