//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestKilledReplay kills a replay at 20 random points, by what it was given to read
// until then, and starts it again: the report has the same bytes as that of a
// replay that was left alone.
func TestKilledReplay(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	lab := func(path, out string) *exec.Cmd {
		return &exec.Cmd{Path: self, Args: []string{"licet-lab", "replay", "--contract", "../../contracts/bank/licet.yaml", "--out", out, path}}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "traces.jsonl")
	const many = 200
	traces := manyTraces(many)
	finish := func(out string) []byte {
		t.Helper()
		os.Remove(path)
		if err := os.WriteFile(path, traces, 0o666); err != nil {
			t.Fatal(err)
		}
		if text, err := lab(path, out).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		var all []byte
		for _, name := range []string{"report.html", "report.md", "report.json", "answers.jsonl"} {
			text, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, text...)
		}
		return all
	}
	want := finish(filepath.Join(dir, "whole"))
	amid := 0 // kills that came after some of the answers and before the last
	for i := range 20 {
		out := filepath.Join(dir, fmt.Sprint(i))
		killAmid(t, lab(path, out), path, traces[:rand.IntN(len(traces))])
		left, _ := os.ReadFile(filepath.Join(out, "answers.jsonl")) // not there if it was killed at once
		if n := bytes.Count(left, []byte("\n")); n > 1 && n <= many {
			amid++
		}
		if got := finish(out); !bytes.Equal(got, want) {
			t.Errorf("kill %d, with %d bytes of answers: another report", i, len(left))
		}
	}
	if amid < 5 {
		t.Errorf("%d of 20 kills came while answers were written: the test did not look", amid)
	}
}

// killAmid starts a replay of a pipe, writes the beginning of a file into it, and
// kills the replay. A pipe holds little, so most of it was read by then.
func killAmid(t *testing.T, cmd *exec.Cmd, path string, beginning []byte) {
	t.Helper()
	os.Remove(path)
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDWR, 0) // does not wait for a reader
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := pipe.Write(beginning); err != nil {
		t.Error(err)
	}
	cmd.Process.Kill()
	cmd.Wait() // its error says that it was killed
}

// manyTraces returns n traces, some of which are held or blocked, larger together
// than what a pipe holds.
func manyTraces(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"t%d","prompt":"pay Chen %s","calls":[{"tool":"get_contacts","args":{},"result":"contacts: [{name: Chen, iban: GB1}]"},{"tool":"send_money","args":{"recipient":"GB%d","amount":%d}}]}`+"\n",
			i, strings.Repeat("please ", 300), 1+i%2, i*10)
	}
	return []byte(b.String())
}
