package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit status: 0 good, 1 something was found or not looked
// at, 2 wrong usage.
func run(args []string, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	flags.SetOutput(errOut)
	each := flags.Duration("each", 30*time.Second, "time for each target")
	budget := flags.Duration("budget", 0, "time for all targets together; 0 = as long as it takes")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := fuzzAll(".", *each, *budget, out); err != nil {
		fmt.Fprintf(errOut, "fuzz: %v\n", err)
		return 1
	}
	return 0
}

func fuzzAll(root string, each, budget time.Duration, out io.Writer) error {
	targets, missing, err := look(root)
	if err != nil {
		return fmt.Errorf("looking for fuzz targets: %w", err)
	}
	if len(targets) == 0 {
		return errors.New("no fuzz target found")
	}
	var problems []error
	for _, dir := range missing {
		problems = append(problems, fmt.Errorf("%s parses and has no fuzz target", dir))
	}
	workers := runtime.NumCPU()
	each = share(each, budget*time.Duration(workers), len(targets))
	var mu sync.Mutex // out and problems
	spread(targets, workers, func(t target) {
		executions, err := pastSeeds(each, func(d time.Duration) (int, error) { return fuzzOne(root, t, d) })
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(out, "%12d executions in %s  %s %s\n", executions, each, t.dir, t.name)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s %s: %w", t.dir, t.name, err))
		}
	})
	return errors.Join(problems...)
}

// spread has work done for each of targets, by so many workers at once.
func spread(targets []target, workers int, work func(target)) {
	next := make(chan target)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for t := range next {
				work(t)
			}
		})
	}
	for _, t := range targets {
		next <- t
	}
	close(next)
	all.Wait()
}

// share returns the time for each of n targets: no more than each, and no
// more than their part of the budget, but enough to get past the seeds.
func share(each, budget time.Duration, n int) time.Duration {
	if budget > 0 {
		each = min(each, budget/time.Duration(n))
	}
	return max(each, 2*time.Second).Round(time.Second)
}

// errNoExecutions: the time went on the seeds.
var errNoExecutions = errors.New("no executions")

// pastSeeds fuzzes for d, and where that was too short for the seeds, which
// grow with the cache of go test, twice more, each time four times as long.
func pastSeeds(d time.Duration, fuzz func(time.Duration) (int, error)) (executions int, err error) {
	for range 3 {
		executions, err = fuzz(d)
		if !errors.Is(err, errNoExecutions) {
			break
		}
		d *= 4
	}
	return executions, err
}

// minimize bounds how often an input that reaches new code is run to find a shorter
// one. Without it, some seconds of fuzzing are spent on the first such input alone.
const minimize = "20x"

// fuzzOne fuzzes in one process: the others fuzz or build other targets meanwhile.
func fuzzOne(root string, t target, each time.Duration) (executions int, err error) {
	cmd := exec.Command("go", "test", "-vet=off", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(),
		"-fuzzminimizetime", minimize, "-parallel", "1", "./"+t.dir)
	cmd.Dir = root
	said, err := cmd.CombinedOutput()
	executions = countExecutions(said)
	if err != nil && !stoppedLate(said) {
		return executions, fmt.Errorf("%w\n%s", err, said)
	}
	if executions == 0 {
		return 0, fmt.Errorf("%w\n%s", errNoExecutions, said)
	}
	return executions, nil
}

var lateStop = regexp.MustCompile(`(?m)^--- FAIL: .*\n    context deadline exceeded\nFAIL$`)

// stoppedLate says whether go test failed for no other reason than that its
// own time for fuzzing ran out while a worker was busy. On a loaded machine
// Go before 1.27 reports that as a failure (go.dev/issue/75804). An input
// that fails is always written to a file, and go test says so.
func stoppedLate(said []byte) bool {
	return lateStop.Match(said) && !bytes.Contains(said, []byte("Failing input written"))
}

var execs = regexp.MustCompile(`execs: ([0-9]+)`)

// countExecutions returns the last count in the progress lines of go test;
// seeds that it runs before are not counted.
func countExecutions(said []byte) int {
	all := execs.FindAllSubmatch(said, -1)
	if len(all) == 0 {
		return 0
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(all[len(all)-1][1])))
	if err != nil {
		return 0 // a count that cannot be read proves nothing
	}
	return n
}
