//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// TestKilledRun kills a run that asks judges, at 20 random points of what it has
// recorded, and starts it again: it asks what has no recorded answer and nothing
// else, and comes to the decisions of a run that was left alone.
func TestKilledRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join("..", "..", "data", "authgate", "v0")
	lab := func(out string) *exec.Cmd {
		return &exec.Cmd{Path: self, Args: []string{"licet-lab", "authgate", "run", "--data", data, "--out", out, "--model", "grounded", "--model", "keyword", "--epochs", "3"}}
	}
	const all = 2 * 180 * 3 // judges, instances, epochs
	finish := func(out string, now int) string {
		t.Helper()
		text, err := lab(out).CombinedOutput()
		if want := fmt.Sprintf("%d of %d questions answered, %d of them now\n", all, all, now); err != nil || string(text) != want {
			t.Fatalf("%v: %q, want %q", err, text, want)
		}
		return answers(t, out)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	want := finish(whole, all)
	size := fileSize(filepath.Join(whole, "results.jsonl"))
	amid := 0
	for range 20 {
		out := filepath.Join(t.TempDir(), "out")
		recorded := killAfter(t, lab(out), filepath.Join(out, "results.jsonl"), rand.Int64N(size))
		if recorded > 0 && recorded < all {
			amid++
		}
		if got := finish(out, all-recorded); got != want {
			t.Errorf("killed after %d answers: other decisions", recorded)
		}
	}
	if amid < 5 {
		t.Errorf("%d of 20 kills came while answers were recorded: the test did not look", amid)
	}
}

// killAfter starts a command, kills it once a file is larger than size or the
// command has ended, and returns how many whole lines the file has.
func killAfter(t *testing.T, cmd *exec.Cmd, path string, size int64) int {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait() // its error says that it was killed
		close(ended)
	}()
	for fileSize(path) <= size {
		select {
		case <-ended:
		default:
			runtime.Gosched()
			continue
		}
		break
	}
	cmd.Process.Kill()
	<-ended
	text, _ := os.ReadFile(path) // not there if it was killed at once
	return bytes.Count(text, []byte("\n"))
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// answers returns the rows of a run in the order of their keys.
func answers(t *testing.T, out string) string {
	t.Helper()
	file, err := os.Open(filepath.Join(out, "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := result.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := result.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
