// Package bench measures apex against floors and peers that it measures in the same run: raw
// system calls that move the same bytes, tmux, neovim. What counts are the ratios; absolute times
// say more about the machine.
//
// It starts daemons of its own, as child processes on temporary directories.
package bench
