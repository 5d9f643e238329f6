package contract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/sqlcheck"
)

const shellTools = `{"tools": [{"name": "sh", "inputSchema": {"type": "object", "properties": {
  "command": {"type": "string"}, "urgent": {"type": "boolean"}}}}]}`

// shellRule loads a contract with one agent that may use a shell.
func shellRule(t *testing.T, rule string) *contract.Contract {
	t.Helper()
	c, _ := shellText(t, rule)
	return c
}

// shellText is shellRule, with the text.
func shellText(t *testing.T, rule string) (*contract.Contract, []byte) {
	t.Helper()
	c, err := catalog.Parse([]byte(shellTools))
	if err != nil {
		t.Fatal(err)
	}
	text := "version: 1\nname: s\ncatalogs:\n  host: {pin: \"" + c.Digest() + "\", tools: t.json}\nagents:\n  a:\n    tools:\n      host.sh: {" + rule + "}\n"
	loaded, err := contract.Load("s.yaml", []byte(text), func(string) ([]byte, error) { return []byte(shellTools), nil })
	if err != nil {
		t.Fatalf("%s: %v", rule, err)
	}
	return loaded, []byte(text)
}

const (
	runLs   = "{command: {shell: {run: [ls]}}}"
	runPush = "{command: {shell: {run: [git push]}}}"
	runID   = "{command: {shell: {run: [id]}}}"
)

// TestCompareBeside: a clause of approve takes what allow covers, so that it is
// not proven narrower than one clause of allow that says the same.
func TestCompareBeside(t *testing.T) {
	for _, tt := range []struct {
		old, new string
		want     contract.Direction
	}{
		{"allow: [" + runLs + "], approve: [" + runPush + "]", "allow: [" + runLs + "], approve: [" + runPush + "]", contract.Equal},
		{"allow: [" + runLs + "], approve: [" + runPush + "]", "approve: [" + runPush + "]", contract.Narrower},
		{"allow: [" + runLs + "]", "allow: [" + runLs + "], approve: [" + runPush + "]", contract.Wider},
		// `ls; id` was refused, and is held now.
		{"allow: [" + runLs + ", " + runID + "]", "allow: [" + runLs + ", " + runID + "], approve: [" + runLs + "]", contract.Wider},
		{"allow: [{}]", "allow: [{}], approve: [" + runLs + "]", contract.Equal},
	} {
		got := contract.Compare(shellRule(t, tt.old), shellRule(t, tt.new)).Direction
		if got != tt.want {
			t.Errorf("%s\nbecomes %s\nis %v, want %v", tt.old, tt.new, got, tt.want)
		}
	}
}

// TestLintBeside: a clause of approve that repeats one of allow still holds
// commands whose parts several clauses cover.
func TestLintBeside(t *testing.T) {
	shadowed := func(rule string) bool {
		c, text := shellText(t, rule)
		return slices.ContainsFunc(contract.Lint("s.yaml", text, c), func(w contract.Warning) bool { return w.Code == contract.Shadowed })
	}
	if shadowed("allow: [" + runLs + ", " + runID + "], approve: [" + runLs + "]") {
		t.Error("a clause that holds `ls; id` is called useless")
	}
	if !shadowed("allow: [" + runLs + ", " + runLs + "]") {
		t.Error("a clause that stands twice is not noticed: the test is not looking")
	}
}

// TestCommandQuestions: what is asked about a command is about the command.
func TestCommandQuestions(t *testing.T) {
	r := shellRule(t, "allow: ["+runLs+"], never: [{command: {shell: {read: [/etc/x]}}, $request: {mentions: [x]}}]").Agent("a").Rule("host", contract.ToolsCall, "sh")
	if !r.JudgesCommands() {
		t.Error("the rule judges no commands")
	}
	found := false
	for _, q := range r.CommandQuestions("ls -l") {
		found = found || q.Shell != nil && q.Shell.Command == "ls -l"
		if q.Shell == nil && q.File == nil {
			t.Errorf("%+v", q)
		}
	}
	if !found {
		t.Error("nothing is asked about the command")
	}
	var steps []string
	for _, k := range r.Commands("ls -l", constraint.Answers{}) {
		steps = append(steps, k.Step)
		if k.Coverage != nil {
			t.Errorf("%s says something of a command about which nothing is known", k.Path)
		}
	}
	if got := strings.Join(steps, " "); got != "never allow" {
		t.Errorf("steps %s", got)
	}
}

// TestReadsSQL: whether an agent's calls are read as SQL of a dialect, wherever a
// clause says so.
func TestReadsSQL(t *testing.T) {
	const clause = "{command: {sql: {dialect: postgresql, read_only: true}}}"
	for rule, want := range map[string]bool{
		"allow: [" + clause + "]":                  true,
		"approve: [" + runLs + ", " + clause + "]": true,
		"allow: [" + runLs + "], never: [{command: {sql: {dialect: postgresql, statements: [drop]}}}]": true,
		"allow: [{command: {sql: {dialect: sqlite, read_only: true}}}]":                                false,
		"allow: [" + runLs + "]": false,
		"allow: [" + clause + "]}\n  b:\n    extends: a\n    tools:\n      host.sh: {allow: [" + runLs + "]": true,
	} {
		c := shellRule(t, rule)
		agents := c.Agents()
		if got := c.Agent(agents[len(agents)-1]).ReadsSQL(sqlcheck.PostgreSQL); got != want {
			t.Errorf("%s: %t, want %t", rule, got, want)
		}
	}
}
