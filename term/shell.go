package term

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The scripts by which shells mark their prompts. They run the person's own start-up files first.
var (
	//go:embed shell/bash.sh
	bashScript []byte
	//go:embed shell/zshenv.sh
	zshScript []byte
	//go:embed shell/fish.fish
	fishScript []byte
)

// Shells are the files that shells are started with, in a directory.
type Shells struct{ dir string }

// InstallShells writes the files. They are the same for all terminals of a user.
func InstallShells(dir string) (Shells, error) {
	for name, b := range map[string][]byte{"bash.sh": bashScript, "zsh/.zshenv": zshScript,
		"apex.fish": fishScript} {
		path := filepath.Join(dir, name)
		if old, err := os.ReadFile(path); err == nil && string(old) == string(b) {
			continue
		}
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
		if err != nil {
			return Shells{}, fmt.Errorf("start-up files for shells: %w", err)
		}
	}
	return Shells{dir}, nil
}

// Marked returns the arguments and environment with which an interactive shell marks its prompts,
// and whether it is one that does: bash, zsh and fish. Others are left as they are.
func (s Shells) Marked(argv, env []string) (newArgv, newEnv []string, marks bool) {
	if s.dir == "" || len(argv) != 1 {
		return argv, env, false
	}
	switch filepath.Base(argv[0]) {
	case "bash":
		return []string{argv[0], "--rcfile", filepath.Join(s.dir, "bash.sh"), "-i"}, env, true
	case "zsh":
		own := ""
		for _, e := range env {
			if v, ok := strings.CutPrefix(e, "ZDOTDIR="); ok {
				own = v
			}
		}
		return argv, append(env[:len(env):len(env)], "ZDOTDIR="+filepath.Join(s.dir, "zsh"),
			"APEX_ZDOTDIR="+own), true
	case "fish":
		return []string{argv[0], "--init-command",
			"source '" + filepath.Join(s.dir, "apex.fish") + "'"}, env, true
	}
	return argv, env, false
}
