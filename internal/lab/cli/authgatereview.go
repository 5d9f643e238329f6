package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/review"
)

// reviewFlags are the flags of `authgate review`.
type reviewFlags struct {
	reviewer, kind, listen string
	serve, status, asJSON  bool
}

func (a *app) authgateReview() *cobra.Command {
	var f reviewFlags
	c := &cobra.Command{
		Use: "review DIR", Short: "Review contrast pairs, in the terminal or in a browser", Args: cobra.ExactArgs(1),
		Long: `Two people label each row of a data set, each alone, from what a judge may see:
label, role, mode and the other requests of the pair are hidden, and the order is
the reviewer's own. They say allow, block or unsure, how an action to block goes
too far, whether it is plausible, and which words of the user allow it.

Labels that all agree with the row's own make it agreed. Anything else is a
conflict: a third person rules which label stands, or drops the pair. Once the
labels of a pair stand, a person looks at its requests side by side and confirms
that they fit together.

Each answer goes to DIR/reviews/REVIEWER.jsonl and is on disk before it is called
saved; the same command goes on where it was left. --kind says truthfully what the
reviewer is. A model labels only, and its label never makes a row agreed.

--serve does the same in a browser, on this machine only, at an address with a
secret in it. --status counts, with kappa and all open conflicts; who still has to
label should not read it. ` + "`licet-lab authgate pack DIR`" + ` then writes the outcome into
the data set, and ` + "`licet-lab authgate validate DIR`" + ` holds it against the rules:
what was ruled otherwise is a finding until the pair is changed.`,
		Example: `  licet-lab authgate review data/authgate/v0 --reviewer anna --kind human
  licet-lab authgate review data/authgate/v0 --reviewer anna --kind human --serve
  licet-lab authgate review data/authgate/v0 --status`,
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		RunE:              clikit.RunE(func(cmd *cobra.Command, args []string) error { return a.review(cmd.Context(), args[0], f) }),
	}
	c.Flags().StringVar(&f.reviewer, "reviewer", "", "who reviews: a short name in lower case")
	c.Flags().StringVar(&f.kind, "kind", "", "what the reviewer is: human or model")
	c.Flags().BoolVar(&f.serve, "serve", false, "in a browser, not in the terminal")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "with --serve: loopback address and port; port 0 is any that is free")
	c.Flags().BoolVar(&f.status, "status", false, "print how far the review is, and end")
	c.Flags().BoolVar(&f.asJSON, "json", false, "with --status: print JSON")
	c.MarkFlagsMutuallyExclusive("status", "reviewer")
	c.MarkFlagsMutuallyExclusive("status", "serve")
	for flag, complete := range map[string]cobra.CompletionFunc{
		"kind": cobra.FixedCompletions([]string{item.Human, item.Model}, cobra.ShellCompDirectiveNoFileComp), "reviewer": knownReviewers,
	} {
		if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err)
		}
	}
	return c
}

// knownReviewers completes the names that have a journal in the data set.
func knownReviewers(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		found, _ := filepath.Glob(filepath.Join(args[0], item.JournalFolder, "*.jsonl")) // none, if that fails
		for _, path := range found {
			names = append(names, strings.TrimSuffix(filepath.Base(path), ".jsonl"))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// review lets somebody review a data set, or prints how far that is.
func (a *app) review(ctx context.Context, dir string, f reviewFlags) (err error) {
	switch {
	case f.status:
		return a.reviewStatus(dir, f.asJSON)
	case f.asJSON:
		return clikit.Usagef("--json goes with --status")
	case f.reviewer == "":
		return clikit.Usagef("--reviewer is missing: who reviews? (or --status: how far is it?)")
	case f.kind != item.Human && f.kind != item.Model:
		return clikit.Usagef("--kind is human or model, not %q", f.kind)
	}
	if _, err := item.JournalFile(f.reviewer); err != nil {
		return clikit.Usagef("%v", err)
	}
	d, err := review.Open(dir, review.Who{Name: f.reviewer, Kind: f.kind}, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if !f.serve {
		return d.Ask(ctx, a.in, a.out, clikit.Columns(a.out))
	}
	l, err := clikit.ListenLoopback(f.listen)
	if err != nil {
		return err
	}
	return d.Serve(ctx, l, a.out)
}

// reviewed is what --status prints.
type reviewed struct {
	Name      string                           `json:"name"`
	Version   string                           `json:"version"`
	States    map[item.State]int               `json:"states"` // rows
	ByMode    map[item.Mode]map[item.State]int `json:"by_mode"`
	Reviewers []reviewerCount                  `json:"reviewers"`
	Kappa     map[item.Mode]string             `json:"kappa"` // of two people
	Conflicts []conflict                       `json:"conflicts"`
	Dropped   []string                         `json:"dropped"` // pairs that pack will leave out
}

type reviewerCount struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Labels int    `json:"labels"` // of rows as they are
}

type conflict struct {
	Instance string   `json:"instance"`
	Why      []string `json:"why"`
}

func (a *app) reviewStatus(dir string, asJSON bool) error {
	set, err := item.ReadDir(dir)
	if err != nil {
		return err
	}
	s, err := statusOf(set)
	if err != nil {
		return err
	}
	if asJSON {
		return clikit.PrintJSON(a.out, s)
	}
	return s.print(a.out)
}

func statusOf(set *item.Set) (reviewed, error) {
	s := reviewed{
		Name: set.Manifest.Name, Version: set.Manifest.Version, States: map[item.State]int{}, ByMode: map[item.Mode]map[item.State]int{},
		Reviewers: []reviewerCount{}, Conflicts: []conflict{}, Dropped: []string{},
	}
	for _, p := range set.Standings() {
		for _, row := range p.Rows {
			s.add(row)
		}
		if p.Rows[0].State == item.GivenUp {
			s.Dropped = append(s.Dropped, p.ID)
		}
	}
	summary, err := set.ReviewSummary()
	s.Kappa = summary.KappaPeople
	return s, err
}

// add counts a row.
func (s *reviewed) add(row *item.Standing) {
	s.States[row.State]++
	if s.ByMode[row.Mode] == nil {
		s.ByMode[row.Mode] = map[item.State]int{}
	}
	s.ByMode[row.Mode][row.State]++
	for _, l := range row.Labels {
		at := slices.IndexFunc(s.Reviewers, func(r reviewerCount) bool { return r.Name == l.Reviewer })
		if at < 0 {
			at, s.Reviewers = len(s.Reviewers), append(s.Reviewers, reviewerCount{l.Reviewer, l.Kind, 0})
		}
		s.Reviewers[at].Labels++
	}
	if row.State == item.Conflict {
		c := conflict{Instance: row.ID}
		for _, clash := range row.Clashes {
			c.Why = append(c.Why, clash.What)
		}
		s.Conflicts = append(s.Conflicts, c)
	}
}

func (s reviewed) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "mode\t")
	for _, state := range item.States {
		fmt.Fprintf(w, "%s\t", state)
	}
	fmt.Fprint(w, "kappa\t\n")
	for _, mode := range item.Modes {
		fmt.Fprintf(w, "%s\t", mode)
		for _, state := range item.States {
			fmt.Fprintf(w, "%d\t", s.ByMode[mode][state])
		}
		kappa, two := s.Kappa[mode]
		if !two {
			kappa = "-"
		}
		fmt.Fprintf(w, "%s\t\n", kappa)
	}
	fmt.Fprint(w, "\nreviewer\tkind\tlabels\t\n")
	for _, r := range s.Reviewers {
		fmt.Fprintf(w, "%s\t%s\t%d\t\n", clikit.Printable(r.Name), clikit.Printable(r.Kind), r.Labels)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range s.Conflicts {
		fmt.Fprintf(out, "\n%s is in conflict:\n", clikit.Printable(c.Instance))
		for _, why := range c.Why {
			fmt.Fprintf(out, "  %s\n", clikit.Printable(why))
		}
	}
	for _, pair := range s.Dropped {
		fmt.Fprintf(out, "\n%s is dropped: `licet-lab authgate pack` leaves it out\n", clikit.Printable(pair))
	}
	return nil
}
