package edit

import (
	"strings"
	"unicode/utf8"

	"apex/core"
)

// FirstBundle is what a new session begins with: a top row and two columns, no window. The layout's
// shard is there already; who commits it leads that too.
func FirstBundle(ids core.Minter) core.Bundle {
	var b core.Bundle
	top := core.BufferID(ids.NewID())
	end := utf8.RuneCountInString(TopRowText)
	b.New = append(b.New, top.Shard())
	b.Add(top.Shard(),
		core.Of(&core.BufferNew{Kind: core.BufferTag, Text: TopRowText}),
		core.Of(&core.ViewAdd{View: core.TopView, Q0: end, Q1: end}))
	arr := core.Arrange{Top: top}
	for range 2 {
		tag := core.BufferID(ids.NewID())
		b.New = append(b.New, tag.Shard())
		b.Add(tag.Shard(), columnTag(tag)...)
		NewColumn(&arr, tag)
	}
	b.Add(core.LayoutShard, core.Of(&arr),
		core.Of(&core.Focus{View: core.ColumnView(arr.Columns[0].Tag)}))
	return b
}

// Errors returns the proposal that appends a message to the directory's +Errors window.
func Errors(dir, message string) *core.AskWindow {
	if !strings.HasSuffix(message, "\n") {
		message += "\n"
	}
	return Output(dir, message)
}

// Output returns the proposal that appends a program's output to the directory's +Errors window. It
// is a piece: at most core.LoadMaxBytes, with or without the end of a line.
func Output(dir, message string) *core.AskWindow {
	return &core.AskWindow{Name: inDir(dir, "+Errors"), Kind: core.BufferScratch, Text: message,
		Reuse: true, Append: true}
}
