//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestKilledBuild kills a build as soon as its journal has one record, two, and so on,
// and starts it again. The model is then asked for what has no recorded answer, once,
// and the data set is that of a build that was left alone.
func TestKilledBuild(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	example := filepath.Join("..", "..", "data", "authgate", "example")
	text, err := os.ReadFile(filepath.Join(example, "script.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	asked := counting(t, dir, string(text))
	lab := func(out, who string) *exec.Cmd {
		return &exec.Cmd{Path: self, Args: []string{"licet-lab", "authgate", "build", "--plan", filepath.Join(example, "plan.yaml"), "--out", out,
			"--models", filepath.Join(dir, who), "--model", "stand-in", "--family", "example", "--calls", "20"}}
	}
	const calls = 5
	finish := func(out string, now int) string {
		t.Helper()
		asked.reset()
		text, err := lab(out, counted).CombinedOutput()
		if err != nil || !strings.Contains(string(text), fmt.Sprintf("1 of 1 slots have their pair; %d calls sent", calls)) {
			t.Fatalf("%v: %s", err, text)
		}
		if n, most := asked.count(); n != now || most > 1 {
			t.Fatalf("%d calls were made, one of them %d times, and %d had no answer", n, most, now)
		}
		return dataSet(t, filepath.Join(out, "data"))
	}
	whole := filepath.Join(dir, "whole")
	want := finish(whole, calls)
	journal, err := os.ReadFile(filepath.Join(whole, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	size, amid := int64(0), 0
	for line := range bytes.Lines(journal) {
		size += int64(len(line))
		out := filepath.Join(dir, fmt.Sprint(size))
		killAfter(t, lab(out, "killed"), filepath.Join(out, "journal.jsonl"), size-int64(len(line)))
		answered := recordedAnswers(filepath.Join(out, "journal.jsonl"))
		if answered < calls {
			amid++
		}
		if got := finish(out, calls-answered); got != want {
			t.Errorf("killed with %d answers: another data set", answered)
		}
	}
	if amid < 5 {
		t.Errorf("%d kills came before the build had ended: the test did not look", amid)
	}
}

// recordedAnswers counts the answers in a journal whose last record may be torn.
func recordedAnswers(path string) int {
	text, _ := os.ReadFile(path) // not there if it was killed at once
	return bytes.Count(text[:bytes.LastIndexByte(text, '\n')+1], []byte(`{"answered":`))
}

// timed is what differs between two data sets that were made at different times.
var timed = regexp.MustCompile(`"(created|row)":"[^"]*"`)

// dataSet returns rows and drops.
func dataSet(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"instances.jsonl", "signals.jsonl", "drops.jsonl"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(timed.ReplaceAllLiteral(text, nil))
	}
	return all.String()
}
