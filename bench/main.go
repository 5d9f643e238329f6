package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit status: 0 printed, 1 engines that disagree or another
// failure, 2 wrong usage. A goal that is missed is printed and is no failure:
// how fast a shared machine was today is no defect of the code.
func run(args []string, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	rounds := flags.Int("rounds", 15, "how often the engines take turns")
	each := flags.Duration("each", 100*time.Millisecond, "time for each engine in a round")
	product := flags.String("product", "", "folder of the product's module: run its Go benchmarks with a peer, too")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *rounds < 1 || flags.NArg() > 0 {
		fmt.Fprintln(errOut, "usage: bench [-rounds N] [-each DURATION] [-product FOLDER]; N is at least 1")
		return 2
	}
	if err := compare(out, *rounds, *each, *product); err != nil {
		fmt.Fprintf(errOut, "bench: %v\n", err)
		return 1
	}
	return 0
}
