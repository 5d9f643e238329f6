package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/importer"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

func (a *app) authgateImport() *cobra.Command {
	var mapping, out string
	var partial bool
	c := &cobra.Command{
		Use: "import --mapping NAME|FILE --out DIR RECORDS ...", Short: "Make a data set of labelled records of others", Args: cobra.MinimumNArgs(1),
		Long: `Reads labelled records, one JSON object a line (perhaps packed by gzip), and writes
them as a data set that "run" and "report" take. A mapping says where in a record
request, steps, action and label stand, what the words of the label mean, and where
the data are from, under which licence (docs/authgate-exchange.md). The program has a
mapping for ` + strings.Join(importer.BuiltInNames(), ", ") + `.

What the source does not say is null. Two records are a pair only if the source says
so and their bytes prove it; invariant rate and pair accuracy are of such pairs alone.

Every record is a row, left out for a reason of the mapping, or a problem with file
and line. With a problem nothing is written, unless --partial takes the rest. The
counts are printed, and stand in manifest.json.`,
		Example: "  licet-lab authgate import --mapping asse-bench --out asse corpora/asse-bench/security.jsonl.gz",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			return a.importItems(mapping, out, partial, args)
		}),
	}
	c.Flags().StringVar(&mapping, "mapping", "", "what the records mean: a name, or a file (required)")
	c.Flags().StringVar(&out, "out", "", "folder for the data set (required)")
	c.Flags().BoolVar(&partial, "partial", false, "leave out records that the mapping does not fit")
	for _, name := range []string{"mapping", "out"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
	return c
}

// mostProblems is how many problems of an import are printed.
const mostProblems = 20

func (a *app) importItems(mapping, out string, partial bool, files []string) (err error) {
	m, err := readMapping(mapping)
	if err != nil {
		return err
	}
	var sources []importer.Source
	for _, name := range files {
		in, err := os.Open(name)
		if err != nil {
			return err
		}
		defer in.Close()
		sources = append(sources, importer.Source{Name: filepath.Base(name), In: in})
	}
	set, problems, err := importer.Import(m, sources)
	for n, p := range problems {
		if n == mostProblems {
			fmt.Fprintf(a.err, "and %d more\n", len(problems)-n)
			break
		}
		fmt.Fprintln(a.err, clikit.Printable(p.Error()))
	}
	if err != nil {
		return err
	}
	if len(problems) > 0 && !partial {
		return fmt.Errorf("the mapping does not fit %d of %d records, so that nothing was written: change it, or take the rest with --partial", len(problems), set.Imported.Records)
	}
	if err := set.WriteImported(out); err != nil {
		return err
	}
	printImported(a.out, set)
	return nil
}

// readMapping returns the mapping of a name, or of a file.
func readMapping(word string) (*importer.Mapping, error) {
	if m, ok := importer.BuiltIn(word); ok {
		return m, nil
	}
	text, err := os.ReadFile(word)
	if errors.Is(err, os.ErrNotExist) {
		return nil, clikit.Usagef("--mapping %s: no such file, and the program has only %s", word, strings.Join(importer.BuiltInNames(), ", "))
	}
	if err != nil {
		return nil, err
	}
	return importer.ReadMapping(word, text)
}

func printImported(out io.Writer, set *item.Set) {
	m, block := set.Imported, 0
	for _, i := range set.Instances {
		if i.Label.Gold == item.Block {
			block++
		}
	}
	fmt.Fprintf(out, "%d records: %d rows (%d to block, %d to allow), %d pairs among them\n", m.Records, m.Rows, block, m.Rows-block, m.Pairs)
	for _, counts := range []struct {
		what string
		by   map[string]int
	}{{"left out", m.LeftOut}, {"in no pair", m.Unpaired}} {
		for _, why := range slices.Sorted(maps.Keys(counts.by)) {
			fmt.Fprintf(out, "%d %s: %s\n", counts.by[why], counts.what, clikit.Printable(why))
		}
	}
	fmt.Fprintf(out, "%s, %s\n", clikit.Printable(m.Source), clikit.Printable(m.License))
}
