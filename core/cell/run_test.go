package cell

import "testing"

func TestRunCells(t *testing.T) {
	for _, c := range []struct {
		run  Run
		want int
	}{
		{Run{Text: "abc", Kind: Narrow}, 3},
		{Run{Text: "世界", Kind: Wide}, 4},
		{Run{Text: "e\u0301", Kind: NarrowCluster}, 1},
		{Run{Text: "👩‍🚀", Kind: WideCluster}, 2},
		{Run{Text: "x"}, 0},
	} {
		if got := c.run.Cells(); got != c.want {
			t.Errorf("%q of kind %d: got %d cells, want %d", c.run.Text, c.run.Kind, got, c.want)
		}
	}
	if got := RowText([]Run{{Text: "a"}, {Text: "世"}, {Text: "b"}}); got != "a世b" {
		t.Errorf("text: got %q", got)
	}
}
