package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// run returns the exit status: 0 written, 1 failure, 2 wrong usage.
func run(args []string, errOut io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(errOut, "usage: changelog FILE")
		return 2
	}
	if err := rewrite(args[0]); err != nil {
		fmt.Fprintf(errOut, "changelog: %v\n", err)
		return 1
	}
	return 0
}

func rewrite(file string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the changelog: %w", err)
	}
	subjects, err := subjectsSinceTag()
	if err != nil {
		return fmt.Errorf("reading the commits: %w", err)
	}
	text, err := withUnreleased(string(old), section(subjects))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return fmt.Errorf("writing the changelog: %w", err)
	}
	return nil
}

// subjectsSinceTag returns the subjects of the commits since the last tag,
// oldest first, or of all commits where there is no tag.
func subjectsSinceTag() ([]string, error) {
	tags, err := git("tag", "--merged", "HEAD", "--sort=-creatordate")
	if err != nil {
		return nil, err
	}
	revisions := "HEAD"
	if tag, _, _ := strings.Cut(tags, "\n"); tag != "" {
		revisions = tag + "..HEAD"
	}
	log, err := git("log", "--no-merges", "--reverse", "--format=%s", revisions)
	return strings.Split(log, "\n"), err
}

func git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

var subjectForm = regexp.MustCompile(`^([a-z0-9][a-z0-9/_., -]*): (\S.*)$`)

// section returns the lines of the Unreleased section: areas in alphabetical
// order, in each its subjects in the order given.
func section(subjects []string) string {
	areas := map[string][]string{}
	for _, subject := range subjects {
		if m := subjectForm.FindStringSubmatch(subject); m != nil && m[1] != "changelog" {
			areas[m[1]] = append(areas[m[1]], m[2])
		}
	}
	var b strings.Builder
	for _, area := range slices.Sorted(maps.Keys(areas)) {
		fmt.Fprintf(&b, "\n### %s\n\n", area)
		for _, text := range areas[area] {
			fmt.Fprintf(&b, "- %s\n", text)
		}
	}
	return b.String()
}

const unreleased = "## [Unreleased]\n"

// withUnreleased returns text with body as its Unreleased section.
func withUnreleased(text, body string) (string, error) {
	before, after, found := strings.Cut(text, unreleased)
	if !found {
		return "", errors.New("no line `## [Unreleased]`")
	}
	rest := ""
	if i := strings.Index(after, "\n## "); i >= 0 {
		rest = after[i:]
	}
	return before + unreleased + body + rest, nil
}
