package entry

import "apex/core"

type arrangeFields struct {
	Top     string         `json:"top"`
	Columns []columnFields `json:"columns"`
}

type columnFields struct {
	Tag     string       `json:"tag"`
	Weight  int          `json:"weight"`
	Windows []slotFields `json:"windows"`
}

type slotFields struct {
	Window string `json:"window"`
	Share  int    `json:"share"`
	Show   string `json:"show"`
}

func arrange(o *core.Arrange) any {
	out := arrangeFields{Top: o.Top.String(), Columns: []columnFields{}}
	for _, c := range o.Columns {
		col := columnFields{Tag: c.Tag.String(), Weight: c.Weight, Windows: []slotFields{}}
		for _, s := range c.Slots {
			col.Windows = append(col.Windows, slotFields{s.Window.String(), s.Share, Show(s.Show)})
		}
		out.Columns = append(out.Columns, col)
	}
	return out
}

type layoutExecFields struct {
	View    string `json:"view"`
	Command string `json:"command"`
}

type statusFields struct {
	Of      uint64 `json:"of"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type windowNewFields struct {
	Tag  string `json:"tag"`
	Body string `json:"body"`
	Term string `json:"term,omitempty"` // that it shows
}

type settingsFields struct {
	TabWidth    int  `json:"tab_width"`
	LineNumbers bool `json:"line_numbers"`
	NoWrap      bool `json:"no_wrap"`
	NoIndent    bool `json:"no_indent"`
}

type flagFields struct {
	Owner string `json:"owner"`
	Live  bool   `json:"live"`
	Work  bool   `json:"work"`
}

type execFields struct {
	Command string `json:"command"`
	Buffer  string `json:"buffer"`
	Version uint64 `json:"version"`
	Q0      int    `json:"q0"`
	Q1      int    `json:"q1"`
}

func exec(o *core.Exec) any {
	return execFields{o.Command, o.Buffer.String(), uint64(o.Version), o.Q0, o.Q1}
}
