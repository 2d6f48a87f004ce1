// Command apex is the daemon, the terminal UI and the command line; package cli has its commands.
package main

import (
	"os"

	"apex/cmd/apex/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
