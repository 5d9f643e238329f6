package contract_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/licet-dev/licet/internal/contract"
)

// editor compiles the schema for editors.
func editor(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(contract.EditorSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("contract.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("contract.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate returns what the schema says of a contract.
func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s.Validate(doc)
}

// TestEditorSchemaIsShipped compares the schema with the copy for editors, which
// `licet contract schema > docs/spec/contract.schema.json` writes.
func TestEditorSchemaIsShipped(t *testing.T) {
	shipped, err := os.ReadFile("../../docs/spec/contract.schema.json")
	if err != nil || !bytes.Equal(shipped, contract.EditorSchema()) {
		t.Errorf("docs/spec/contract.schema.json is not what `licet contract schema` prints (%v)", err)
	}
}

// TestEditorSchemaAdmits checks that the schema admits every contract that loads.
func TestEditorSchemaAdmits(t *testing.T) {
	s := editor(t)
	texts := []string{pinned(t, valid), pinned(t, small)}
	for _, tt := range lintCases {
		texts = append(texts, "version: 1\nname: lint\ncatalogs: {x: {pin: p, tools: x.json}}\nagents:\n  a:\n    tools:\n      "+tt.rules+"\n")
	}
	found, err := filepath.Glob("../../contracts/*/licet.yaml")
	if err != nil || len(found) == 0 {
		t.Fatalf("no contracts: %v", err)
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	page, err := os.ReadFile("../../docs/spec/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range regexp.MustCompile("(?s)```yaml\n(version:.*?)```").FindAllStringSubmatch(string(page), -1) {
		if _, err := contract.Load("contract.md", []byte(b[1]), open); err == nil {
			texts = append(texts, b[1])
		}
	}
	for _, text := range texts {
		if err := validate(t, s, text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	if len(texts) < 50 {
		t.Errorf("looked at %d contracts", len(texts))
	}
}

// TestEditorSchemaRefuses misspells each word of a contract that uses nearly
// all, and checks that the schema refuses it.
func TestEditorSchemaRefuses(t *testing.T) {
	s := editor(t)
	const text = `version: 1
name: words
catalogs: {x: {pin: p, tools: x.json, resolve: none}}
labels: {l: [x.a]}
agents:
  a:
    authenticate: {token: t}
    extends: b
    mode: shadow
    tools:
      x.a:
        extra_arguments: allow
        never: [{n: {const: 1}}]
        allow:
          - n: {in: [1], not_in: [2], min: 1, max: 2, multiple_of: 1, optional: true}
            t: {length: {min: 1, max: 2}, pattern: x, from: [request, {result: x.a, at: i}, {literal: [1]}, {claim: c}], numbers: en}
            u: {url: {schemes: [https], hosts: [h], ports: [1], paths: [/p]}}
            e: {email: {domains: [d], addresses: [a@d]}}
            i: {identifiers: {from: request, patterns: [x]}}
            p: {path: {read: [/a], base: /b}}
            w: {path: {write: [/a]}, items: 1}
            $session: {called: [l], not_called: [l], distinct: {argument: n, max: 2}}
            $request: {mentions: [pay]}
            $when: "true"
        approve: [{$approvers: [x], $quorum: 1}]
        limits: [{calls: 1, per: 1h, by: [agent, {argument: n}], over: approve}, {sum: n, max: 5, per: session}]
approvals: {expire: 1m, approvers: [x], quorum: 1}
evidence: {redact: {x.a: [n]}}
`
	if err := validate(t, s, text); err != nil {
		t.Fatal(err)
	}
	words := regexp.MustCompile(`[$a-z_]{2,}:`).FindAllStringIndex(text, -1)
	for _, at := range words {
		word := text[at[0] : at[1]-1]
		misspelt := text[:at[1]-1] + "x" + text[at[1]-1:]
		if err := validate(t, s, misspelt); err == nil {
			t.Errorf("%sx is not refused", word)
		}
	}
	if len(words) < 60 {
		t.Errorf("misspelt %d words only", len(words))
	}
}
