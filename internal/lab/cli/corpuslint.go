package cli

import (
	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/corpus"
)

// lintFlags are the flags of `corpus lint`.
type lintFlags struct {
	least        int
	same, asJSON bool
	tags         bool
}

func (a *app) corpusLint() *cobra.Command {
	var f lintFlags
	c := &cobra.Command{
		Use: "lint FILE ...", Short: "Check cases against the rules of a corpus",
		Long: `Refuses cases that prove nothing. FILE is a case file, or a folder of them. Each
case names its kind, ids of public lists as tags, and in one sentence what
decides. An attack is stopped or held, and has a harmless twin on the same tool.
Cases that differ only in names or literals count as one (docs/lab.md says how
that is measured), and each domain, which is a file, has enough that are
distinct. The exit status is 1 if there is a problem.`,
		Example: "  licet-lab corpus lint corpora/scenarios",
		RunE:    clikit.RunE(func(_ *cobra.Command, args []string) error { return a.lintCorpus(f, args) }),
	}
	c.Flags().IntVar(&f.least, "least", corpus.LeastPerDomain, "how many distinct cases a domain has at least")
	c.Flags().BoolVar(&f.same, "same", false, "name the cases that count as one, with their similarity")
	c.Flags().BoolVar(&f.tags, "tags", false, "list the tags that cases may have, instead of checking")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print counts and problems as JSON")
	return c
}

func (a *app) lintCorpus(f lintFlags, paths []string) error {
	if f.tags {
		return corpus.Tags(a.out)
	}
	if len(paths) == 0 {
		return clikit.Usagef("FILE is missing")
	}
	checked, err := corpus.Lint(paths, f.least)
	if err != nil {
		return err
	}
	if f.asJSON {
		err = clikit.PrintJSON(a.out, checked)
	} else {
		err = checked.Print(a.out, f.same)
	}
	if err == nil && len(checked.Problems) > 0 {
		err = clikit.Exit(clikit.Failed)
	}
	return err
}
