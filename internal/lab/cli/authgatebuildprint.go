package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/build"
)

// printBuild prints counts, and what became of a build.
func (a *app) printBuild(made built) error {
	r := made.Counts
	if r.Banner != "" {
		fmt.Fprintf(a.out, "%s\n\n", r.Banner)
	}
	if err := printStages(a.out, r); err != nil {
		return err
	}
	for _, stage := range build.Stages {
		if c := r.Stages[stage]; len(c.Rejected) > 0 {
			fmt.Fprintf(a.out, "rejected in stage %s: %s\n", stage, byCode(c.Rejected))
		}
	}
	fmt.Fprintf(a.out, "\n%d of %d slots have their pair; %d calls sent, cost %s\n", r.Pairs, r.Slots, r.Asked, r.Cost)
	if made.Data != "" {
		fmt.Fprintf(a.out, "likeness to the nearest other base row, in tenths: %s\n", likeness(r.Nearest))
		fmt.Fprintf(a.out, "the data set is in %s, unreviewed: check it with licet-lab authgate validate %[1]s\n", clikit.Printable(made.Data))
	}
	if len(made.Requests) > 0 {
		fmt.Fprintf(a.out, "%d calls wait for answers to %s\n", r.Waiting, clikit.Printable(strings.Join(made.Requests, ", ")))
	}
	if made.Why != "" {
		fmt.Fprintf(a.out, "%s: %s\n", made.State, clikit.Printable(made.Why))
	}
	return nil
}

func printStages(out io.Writer, r build.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "stage\tdrafts\tcalls\trepairs 1, 2, 3\trefused\taccepted after 0, 1, 2, 3\trejected\topen\tdropped later\t\n")
	row := func(name string, c *build.Counts) {
		rejected := build.Sum(slices.Collect(maps.Values(c.Rejected)))
		accepted := build.Sum(c.Accepted)
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%d\t%d: %s\t%d\t%d\t%d\t\n", name, c.Drafts, c.Calls, commas(c.Repairs), c.Refused,
			accepted, commas(c.Accepted), rejected, c.Drafts-accepted-rejected, c.Dropped)
	}
	for _, stage := range build.Stages {
		row(string(stage), r.Stages[stage])
	}
	row("all", r.Total)
	return w.Flush()
}

func commas(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

// byCode lists counts by code.
func byCode(counts map[string]int) string {
	var words []string
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%s %d", code, counts[code]))
	}
	return strings.Join(words, ", ")
}

// likeness words a distribution: from which tenth on, how many.
func likeness(tenths []int) string {
	var words []string
	for i, n := range tenths {
		if n > 0 {
			words = append(words, fmt.Sprintf("0.%d: %d", i, n))
		}
	}
	return strings.Join(words, ", ")
}
