package paint

// probes are graphemes about which terminals disagree, with what First says and what a right answer
// is evidence for.
var probes = []struct {
	text  string
	width int
	emoji bool // a single wide rune beyond the basic plane; else a cluster
}{
	{"\U0001F680", 2, true},                  // a rocket, Unicode 6
	{"\U0001FAE8", 2, true},                  // a shaking face, Unicode 15
	{"e\u0301", 1, false},                    // a mark on a letter
	{"\u2764\uFE0F", 2, false},               // a heart, made an emoji by a selector
	{"\U0001F469\u200D\U0001F680", 2, false}, // an astronaut of two emoji
	{"\U0001F44D\U0001F3FD", 2, false},       // a thumb with a skin
	{"\U0001F1E9\U0001F1EA", 2, false},       // a flag of two letters
	{"\u0915\u094D\u0937", 1, false},         // a conjunct of two consonants
}

// AppendProbe appends to buf what writes graphemes at the left of the second row, one after the
// other, and asks after each where the cursor is (DSR 6, which the first row would make look like
// the key F3). Write it through a Writer, which then repairs the screen. Each answer, in order,
// goes to Probe.Answer.
func AppendProbe(buf []byte) []byte {
	for _, p := range probes {
		buf = append(append(append(buf, "\x1b[2;1H"...), p.text...), "\x1b[6n"...)
	}
	return append(buf, "\x1b[2;1H\x1b[K"...)
}

// Probe collects the answers to AppendProbe. The zero value waits for the first.
type Probe struct {
	answers         int
	clusters, emoji int // wrong ones
}

// Answer takes the next report of the cursor's column, from 0, and reports whether it was the last.
// Reports after the last are ignored.
func (p *Probe) Answer(column int) (done bool) {
	if p.answers < len(probes) {
		probe := probes[p.answers]
		p.answers++
		switch {
		case column == probe.width:
		case probe.emoji:
			p.emoji++
		default:
			p.clusters++
		}
	}
	return p.answers == len(probes)
}

// Trust adds to caps what all the answers bear out, and nothing before the last.
func (p *Probe) Trust(caps *Caps) {
	if p.answers < len(probes) {
		return
	}
	caps.Emoji = caps.Emoji || p.emoji == 0
	caps.Clusters = caps.Clusters || p.clusters == 0
}
