package daemon

import (
	"io"
	"slices"

	"apex/core"
	"apex/core/codec"
	"apex/daemon/journal"
)

// lossesKey names the part of a snapshot that says what damage there was: the reason stays listed
// after the damaged generation has become history.
const lossesKey = "losses"

const (
	// lossKept is how long a loss stays listed, in ms: long enough that it is seen.
	lossKept core.Millis = 30 * 24 * 3600 * 1000
	// lossesMax bounds how many are listed: a disk that dies makes more, of the same kind.
	lossesMax = 8
)

// loss is damage, or an end of a journal that was cut, as it was found.
type loss struct {
	at  core.Millis
	why string
}

func (l *loss) fields(c *codec.Fields) {
	codec.Num(c, &l.at)
	c.String(&l.why)
}

// lossesPart is the part of a snapshot that lists losses.
func lossesPart(losses []loss) journal.Part {
	losses = slices.Clone(losses)
	return journal.Part{Key: lossesKey, Data: func(w io.Writer) error {
		_, err := w.Write(codec.AppendFields(nil, func(f *codec.Fields) {
			codec.List(f, &losses, func(f *codec.Fields, x *loss) { x.fields(f) })
		}))
		return err
	}}
}

func (f *found) readLosses(data []byte) {
	c := codec.NewCursor(data)
	codec.ReadFields(&c, func(f1 *codec.Fields) {
		codec.List(f1, &f.losses, func(f *codec.Fields, x *loss) { x.fields(f) })
	})
}

// lost adds what this start found to the losses of earlier ones that are still listed.
func (f *found) lost(report journal.Report, now core.Millis) []loss {
	out := slices.DeleteFunc(f.losses, func(l loss) bool { return now-l.at > lossKept })
	for _, d := range report.Damages {
		out = append(out, loss{now, "the journal was damaged: " + d.String()})
	}
	if t := report.Tail; t != nil {
		out = append(out, loss{now, "the journal's end was cut: " + t.String() + ", kept in " + t.Kept})
	}
	return out[max(len(out)-lossesMax, 0):]
}
