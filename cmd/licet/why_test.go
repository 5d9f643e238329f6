package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata/why")

// changing matches what differs from one run of the demo to the next.
var changing = regexp.MustCompile(`\b[dt]-[A-Z0-9]{16}\b|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [-+A-Z0-9]+`)

// TestWhyOfTheDemo explains one decision of each verdict that the demo makes.
func TestWhyOfTheDemo(t *testing.T) {
	dir, _, _ := demo(t)
	state := filepath.Join(dir, "state")
	out, errOut, status := runProgram(t, nil, "log", "show", "--decisions", "--json", "--last", "0", "--state", state)
	if status != 0 {
		t.Fatal(errOut)
	}
	decisions := map[string]string{} // code and tool to record
	for line := range strings.Lines(out) {
		var r struct {
			ID   string
			Body struct {
				Tool    string
				Reasons []struct{ Code string }
			}
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		decisions[r.Body.Reasons[0].Code+" "+r.Body.Tool] = r.ID
	}
	for name, decision := range map[string]string{
		"allowed": "allow_clause send_money", "held": "approve_clause send_money", "blocked": "no_clause send_money",
		"limit": "limit send_money", "undeclared": "invalid_arguments send_money",
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, status := runProgram(t, nil, "why", decisions[decision], "--state", state)
			if status != 0 {
				t.Fatalf("exit status %d: %s", status, errOut)
			}
			golden(t, filepath.Join("testdata", "why", name+".txt"), changing.ReplaceAllString(out, "CHANGING"))
		})
	}
}

// golden compares text with a file, or rewrites the file with -update.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s differs; with -update it becomes\n%s", path, text)
	}
}
