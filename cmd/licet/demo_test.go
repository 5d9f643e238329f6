package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// program returns the path of a licet program: this test under another name,
// which TestMain turns into the program.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "licet")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// runProgram runs licet in a home of its own and returns what it printed.
func runProgram(t *testing.T, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return runOn(t, "", env, args...)
}

// runWith is runProgram with something to read.
func runWith(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return runOn(t, stdin, nil, args...)
}

func runOn(t *testing.T, stdin string, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program(t), args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), append([]string{"HOME=" + t.TempDir(), "XDG_STATE_HOME=", "LICET_STATE=", "NO_COLOR="}, env...)...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

var (
	kept    = regexp.MustCompile(`(?m)^Kept: (\S+) `)
	verdict = regexp.MustCompile(`(?m)^    (ALLOW|REQUIRE_APPROVAL|BLOCK)  (\w+)$`)
)

// demo runs the demo, keeps its directory for the test, and returns what was
// printed as "verdict code" lines.
func demo(t *testing.T, args ...string) (dir, output string, verdicts []string) {
	t.Helper()
	tmp := t.TempDir()
	out, errOut, status := runProgram(t, []string{"TMPDIR=" + tmp}, append([]string{"demo", "--keep"}, args...)...)
	if status != 0 {
		t.Fatalf("exit status %d\n%s\n%s", status, out, errOut)
	}
	for _, m := range verdict.FindAllStringSubmatch(out, -1) {
		verdicts = append(verdicts, m[1]+" "+m[2])
	}
	return kept.FindStringSubmatch(out)[1], out, verdicts
}

// recorded reads the decisions of a state directory through the command line.
func recorded(t *testing.T, dir string) (verdicts []string, granted int) {
	t.Helper()
	out, errOut, status := runProgram(t, nil, "log", "show", "--decisions", "--json", "--last", "0", "--state", filepath.Join(dir, "state"))
	if status != 0 {
		t.Fatal(errOut)
	}
	for line := range strings.Lines(out) {
		var r struct {
			Body struct {
				Verdict string
				Granted bool
				Reasons []struct{ Code string }
			}
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, r.Body.Verdict+" "+r.Body.Reasons[0].Code)
		if r.Body.Granted {
			granted++
		}
	}
	return verdicts, granted
}

func TestDemo(t *testing.T) {
	dir, out, printed := demo(t)
	want := []string{
		"ALLOW allow_clause", "ALLOW allow_clause", "ALLOW allow_clause",
		"BLOCK no_clause", "BLOCK invalid_arguments",
		"REQUIRE_APPROVAL approve_clause", "ALLOW approved", "BLOCK approval_used", "BLOCK limit",
		"ALLOW allow_clause", "BLOCK quarantined", "ALLOW allow_clause",
	}
	if !slices.Equal(printed, want) {
		t.Errorf("printed\n%q, want\n%q", printed, want)
	}
	if !regexp.MustCompile(`Verified \d+ records. Head: sha256:`).MatchString(out) || !strings.Contains(out, "NOT VERIFIED after") {
		t.Errorf("the log is not shown as verified, and its changed copy as not:\n%s", out)
	}
	inLog, granted := recorded(t, dir)
	if !slices.Equal(inLog, printed) {
		t.Errorf("the log says\n%q, printed was\n%q", inLog, printed)
	}
	journal, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	for line := range strings.Lines(string(journal)) {
		var call struct {
			Tool      string
			Arguments struct {
				Amount    float64
				Recipient string
			}
		}
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			t.Fatal(err)
		}
		ran = append(ran, call.Tool)
		if call.Arguments.Recipient == "GB33BUKB20201555555555" || call.Arguments.Amount > 400 {
			t.Errorf("a blocked payment reached the bank: %s", line)
		}
	}
	if wantRan := []string{"read_file", "get_contacts", "send_money", "send_money", "get_balance", "list_transactions"}; !slices.Equal(ran, wantRan) || granted != len(ran) {
		t.Errorf("the bank ran %q (%d granted), want %q", ran, granted, wantRan)
	}
}

// TestDemoWithAnotherContract: one clause more, and one verdict differs.
func TestDemoWithAnotherContract(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../contracts/bank")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "licet.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "        approve:\n          - amount: {min: 0.01, max: 1000}\n",
		"        approve:\n          - recipient: {const: GB33BUKB20201555555555}\n          - amount: {min: 0.01, max: 1000}\n", 1)
	if changed == string(text) {
		t.Fatal("the contract was not changed")
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, printed := demo(t, "--contract", path)
	if len(printed) < 4 || printed[3] != "REQUIRE_APPROVAL approve_clause" {
		t.Errorf("with another clause for the injected payment: %q", printed)
	}
}

func TestDemoLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	if out, errOut, status := runProgram(t, []string{"TMPDIR=" + tmp}, "demo"); status != 0 {
		t.Fatalf("exit status %d\n%s%s", status, out, errOut)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("the demo left %v (%v)", left, err)
	}
}
