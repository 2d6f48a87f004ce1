package cli

import (
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"apex/proto"
)

// versionJSON is this program's version in JSON.
type versionJSON struct {
	Build       string `json:"build"`
	Protocol    uint64 `json:"protocol"`
	MinProtocol uint64 `json:"min_protocol"`
}

func (a *app) versionCommand() *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "version",
		Short: "Say which build this is",
		Long: `Say which build this is and which protocol it speaks. The daemon's own are in
apex status.`,
		Example: "  apex version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.print(versionJSON{build(), proto.Version, proto.MinVersion})
			}
			return a.say("apex %s, protocol %d", build(), proto.Version)
		},
	})
}

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
			dirty = iff(s.Value == "true", "modified")
		}
	}
	words := []string{info.Main.Version, commit, dirty, info.GoVersion}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}
