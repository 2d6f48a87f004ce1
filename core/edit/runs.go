package edit

import "slices"

// lineRuns returns runs of elements that a and b have in common, in order: all but the shortest edit
// script where that is short, else what lies between elements that each has once.
func lineRuns(a, b []int) []run {
	pre := 0
	for pre < len(a) && pre < len(b) && a[pre] == b[pre] {
		pre++
	}
	post := 0
	for post < len(a)-pre && post < len(b)-pre && a[len(a)-1-post] == b[len(b)-1-post] {
		post++
	}
	var out []run
	add := func(r run) {
		if r.n > 0 {
			out = append(out, r)
		}
	}
	add(run{0, 0, pre})
	for _, r := range middleRuns(a[pre:len(a)-post], b[pre:len(b)-post]) {
		add(run{r.a + pre, r.b + pre, r.n})
	}
	add(run{len(a) - post, len(b) - post, post})
	return out
}

// middleRuns is lineRuns of what differs at both ends.
func middleRuns(a, b []int) []run {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	if same, ok := common(a, b); ok {
		return same
	}
	var out []run
	at := run{}
	anchors := anchors(a, b)
	if len(anchors) == 0 {
		return nil
	}
	for _, m := range append(anchors, run{len(a), len(b), 0}) {
		for _, r := range lineRuns(a[at.a:m.a], b[at.b:m.b]) {
			out = append(out, run{at.a + r.a, at.b + r.b, r.n})
		}
		if m.n > 0 {
			out = append(out, m)
		}
		at = run{a: m.a + m.n, b: m.b + m.n}
	}
	return out
}

// anchors returns elements that a and b have once each, as many as are in the same order in both
// (patience sorting).
func anchors(a, b []int) []run {
	type places struct{ a, b, na, nb int }
	seen := map[int]*places{}
	for i, x := range a {
		p := seen[x]
		if p == nil {
			p = &places{}
			seen[x] = p
		}
		p.a, p.na = i, p.na+1
	}
	for i, x := range b {
		if p := seen[x]; p != nil {
			p.b, p.nb = i, p.nb+1
		}
	}
	type card struct {
		run
		before int // index of the card that it continues, -1 for none
	}
	var cards []card
	var tops []int // of each pile, the card on top
	for i, x := range a {
		p := seen[x]
		if p.na != 1 || p.nb != 1 {
			continue
		}
		pile, _ := slices.BinarySearchFunc(tops, p.b, func(top, b int) int { return cards[top].b - b })
		before := -1
		if pile > 0 {
			before = tops[pile-1]
		}
		cards = append(cards, card{run{i, p.b, 1}, before})
		if pile == len(tops) {
			tops = append(tops, 0)
		}
		tops[pile] = len(cards) - 1
	}
	var out []run
	if len(tops) > 0 {
		for i := tops[len(tops)-1]; i >= 0; i = cards[i].before {
			out = append(out, cards[i].run)
		}
	}
	slices.Reverse(out)
	return out
}
