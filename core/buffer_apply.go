package core

import (
	"slices"
	"unicode/utf8"

	"apex/core/text"
)

// bufferDraft is a buffer while a batch applies to it: its text is edited in place.
type bufferDraft struct {
	Buffer
	draft *text.Draft
	actor string
	keys  []byte // scratch of typed
}

func (b *Buffer) apply(bt *Batch) (state, error) {
	d := &bufferDraft{Buffer: *b, draft: b.Text.Edit(), actor: bt.Author.Actor}
	d.views = slices.Clone(b.views)
	d.marks = slices.Clone(b.marks)
	for ops := bt.Ops; len(ops) > 0; {
		if n := typedRun(ops); n > 1 && d.typed(ops[:n]) {
			ops = ops[n:]
			continue
		}
		if err := d.applyOp(&ops[0]); err != nil {
			return nil, err
		}
		ops = ops[1:]
	}
	out := d.Buffer
	out.Text = d.draft.Text()
	out.freeze()
	return &out, nil
}

func (d *bufferDraft) applyOp(o *Op) error {
	if _, isNew := o.Body.(*BufferNew); isNew != (d.Kind == BufferInvalid) {
		return badf("op %d: BufferNew is a buffer's first op, once", o.Kind)
	}
	switch o.Kind {
	case OpEdit:
		return d.edit(o)
	case OpSelect:
		return d.selectDot(o)
	case OpOrigin:
		return d.origin(o)
	}
	switch o := o.Body.(type) {
	case *BufferNew:
		return d.create(o)
	case *Load:
		return d.load(o)
	case *Loaded:
		return d.loaded(o)
	case *Undo:
		return d.undo(o)
	case *Clean:
		return d.clean(o.Version, o.Disk, o.Bytes, nil)
	case *Merged:
		return d.clean(o.Version, o.Disk, o.Bytes, o.Apart)
	case *Stale:
		d.warn(o)
	case *DiskChanged:
		d.changed(o)
	case *Rename:
		return d.rename(o)
	case *ViewAdd:
		return d.viewAdd(o)
	case *ViewDel:
		return d.viewDel(o)
	case *MarkSet:
		return d.markSet(o)
	case *MarkDel:
		return d.markDel(o)
	}
	return nil
}

func (d *bufferDraft) create(o *BufferNew) error {
	switch {
	case o.Kind == BufferInvalid || o.Kind >= bufferKindEnd:
		return badf("buffer of kind %d", o.Kind)
	case len(o.Name) > MaxNameBytes:
		return badf("name of %d bytes, at most %d", len(o.Name), MaxNameBytes)
	case len(o.Text) > LoadMaxBytes:
		return Errorf(CodeTooLarge, "text of %d bytes in one op, at most %d", len(o.Text), LoadMaxBytes)
	}
	d.Kind, d.Name, d.Loading = o.Kind, o.Name, o.Loading
	d.draft.Replace(0, 0, o.Text)
	return nil
}

func (d *bufferDraft) load(o *Load) error {
	switch {
	case !d.Loading:
		return badf("a piece for a buffer that is not loading")
	case len(o.Text) > LoadMaxBytes:
		return Errorf(CodeTooLarge, "piece of %d bytes, at most %d", len(o.Text), LoadMaxBytes)
	case d.draft.Bytes()+len(o.Text) > MaxTextBytes:
		return Errorf(CodeTooLarge, "text beyond %d bytes", MaxTextBytes)
	}
	d.draft.Replace(d.draft.Runes(), d.draft.Runes(), o.Text)
	return nil
}

func (d *bufferDraft) loaded(o *Loaded) error {
	if !d.Loading {
		return badf("loaded, but not loading")
	}
	if got := SumText(d.draft.Text().Chunks()); got != o.Hash {
		return badf("loaded text has hash %v, want %v", got, o.Hash)
	}
	d.Loading = false
	return nil
}

func (d *bufferDraft) edit(o *Op) error {
	if err := d.editable(o.Version); err != nil {
		return err
	}
	g := o.Group
	if g == 0 {
		g = Group(d.Version) + 1
	}
	if g > Group(d.Version)+1 {
		return badf("edit in group %d at version %d", g, d.Version)
	}
	c := Change{Version: d.Version, Kind: ChangeEdit, Group: g, Actor: d.actor}
	if err := d.replace(o.Q0, o.Q1, o.Text, &c); err != nil {
		return err
	}
	d.Version++
	return nil
}

// editable refuses a change that was made against another version.
func (d *bufferDraft) editable(v Version) error {
	if d.Loading {
		return Errorf(CodeBusy, "the buffer is still loading")
	}
	if v != d.Version {
		return Errorf(CodeConflict, "made against version %d, the buffer is at %d", v, d.Version)
	}
	return nil
}

// undo applies concrete edits one after the other as one version.
func (d *bufferDraft) undo(o *Undo) error {
	if err := d.editable(o.Version); err != nil {
		return err
	}
	if len(o.Edits) == 0 {
		return badf("undo of group %d without edits", o.Target)
	}
	c := Change{Version: d.Version, Kind: ChangeUndo, Group: Group(d.Version) + 1,
		Actor: d.actor, Target: o.Target}
	if o.Redo {
		c.Kind = ChangeRedo
	}
	for _, e := range o.Edits {
		step := c
		if err := d.replace(e.Q0, e.Q1, e.Text, &step); err != nil {
			return err
		}
	}
	d.Version++
	return nil
}

// replace changes the text, moves views and marks, and records c, which it fills in with what was
// replaced.
func (d *bufferDraft) replace(q0, q1 int, s string, c *Change) error {
	n := d.draft.Runes()
	switch {
	case q0 < 0 || q1 < q0 || q1 > n:
		return badf("edit of runes %d,%d in a text of %d", q0, q1, n)
	case d.draft.Bytes()+len(s) > MaxTextBytes:
		return Errorf(CodeTooLarge, "text beyond %d bytes", MaxTextBytes)
	}
	w0, w1 := q0, q1
	if !utf8.ValidString(s) || s == "" {
		w0, w1 = d.widen(q0, q1, s)
	}
	c.Q0, c.ND = w0, w1-w0
	if c.ND > 0 {
		c.Deleted = d.draft.Substring(w0, w1)
	}
	c.NI = c.ND + d.draft.Replace(q0, q1, s)
	d.moveViews(c.Q0, c.ND, c.NI)
	d.history.push(c)
	return nil
}

// widen returns the range that an edit really changes. Where broken UTF-8 on both sides of a new
// border becomes whole, the runes that it is made of are part of the change: only then can it be
// taken back by rune offsets, and only then are the runes that it made countable. A text that is
// valid UTF-8 and not empty joins with nothing.
func (d *bufferDraft) widen(q0, q1 int, s string) (int, int) {
	const reach = utf8.UTFMax - 1 // a rune that joins has at most that many bytes on either side
	before := d.draft.Substring(max(0, q0-reach), q0)
	after := d.draft.Substring(q1, min(d.draft.Runes(), q1+reach))
	all := before + s + after
	border0, border1 := len(before), len(before)+len(s)
	w0, w1 := q0, q1
	for at := 0; at < len(all); {
		_, size := utf8.DecodeRuneInString(all[at:])
		end := at + size
		if at < border0 && end > border0 {
			w0 = q0 - utf8.RuneCountInString(before[at:])
		}
		if at < border1 && end > border1 {
			w1 = q1 + utf8.RuneCountInString(after[:end-border1])
		}
		at = end
	}
	return w0, w1
}

// rename gives the buffer another name: what is on disk there is not known.
func (d *bufferDraft) rename(o *Rename) error {
	if len(o.Name) > MaxNameBytes {
		return badf("name of %d bytes, at most %d", len(o.Name), MaxNameBytes)
	}
	if o.Name != d.Name {
		d.onDisk, d.diskNews = onDisk{}, diskNews{}
	}
	d.Name = o.Name
	return nil
}

// The functions below move, make and drop views and marks.

// moveViews follows acme: an insertion at a dot's start moves the dot only when it is strictly
// before it, so that typing before a caret leaves the caret; a deletion pulls positions in.
func (d *bufferDraft) moveViews(q0, nd, ni int) {
	for i := range d.views {
		v := &d.views[i]
		v.Q0, v.Q1 = move(q0, nd, ni, v.Q0), move(q0, nd, ni, v.Q1)
		v.Origin = move(q0, nd, ni, v.Origin)
	}
	for i := range d.marks {
		m := &d.marks[i]
		m.Q0, m.Q1 = move(q0, nd, ni, m.Q0), move(q0, nd, ni, m.Q1)
	}
}

// move returns where position p is after nd runes at q0 were replaced by ni.
func move(q0, nd, ni, p int) int {
	switch {
	case p <= q0:
		return p
	case p >= q0+nd:
		return p - nd + ni
	}
	return q0
}

func (d *bufferDraft) selectDot(o *Op) error {
	i, ok := d.view(o.View)
	if !ok {
		return Errorf(CodeNotFound, "no view %v", o.View)
	}
	if n := d.draft.Runes(); o.Q0 < 0 || o.Q1 < o.Q0 || o.Q1 > n {
		return badf("dot %d,%d in a text of %d runes", o.Q0, o.Q1, n)
	}
	d.views[i].Q0, d.views[i].Q1 = o.Q0, o.Q1
	return nil
}

func (d *bufferDraft) origin(o *Op) error {
	i, ok := d.view(o.View)
	if !ok {
		return Errorf(CodeNotFound, "no view %v", o.View)
	}
	if n := d.draft.Runes(); o.Q0 < 0 || o.Q0 > n {
		return badf("origin %d in a text of %d runes", o.Q0, n)
	}
	d.views[i].Origin = o.Q0
	return nil
}

func (d *bufferDraft) viewAdd(o *ViewAdd) error {
	i, has := d.view(o.View)
	n := d.draft.Runes()
	switch {
	case has:
		return Errorf(CodeExists, "view %v exists", o.View)
	case len(d.views) >= MaxViews:
		return Errorf(CodeTooLarge, "%d views, at most %d", len(d.views), MaxViews)
	case o.Q1 < o.Q0 || o.Q1 > n || o.Origin > n:
		return badf("view at %d,%d,%d in a text of %d runes", o.Q0, o.Q1, o.Origin, n)
	}
	d.views = slices.Insert(d.views, i, ViewState{o.View, o.Q0, o.Q1, o.Origin})
	return nil
}

func (d *bufferDraft) viewDel(o *ViewDel) error {
	i, ok := d.view(o.View)
	if !ok {
		return Errorf(CodeNotFound, "no view %v", o.View)
	}
	d.views = slices.Delete(d.views, i, i+1)
	return nil
}

func (d *bufferDraft) markSet(o *MarkSet) error {
	i, has := d.mark(o.Name)
	n := d.draft.Runes()
	switch {
	case o.Q1 < o.Q0 || o.Q1 > n:
		return badf("mark at %d,%d in a text of %d runes", o.Q0, o.Q1, n)
	case len(o.Name) == 0 || len(o.Name) > MaxActorBytes:
		return badf("mark with a name of %d bytes, want 1-%d", len(o.Name), MaxActorBytes)
	case !has && len(d.marks) >= MaxMarks:
		return Errorf(CodeTooLarge, "%d marks, at most %d", len(d.marks), MaxMarks)
	case !has:
		d.marks = slices.Insert(d.marks, i, MarkState{})
	}
	d.marks[i] = MarkState{o.Name, o.Q0, o.Q1}
	return nil
}

func (d *bufferDraft) markDel(o *MarkDel) error {
	i, ok := d.mark(o.Name)
	if !ok {
		return Errorf(CodeNotFound, "no mark %q", o.Name)
	}
	d.marks = slices.Delete(d.marks, i, i+1)
	return nil
}
