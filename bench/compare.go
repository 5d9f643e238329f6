package main

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// large is what licet's own growth is measured on.
var large = workload{tools: 10_000, agents: 10_000}

// ratio is one line of the result. A value is ours by theirs.
type ratio struct {
	what         string
	best, median float64
	goal         goal
}

// goal is a bound on a ratio; the zero goal is none.
type goal struct {
	most, least float64 // 0 = no such bound
}

// verdict says what the goal is, and whether value meets it.
func (g goal) verdict(value float64) string {
	switch {
	case g.most > 0 && value <= g.most:
		return fmt.Sprintf("<= %.2f  met", g.most)
	case g.most > 0:
		return fmt.Sprintf("<= %.2f  missed", g.most)
	case g.least > 0 && value >= g.least:
		return fmt.Sprintf(">= %.2f  met", g.least)
	case g.least > 0:
		return fmt.Sprintf(">= %.2f  missed", g.least)
	}
	return "none"
}

// compare lets the engines take turns, so that a busy moment of the machine
// meets all of them, and prints the ratios.
func compare(out io.Writer, rounds int, each time.Duration, product string) (err error) {
	all := map[string]*timed{}
	defer func() {
		for _, t := range all {
			err = errors.Join(err, t.stop())
		}
	}()
	names := []string{"licet", "cedar-go", "OPA", "licet, large"}
	for _, name := range names {
		if all[name], err = start(name, each); err != nil {
			delete(all, name)
			return err
		}
	}
	for range rounds {
		for _, name := range names {
			if err := all[name].turn(); err != nil {
				return err
			}
		}
	}
	ratios := []ratio{
		newRatio("decision: licet / cedar-go", all["licet"], all["cedar-go"], goal{most: 0.33}),
		newRatio("decision: licet / OPA", all["licet"], all["OPA"], goal{most: 0.2}),
		newRatio(fmt.Sprintf("same calls: %d tools and agents / %d and %d", large.tools, small.tools, small.agents),
			all["licet, large"], all["licet"], goal{most: 1.5}),
	}
	if product != "" {
		more, err := productRatios(product)
		if err != nil {
			return err
		}
		ratios = append(ratios, more...)
	}
	printCalls(out, requests())
	fmt.Fprintf(out, "%-52s %8s %8s %8s\n", "one decision, in us of processor time", "best", "median", "allocs")
	for _, name := range names {
		t := all[name]
		fmt.Fprintf(out, "%-52s %8.2f %8.2f %8.1f\n", name+" "+t.Version, micros(t.best()), micros(t.median()), t.sorted()[0].Allocs)
	}
	printRatios(out, ratios)
	_, err = fmt.Fprintf(out, "\nLoading a contract of %d tools and %d agents took %.2f s of processor time.\n",
		large.tools, large.agents, all["licet, large"].Load.Seconds())
	return err
}

func newRatio(what string, ours, theirs *timed, g goal) ratio {
	return ratio{what, by(ours.best(), theirs.best()), by(ours.median(), theirs.median()), g}
}

func by(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }

func printCalls(out io.Writer, calls []request) {
	counts := map[answer]int{}
	size := 0
	for _, r := range calls {
		counts[r.want]++
		size += len(r.message)
	}
	fmt.Fprintf(out, "%d calls of %d bytes on average, %d allowed, %d held, %d blocked: every engine gave the expected answers.\n\n",
		len(calls), size/len(calls), counts[allowed], counts[held], counts[blocked])
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func printRatios(out io.Writer, ratios []ratio) {
	fmt.Fprintf(out, "\n%-52s %8s %8s  %s\n", "ratio", "best", "median", "goal for best")
	for _, r := range ratios {
		fmt.Fprintf(out, "%-52s %8.2f %8.2f  %s\n", r.what, r.best, r.median, r.goal.verdict(r.best))
	}
}
