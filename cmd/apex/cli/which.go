package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"apex/client"
	"apex/core"
	"apex/proto"
)

// window returns what the daemon finds the window by that an argument names: an id; the path that
// it is from here, if a window shows that; else what the daemon makes of it. What names a file from
// here, and no window shows that file, is none: a file of the same label elsewhere is another one.
func (a *app) window(ctx context.Context, conn *client.Conn, arg string) (string, error) {
	path, err := filepath.Abs(arg)
	if err != nil || arg == "" {
		return arg, err
	}
	list, err := conn.Windows(ctx, a.session)
	if err != nil {
		return "", err
	}
	if name, ok := shown(list, arg, path); ok {
		return name, nil
	}
	info, err := os.Stat(path)
	if err == nil {
		for _, w := range list {
			if there, err := os.Stat(w.Name); err == nil && filepath.IsAbs(w.Name) &&
				os.SameFile(info, there) {
				return w.Name, nil
			}
		}
	}
	if err != nil && !strings.Contains(arg, "/") {
		return arg, nil
	}
	return "", advise(core.Errorf(core.CodeNotFound, "no window shows %s", path),
		"`apex open %s` opens it, `apex win ls` lists the windows", fromHere(arg))
}

// shown returns arg if it is a window's id, or else a window's path, or path if a window has that.
func shown(list []proto.WindowInfo, arg, path string) (string, bool) {
	is := func(holds func(w proto.WindowInfo) bool) bool { return slices.ContainsFunc(list, holds) }
	switch {
	case is(func(w proto.WindowInfo) bool { return w.Window.String() == arg }):
		return arg, true
	case is(func(w proto.WindowInfo) bool { return w.Name == path }):
		return path, true
	}
	return arg, is(func(w proto.WindowInfo) bool { return w.Name == arg && arg != "" })
}

// fromHere writes the name of a file so that it is seen to be one.
func fromHere(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return "./" + name
}
