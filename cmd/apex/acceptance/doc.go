// Package acceptance tests the program as people and scripts meet it: the real binary, on real
// terminals, killed for real. It has no code of its own.
//
// Each test has a machine of its own: a HOME, a runtime directory, a daemon, and a tmux server
// whose panes are the terminals. Tests wait for what they want to see, never for time to pass.
// They are skipped where there is no tmux. What a hosted terminal shows is compared with what the
// same program shows in a pane of tmux. What a machine starts is found by its HOME, in /proc: where
// there is none, tests of what is left running are skipped.
//
// The sizes are flags, so that a long run is the same test:
//
//	go test ./cmd/apex/acceptance -args -kills 200 -edits 100 -megabytes 50
//
// TestFaults is the long run: in each round something goes wrong with a real process, and then everything
// that was acknowledged, seen or typed is compared. Its seed says what is done:
//
//	go test ./cmd/apex/acceptance -run TestFaults -timeout 1h -args -lasting 30m
package acceptance
