package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run returns the exit status: 0 printed, 1 engines that disagree or another
// failure, 2 wrong usage. A goal that is missed is printed and is no failure:
// how fast a shared machine was today is no defect of the code.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	rounds := flags.Int("rounds", 15, "how often the engines take turns")
	each := flags.Duration("each", 100*time.Millisecond, "processor time for each engine in a round")
	product := flags.String("product", "", "folder of the product's module: run its Go benchmarks with a peer, too")
	name := flags.String("contest", "", "measure this engine alone, a round for each line of standard input (the program starts itself so)")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *rounds < 1 || flags.NArg() > 0 {
		fmt.Fprintln(errOut, "usage: bench [-rounds N] [-each DURATION] [-product FOLDER]; N is at least 1")
		return 2
	}
	work := func() error { return compare(out, *rounds, *each, *product) }
	if *name != "" {
		work = func() error { return contest(*name, *each, in, out) }
	}
	if err := work(); err != nil {
		fmt.Fprintf(errOut, "bench: %v\n", err)
		return 1
	}
	return 0
}
