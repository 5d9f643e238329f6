//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/testkit"
)

// TestSharedRun has two processes run the same command on one database: each is
// told of all answers, together they have given each one, and the decisions are
// those of a run on one machine.
func TestSharedRun(t *testing.T) {
	pg := testkit.StartPostgres(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	lab := func(out string, more ...string) (*exec.Cmd, *strings.Builder) {
		args := []string{"licet-lab", "authgate", "run", "--data", filepath.Join("..", "..", "data", "authgate", "v0"), "--out", filepath.Join(dir, out), "--model", "grounded", "--model", "coin", "--signals"}
		var said strings.Builder
		return &exec.Cmd{Path: self, Args: append(args, more...), Env: append(os.Environ(), "LAB_DATABASE="+pg.URL("postgres")), Stdout: &said, Stderr: &said}, &said
	}
	const all = 2 * 2 * 180 // judges, forms, instances
	alone, said := lab("alone")
	if err := alone.Run(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	want := answers(t, filepath.Join(dir, "alone"))

	answered := 0
	var commands []*exec.Cmd
	var printed []*strings.Builder
	for _, out := range []string{"one", "two"} {
		c, said := lab(out, "--database", "LAB_DATABASE")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		commands, printed = append(commands, c), append(printed, said)
	}
	for i, c := range commands {
		if err := c.Wait(); err != nil {
			t.Fatalf("%v: %s", err, printed[i])
		}
		now := 0
		if _, err := fmt.Sscanf(printed[i].String(), fmt.Sprintf("%d of %d questions answered, %%d of them now\n", all, all), &now); err != nil {
			t.Errorf("printed %q: %v", printed[i], err)
		}
		answered += now
	}
	if answered != all {
		t.Errorf("together they gave %d answers to %d questions", answered, all)
	}
	for _, out := range []string{"one", "two"} {
		if answers(t, filepath.Join(dir, out)) != want {
			t.Errorf("%s: other decisions than on one machine", out)
		}
	}
	other, said := lab("other", "--database", "LAB_DATABASE", "--epochs", "2")
	if err := other.Run(); err == nil || !strings.Contains(said.String(), "in the schema is another run: its epochs are 1, not 2; give it a schema of its own") {
		t.Errorf("another run: %v, %s", err, said)
	}
}

// TestSharedSecbench has two processes play the same runs over one database: each has
// all of them, together they have played each once, and all are graded as those of
// one machine. Somebody with other runs is refused.
func TestSharedSecbench(t *testing.T) {
	needSandbox(t)
	t.Setenv("LAB_DATABASE", testkit.StartPostgres(t).URL("postgres"))
	alone := newSecbenchSet(t)
	if cmd, said := alone.run(t); cmd.Run() != nil {
		t.Fatalf("alone: %s", said)
	}
	want, played := alone.finished(t), 0
	sets := []secbenchSet{newSecbenchSet(t), newSecbenchSet(t)}
	var commands []*exec.Cmd
	var printed []*bytes.Buffer
	for _, s := range sets {
		cmd, said := s.run(t, "--database", "LAB_DATABASE")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		commands, printed = append(commands, cmd), append(printed, said)
	}
	for i, cmd := range commands {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, printed[i])
		}
		now := 0
		if _, err := fmt.Sscanf(printed[i].String(), fmt.Sprintf("%d of %d runs finished, %%d of them now\n", secbenchCells, secbenchCells), &now); err != nil {
			t.Errorf("said %q: %v", printed[i], err)
		}
		played += now
	}
	if played != secbenchCells {
		t.Errorf("together they played %d of %d runs", played, secbenchCells)
	}
	for _, s := range sets {
		if got := s.finished(t); got != want {
			t.Errorf("shared they are graded as\n%s\nalone as\n%s", got, want)
		}
	}
	other, said := newSecbenchSet(t).run(t, "--database", "LAB_DATABASE", "--seed", "3")
	if err := other.Run(); err == nil || !strings.Contains(said.String(), "in the schema is another run: its seeds are [1], not [1 3]; give it a schema of its own") {
		t.Errorf("other runs: %v, %s", err, said)
	}
}
