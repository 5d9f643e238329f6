// Command licet-lab shows what licet and its contracts are worth: corpora of
// cases through every door, and replays of recorded tool calls. `licet-lab
// help` lists what it does; package lab/cli holds the program.
package main

import (
	"context"
	"os"

	"github.com/licet-dev/licet/internal/lab/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
