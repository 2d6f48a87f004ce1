package cli

import (
	"runtime/debug"
	"strings"
)

// build says which build this is, for people: the module's version, or the commit it was built at.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	var commit, dirty string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "modified"
			}
		}
	}
	words := []string{info.Main.Version, commit, dirty, info.GoVersion}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}
