package edit

import (
	"regexp"
	"testing"

	"apex/core"
	"apex/core/text"

	"pgregory.net/rapid"
)

func TestFind(t *testing.T) {
	const s = "foo Foo food\nbar foo\n"
	tests := []struct {
		name   string
		search Search
		from   int
		next   [2]int
		prev   [2]int
	}{
		{"plain", Search{Text: "foo"}, 1, [2]int{8, 11}, [2]int{17, 20}},
		{"from the match", Search{Text: "foo"}, 8, [2]int{8, 11}, [2]int{0, 3}},
		{"wraps", Search{Text: "foo"}, 18, [2]int{0, 3}, [2]int{8, 11}},
		{"any case", Search{Text: "foo", IgnoreCase: true}, 1, [2]int{4, 7}, [2]int{17, 20}},
		{"words", Search{Text: "foo", Words: true}, 1, [2]int{17, 20}, [2]int{17, 20}},
		{"regexp", Search{Text: "^b.", Regexp: true}, 0, [2]int{13, 15}, [2]int{13, 15}},
		{"literally", Search{Text: "f.o", IgnoreCase: true}, 0, [2]int{-1, -1}, [2]int{-1, -1}},
		{"empty matches", Search{Text: "$", Regexp: true}, 12, [2]int{20, 20}, [2]int{21, 21}},
	}
	for _, c := range tests {
		f, err := Compile(c.search)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for i, find := range []func(text.Text, int) (int, int, bool){f.Next, f.Previous} {
			want := [][2]int{c.next, c.prev}[i]
			q0, q1, ok := find(text.FromString(s), c.from)
			if !ok {
				q0, q1 = -1, -1
			}
			if q0 != want[0] || q1 != want[1] {
				t.Errorf("%s, direction %d: %d,%d, want %v", c.name, i, q0, q1, want)
			}
		}
	}
	for _, bad := range []Search{{}, {Text: "(", Regexp: true}} {
		if _, err := Compile(bad); core.CodeOf(err) != core.CodeBadRequest {
			t.Errorf("%v: %v, want bad_request", bad, err)
		}
	}
}

// Replacing all gives what the regexp package gives, and is one step.
func TestReplaceAllAgainstRegexp(t *testing.T) {
	patterns := []string{"a", "a*", "(a)(b)?", "[^a]", "b+|a", "(?P<x>.)(.)", "$", "^", "^a",
		`\b`, "x", "你"}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("aab \n你")), 0, 30, -1).Draw(t, "text")
		pattern := rapid.SampledFrom(patterns).Draw(t, "pattern")
		with := rapid.SampledFrom([]string{"", "-", "$1", "[$2$1]", "${x}!", "$$1", "$nope.",
			"a"}).Draw(t, "with")
		k := newTypist(t, s)
		f, err := Compile(Search{Text: pattern, Regexp: true})
		if err != nil {
			t.Fatalf("%v", err)
		}
		n := k.Buffer(k.body).Text.Runes()
		b, count, err := ReplaceAll(k, k.author, k.id.Body(), f, with, 0, n)
		k.do(b, err)
		re := regexp.MustCompile("(?m:" + negated(pattern) + ")")
		want := re.ReplaceAllString(s, with)
		if got := k.text(k.body); got != want {
			t.Fatalf("%q by %q in %q: %q, want %q", pattern, with, s, got, want)
		}
		if got := len(re.FindAllStringIndex(s, -1)); count != got {
			t.Fatalf("%d matches, want %d", count, got)
		}
		if b, err := Undo(k, k.author, k.id.Body(), false); err == nil {
			k.do(b, err)
		}
		if got := k.text(k.body); got != s {
			t.Fatalf("undone %q, want %q", got, s)
		}
	})
}

// negated is a pattern as the regexp package has to read it: here [^a] takes no newline.
func negated(pattern string) string {
	if pattern == "[^a]" {
		return `[^a\n]`
	}
	return pattern
}

func TestReplaceInDot(t *testing.T) {
	k := newTypist(t, "a a a a")
	k.at(2, 5)
	f, err := Compile(Search{Text: "a"})
	if err != nil {
		t.Fatal(err)
	}
	b, n, err := ReplaceAll(k, k.author, k.id.Body(), f, "$1", 2, 5)
	k.do(b, err)
	if n != 2 {
		t.Errorf("%d replaced, want 2", n)
	}
	k.want("in the dot", "a <$1 $1> a")
	if _, _, err := ReplaceAll(k, k.author, k.id.Body(), f, "b", 5,
		99); core.CodeOf(err) != core.CodeBadRequest {
		t.Errorf("out of range: %v", err)
	}
}
