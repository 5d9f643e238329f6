package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/contract"
)

func (a *app) contractFmt() *cobra.Command {
	f := &contractFormatter{app: a}
	c := &cobra.Command{
		Use:   "fmt FILE ...",
		Short: "Lay out contracts in the canonical way",
		Long: `Writes each contract in one layout: keys in their usual order, two spaces of
indentation, short constraints in one line. Comments are kept, and the digest of
the contract does not change. "-" reads standard input and writes standard
output.`,
		Example: "  licet contract fmt licet.yaml\n  licet contract fmt --check contracts/*/licet.yaml\n  licet contract fmt - < licet.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE:    run(func(_ *cobra.Command, args []string) error { return f.format(args) }),
	}
	c.Flags().BoolVar(&f.check, "check", false, "write nothing; name the files that have another layout, and exit with status 1")
	c.Flags().BoolVar(&f.diff, "diff", false, "write nothing; print what would change, and exit with status 1 if anything would")
	c.MarkFlagsMutuallyExclusive("check", "diff")
	return c
}

// contractFormatter lays out contracts.
type contractFormatter struct {
	*app
	check, diff bool
}

func (f *contractFormatter) format(paths []string) error {
	other := false
	for _, path := range paths {
		changed, err := f.file(path)
		if err != nil {
			return err
		}
		other = other || changed
	}
	if other && (f.check || f.diff) {
		return exit(exitFailure)
	}
	return nil
}

// file lays out one contract, and says whether it had another layout.
func (f *contractFormatter) file(path string) (changed bool, err error) {
	text, err := f.text(path)
	if err != nil {
		return false, fmt.Errorf("reading the contract: %w", err)
	}
	formatted, err := contract.Format(path, text)
	if problems := (contract.Problems)(nil); errors.As(err, &problems) {
		return false, err
	} else if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	changed = !bytes.Equal(text, formatted)
	switch {
	case f.check && changed:
		_, err = fmt.Fprintln(f.out, path)
	case f.diff && changed:
		f.printLayout(path, text, formatted)
	case f.check, f.diff:
	case path == "-":
		_, err = f.out.Write(formatted)
	case changed:
		err = replaceFile(path, formatted)
	}
	return changed, err
}

func (f *contractFormatter) text(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(io.LimitReader(f.in, maxFile))
	}
	return os.ReadFile(path)
}

// printLayout prints the lines that another layout changes.
func (f *contractFormatter) printLayout(path string, old, new []byte) {
	st := f.style()
	fmt.Fprintln(f.out, st.bold(path))
	for _, d := range diffLines(strings.Split(string(old), "\n"), strings.Split(string(new), "\n")) {
		fmt.Fprintf(f.out, "  %s\n", st.diffLine(d))
	}
}
