package main

import (
	"fmt"
	"io"
	"slices"
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

// compare lets the engines agree and take turns, and prints the ratios.
func compare(out io.Writer, rounds int, each time.Duration, product string) error {
	begin, err := processorTime()
	if err != nil {
		return err
	}
	grown, err := newLicet(large)
	if err != nil {
		return err
	}
	loaded, err := processorTime()
	if err != nil {
		return err
	}
	grown.name = "licet, large"
	all := []*timed{{engine: grown, calls: requests()}}
	for _, build := range []func(workload) (engine, error){newLicet, newCedar, newOPA} {
		e, err := build(small)
		if err != nil {
			return err
		}
		all = append(all, &timed{engine: e, calls: requests()})
	}
	if err := agree(all); err != nil {
		return fmt.Errorf("nothing is compared, because an answer is wrong: %w", err)
	}
	if err := interleave(all, rounds, each); err != nil {
		return err
	}
	ratios := against(all[1], all[2:], all[0])
	if product != "" {
		more, err := productRatios(product)
		if err != nil {
			return err
		}
		ratios = append(ratios, more...)
	}
	printEngines(out, all)
	printRatios(out, ratios)
	_, err = fmt.Fprintf(out, "\nLoading a contract of %d tools and %d agents took %.2f s of processor time.\n",
		large.tools, large.agents, (loaded - begin).Seconds())
	return err
}

// against returns the ratios of licet to its peers, and of the large workload
// to the small one.
func against(licet *timed, peers []*timed, grown *timed) []ratio {
	goals := map[string]goal{"cedar-go": {most: 0.33}, "OPA": {most: 0.2}}
	var ratios []ratio
	for _, p := range peers {
		ratios = append(ratios, newRatio("decision: licet / "+p.engine.name, licet, p, goals[p.engine.name]))
	}
	what := fmt.Sprintf("same calls: %d tools and agents / %d and %d", large.tools, small.tools, small.agents)
	return append(ratios, newRatio(what, grown, licet, goal{most: 1.5}))
}

func newRatio(what string, ours, theirs *timed, g goal) ratio {
	return ratio{what, by(ours.best(), theirs.best()), by(ours.median(), theirs.median()), g}
}

func by(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }

func printEngines(out io.Writer, all []*timed) {
	counts := map[answer]int{}
	size := 0
	for _, r := range all[0].calls {
		counts[r.want]++
		size += len(r.message)
	}
	n := len(all[0].calls)
	fmt.Fprintf(out, "%d calls of %d bytes on average, %d allowed, %d held, %d blocked: every engine gave the expected answers.\n\n",
		n, size/n, counts[allowed], counts[held], counts[blocked])
	fmt.Fprintf(out, "%-52s %8s %8s %8s\n", "one decision, in us of processor time", "best", "median", "allocs")
	for _, t := range slices.Concat(all[1:], all[:1]) {
		fmt.Fprintf(out, "%-52s %8.2f %8.2f %8.1f\n", t.engine.name+" "+t.engine.version, micros(t.best()), micros(t.median()), t.allocs)
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func printRatios(out io.Writer, ratios []ratio) {
	fmt.Fprintf(out, "\n%-52s %8s %8s  %s\n", "ratio", "best", "median", "goal for best")
	for _, r := range ratios {
		fmt.Fprintf(out, "%-52s %8.2f %8.2f  %s\n", r.what, r.best, r.median, r.goal.verdict(r.best))
	}
}
