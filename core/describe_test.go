package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestDescribe checks that everything is one line that begins with its name, and that no secret is
// in it.
func TestDescribe(t *testing.T) {
	secret := [32]byte{0xde, 0xad, 0xbe, 0xef}
	lines := map[string]string{
		"Edit":   Edit(1, 2, 3, "a\nb", 1).String(),
		"Select": Select(TopView, 1, 2).String(),
		"Origin": Origin(TopView, 1).String(),
	}
	for _, k := range slices.Sorted(maps.Keys(bodies)) {
		b := newBody(k)
		if a, ok := b.(*Attach); ok {
			a.Secret = secret
		}
		lines[strings.TrimPrefix(fmt.Sprintf("%T", b), "*core.")] = Of(b).String()
	}
	p := Proposal{Ask: &AskEdit{Edits: []Span{{Text: "a\nb"}}}}
	messages := []Msg{&Hello{Resume: &Credential{ID: 3, Secret: secret}}, &Append{New: []Shard{MetaShard},
		Batches: []*Sealed{{Batch: Batch{Shard: MetaShard, Ops: []Op{Edit(1, 2, 3, "\n", 0)}}}}},
		&Follow{[]FollowShard{{MetaShard, &Mark{}}}}, &Unfollow{}, &Take{}, &Release{},
		&Propose{Proposal: p}, &Answer{}, &Bye{}, &Welcome{Secret: secret},
		&Snapshot{NewShardState([16]byte{}, SessionID{}, MetaShard)}, &Deliver{}, &CaughtUp{},
		&Ack{[]Head{{}}}, &Refused{Err: badf("no")}, &Asked{}, &Evaluate{Proposal: p},
		&ProposeResult{Result: Failed(badf("no"))}, &Resync{}, &Check{}, &Draining{},
		&Failure{badf("no")}}
	for _, m := range messages {
		lines[strings.TrimPrefix(fmt.Sprintf("%T", m), "*core.")] = Describe(m)
	}
	for name, line := range lines {
		if !strings.HasPrefix(line, name) || strings.Contains(line, "\n") {
			t.Errorf("%s is described as %q", name, line)
		}
		if strings.Contains(line, "222 173") || strings.Contains(line, "dead") {
			t.Errorf("%s tells its secret: %q", name, line)
		}
	}
}
