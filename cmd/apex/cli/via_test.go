package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Where a session is follows from its name, whose last colon ends the host, and from --via.
func TestViaOf(t *testing.T) {
	for _, c := range []struct {
		command string
		args    string // separated by blanks
		want    string // the way, then the arguments that are left
	}{
		{"", "", "here []"},
		{"", "work a.txt:3", "here [work a.txt:3]"},
		{"", "box:work a.txt:3", "ssh box [work a.txt:3]"},
		{"", "ann@box: a.txt", "ssh ann@box [default a.txt]"},
		{"", "[::1]:work", "ssh ::1 [work]"},
		{"", ":work", "refused"},
		{"", "-oProxyCommand=x:work", "refused"},
		{"ssh box apex attach --stdio ", "work", "ssh box apex attach --stdio |--no-start [work]"},
		{"sh way", "", "sh way []"},
		{"sh way", "box:work", "refused"},
	} {
		v, args, err := viaOf(c.command, strings.Fields(c.args))
		got := "refused"
		if err == nil {
			got = fmt.Sprintf("%s %v", describeVia(v), args)
		}
		if got != c.want {
			t.Errorf("%q %q: got %s, want %s", c.command, c.args, got, c.want)
		}
	}
}

func describeVia(v *via) string {
	if v == nil {
		return "here"
	}
	c := v.connection(nil)
	if v.host == "" {
		rest, _ := strings.CutPrefix(slices.Concat(c.Restart, []string{"", "", ""})[2], v.command)
		if rest != "" {
			rest = "|" + strings.TrimSpace(rest)
		}
		return v.command + rest
	}
	at := slices.Index(c.Command, "--")
	if c.Command[at+2] != stdioCommand || c.Restart[at+2] != stdioCommand+noStart {
		return fmt.Sprint(c.Command, c.Restart)
	}
	return c.Command[0] + " " + c.Command[at+1]
}
