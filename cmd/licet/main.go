// Command licet decides, before it runs, whether a tool call of an AI agent is
// authorized. `licet help` lists what it does; package cli holds the program.
package main

import (
	"context"
	"os"

	"github.com/licet-dev/licet/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
