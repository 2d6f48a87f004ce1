package daemon_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"apex/core"
	"apex/core/edit"
	"apex/daemon/daemontest"
	"apex/proto"
)

func names(c *daemontest.Client) []string {
	var out []string
	for _, w := range daemontest.Must[*proto.WindowList](c, &proto.Windows{}).Windows {
		out = append(out, filepath.Base(w.Name))
	}
	return out
}

// New with names opens files: executed in a window, and in the top row, which is no window.
func TestNewOpensFiles(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	first := writeFile(t, "first.txt", "1\n")
	w := open(t, c, first)
	second := filepath.Join(filepath.Dir(first), "second.txt")
	if err := os.WriteFile(second, []byte("2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	daemontest.Must[*proto.Outcome](c, &proto.Exec{Win: w.Window.String(), Command: "New " + second})
	if got := names(c); !slices.Contains(got, "second.txt") {
		t.Fatalf("windows on %q", got)
	}

	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Lead(core.LayoutShard)
	b, err := edit.Run(ui.R, ui.R, ui.R.Author(), core.TopView, "New "+second+"x "+first)
	if err != nil {
		t.Fatal(err)
	}
	ui.Commit(b)
	ui.Until(func() bool { return slices.Contains(names(c), "second.txtx") && ui.R.Unsynced() == 0 })
	if got := names(c); len(got) != 3 {
		t.Fatalf("windows on %q: one that is open was opened again", got)
	}
	ui.Do(ui.R.Bye()) // what the daemon still asks of it is answered by the daemon
}
