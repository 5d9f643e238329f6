package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// gremlins is the tool that makes and runs the mutants.
const gremlins = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, runGremlins)) }

// run returns the exit status: 0 good, 1 not good enough or not looked at, 2
// wrong usage.
func run(args []string, out, errOut io.Writer, mutate mutator) int {
	flags := flag.NewFlagSet("gomutate", flag.ContinueOnError)
	flags.SetOutput(errOut)
	keep := flags.String("keep", "", "folder for what came of each file (required)")
	floor := flags.Int("floor", 0, "percentage of the mutants that ran that must be killed")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *keep == "" || flags.NArg() == 0 {
		fmt.Fprintln(errOut, "usage: gomutate -keep DIR [-floor PERCENT] PACKAGE ...")
		return 2
	}
	var all counts
	for _, dir := range flags.Args() {
		c, err := packageCounts(dir, *keep, out, mutate)
		if err != nil {
			fmt.Fprintf(errOut, "gomutate: %s: %v\n", dir, err)
			return 1
		}
		fmt.Fprintf(out, "%s: %s\n", dir, c)
		all = all.add(c)
	}
	fmt.Fprintf(out, "all: %s\n", all)
	if all.percent() < *floor {
		fmt.Fprintf(errOut, "gomutate: less than %d %% is killed\n", *floor)
		return 1
	}
	return 0
}

// mutator makes and runs the mutants of one file of a package, and writes the
// report of gremlins.
type mutator func(dir, file string, others []string, report string) error

// patience is how long a mutant may take, compiling included: enough on a busy
// machine, and not too long for one that never ends.
const patience = 2 * time.Minute

// memory is how many bytes of addresses a mutant may take: several times what
// compiling and testing need.
const memory = 6 << 30

// coefficient says the same in the way of gremlins: how many times longer than
// the tests of the package, which must pass without a change.
func coefficient(dir string) (string, error) {
	start := time.Now()
	if out, err := exec.Command("go", "test", "-count=1", "-cover", "./"+dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("testing what is not changed: %w\n%s", err, out)
	}
	return strconv.Itoa(2 + int(patience/time.Since(start))), nil
}

// runGremlins runs gremlins on one file, one mutant at a time, because mutants
// that compete for processors time out. It excludes by expressions, so all
// others of the package and of packages below are named.
func runGremlins(dir, _ string, others []string, report string) error {
	times, err := coefficient(dir)
	if err != nil {
		return err
	}
	if err := boundMemory(memory); err != nil {
		return fmt.Errorf("bounding the memory of mutants: %w", err)
	}
	args := []string{"run", gremlins, "unleash", "./" + dir, "--silent", "--workers", "1", "--timeout-coefficient", times, "--output", report, "--exclude-files", "/"}
	for _, o := range others {
		args = append(args, "--exclude-files", "^"+regexp.QuoteMeta(o)+"$")
	}
	cmd := exec.Command("go", args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -count=1 -vet=off -failfast") // a cached run would take no time, and its multiple next to none
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running gremlins: %w", err)
	}
	return nil
}

// packageCounts looks at every file of a package.
func packageCounts(dir, keep string, out io.Writer, mutate mutator) (all counts, err error) {
	files, digest, err := look(dir)
	if err != nil {
		return all, err
	}
	for i, file := range files {
		kept := filepath.Join(keep, filepath.FromSlash(dir), file+"."+digest+".json")
		r, err := readReport(kept)
		if errors.Is(err, os.ErrNotExist) {
			others := append(append([]string{}, files[:i]...), files[i+1:]...)
			r, err = fresh(dir, file, others, kept, mutate)
		}
		if err != nil {
			return all, fmt.Errorf("%s: %w", file, err)
		}
		c := r.print(out, dir)
		fmt.Fprintf(out, "  %-24s %s\n", file, c)
		all = all.add(c)
	}
	if all.killed+all.lived == 0 {
		return all, errors.New("no mutant ran: the tool is not looking")
	}
	return all, nil
}

// maxOthers: at most one in so many mutants of a file may end without a verdict
// of the tests.
const maxOthers = 4

// fresh runs the mutants of a file and keeps the report, whole or not at all.
func fresh(dir, file string, others []string, kept string, mutate mutator) (report, error) {
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return report{}, err
	}
	draft, err := filepath.Abs(kept + ".draft")
	if err != nil {
		return report{}, err
	}
	defer os.Remove(draft) // gone already where all went well
	if err := mutate(dir, file, others, draft); err != nil {
		return report{}, err
	}
	if _, err := os.Stat(draft); errors.Is(err, os.ErrNotExist) { // gremlins writes none for a file without mutants
		if err := os.WriteFile(draft, []byte("{}"), 0o644); err != nil {
			return report{}, err
		}
	}
	r, err := readReport(draft)
	if err != nil {
		return r, err
	}
	if c := r.print(io.Discard, dir); c.others*maxOthers > c.killed+c.lived+c.untried+c.others {
		return r, fmt.Errorf("%d mutants timed out or did not compile, and that is too many to say anything: is the machine busy?", c.others)
	}
	return r, os.Rename(draft, kept)
}

// look returns the files of a package without its tests, and a digest of it
// with them.
func look(dir string) (files []string, digest string, err error) {
	found, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, "", err
	}
	sum := sha256.New()
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, "", err
		}
		name := filepath.Base(path)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		if !strings.HasSuffix(name, "_test.go") && name != "doc.go" {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return nil, "", errors.New("no Go file")
	}
	return files, fmt.Sprintf("%x", sum.Sum(nil)[:8]), nil
}

// report is what gremlins writes.
type report struct {
	Files []struct {
		Name      string `json:"file_name"`
		Mutations []struct {
			Type, Status string
			Line, Column int
		} `json:"mutations"`
	} `json:"files"`
}

func readReport(path string) (r report, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("reading %s: %w", path, err)
	}
	return r, nil
}

// print lists the survivors of a report and counts it.
func (r report) print(out io.Writer, dir string) (c counts) {
	for _, f := range r.Files {
		for _, m := range f.Mutations {
			switch m.Status {
			case "KILLED":
				c.killed++
			case "LIVED":
				c.lived++
			case "NOT COVERED":
				c.untried++
			default:
				c.others++
			}
			if m.Status == "LIVED" || m.Status == "NOT COVERED" {
				fmt.Fprintf(out, "    %s/%s:%d:%d: %s %s\n", dir, f.Name, m.Line, m.Column, strings.ToLower(m.Status), strings.ToLower(m.Type))
			}
		}
	}
	return c
}

// counts of mutants by what came of them.
type counts struct{ killed, lived, untried, others int }

func (c counts) add(d counts) counts {
	return counts{c.killed + d.killed, c.lived + d.lived, c.untried + d.untried, c.others + d.others}
}

// percent returns how many of those that ran were killed, rounded down; 100 of
// none.
func (c counts) percent() int {
	if c.killed+c.lived == 0 {
		return 100
	}
	return 100 * c.killed / (c.killed + c.lived)
}

func (c counts) String() string {
	return fmt.Sprintf("%d %% killed: %d of %d that compiled and ran; %d not tried, %d timed out or did not compile",
		c.percent(), c.killed, c.killed+c.lived, c.untried, c.others)
}
