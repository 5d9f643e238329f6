package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Pinned together: a newer database may hold new findings, which is a change
// to look at and not a surprise in somebody's unrelated work.
const (
	scanner  = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
	database = "golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018"
	indexer  = "golang.org/x/vulndb/cmd/indexdb@v0.0.0-20261105234957-e22db6528018"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit status: 0 nothing to do, 1 findings and exceptions
// differ or the scan did not work, 2 wrong usage.
func run(args []string, out, errOut io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(errOut, "usage: vulncheck EXCEPTIONS-FILE")
		return 2
	}
	if err := check(args[0], out); err != nil {
		fmt.Fprintf(errOut, "vulncheck: %v\n", err)
		return 1
	}
	return 0
}

func check(exceptionsFile string, out io.Writer) error {
	text, err := os.ReadFile(exceptionsFile)
	if err != nil {
		return fmt.Errorf("reading exceptions: %w", err)
	}
	exceptions, err := parseExceptions(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", exceptionsFile, err)
	}
	stream, err := scan()
	if err != nil {
		return err
	}
	result, err := readScan(bytes.NewReader(stream))
	if err != nil {
		return fmt.Errorf("reading what govulncheck found: %w", err)
	}
	fmt.Fprintf(out, "%d known vulnerabilities in required modules, %d reachable, %d excepted\n",
		result.known, len(result.reached), len(exceptions))
	return compare(result.reached, exceptions)
}

// scan returns govulncheck's JSON messages about the packages of the module
// in the working directory.
func scan() ([]byte, error) {
	temp, err := os.MkdirTemp("", "vulndb-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the database: %w", err)
	}
	messages, err := scanWith(filepath.Join(temp, "db"))
	return messages, errors.Join(err, os.RemoveAll(temp))
}

func scanWith(db string) ([]byte, error) {
	answer, err := goCommand("mod", "download", "-json", database)
	if err != nil {
		return nil, fmt.Errorf("downloading the vulnerability data: %w", err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(answer, &module); err != nil {
		return nil, fmt.Errorf("finding the vulnerability data: %w", err)
	}
	if _, err := goCommand("run", indexer, "-vulns", filepath.Join(module.Dir, "data", "osv"), "-out", db); err != nil {
		return nil, fmt.Errorf("indexing the vulnerability data: %w", err)
	}
	messages, err := goCommand("run", scanner, "-format", "json", "-db", "file://"+filepath.ToSlash(db), "./...")
	if err != nil {
		return nil, fmt.Errorf("scanning: %w", err)
	}
	return messages, nil
}

func goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}
