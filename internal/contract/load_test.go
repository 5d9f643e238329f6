package contract_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/contract"
)

// valid is a contract that uses every word of this version. BANK and FILES
// stand for the digests of the two catalogs.
const valid = `version: 1
name: test
catalogs:
  bank:
    pin: BANK
    tools: catalogs/bank.json
  files: {pin: FILES, tools: catalogs/files.json, resolve: none}
agents:
  support:
    tools:
      bank.get_balance: allow
      bank.get_contacts: {approve: [{}]}
      bank.send_money:
        allow:
          - amount: {min: 0.01, max: 100}
            recipient: {from: [request, {result: bank.get_contacts, at: "[].iban"}]}
        approve:
          - amount: {min: 0.01, max: 1000, multiple_of: 0.01}
        never:
          - recipient: {in: [GB00BLOCKED]}
          - note: {pattern: ".*(?i:password).*"}
        limits:
          - {calls: 5, per: 1h}
          - {sum: amount, max: 2000, per: 1d}
      bank.send_batch:
        allow:
          - transfers: {items: {min: 1, max: 3}}
            transfers[].amount: {min: 1, max: 5}
            transfers[].recipient: {const: DE1}
            transfers[].tags[]: {length: {max: 8}}
            extra.any.thing: {not_in: [true]}
        limits:
          - {sum: "transfers[].amount", max: 50, per: session}
      files.read_file:
        allow:
          - path: {path: {read: ["/srv/docs/**"]}}
      files.write_file: approve
    limits:
      - {calls: 200, per: session}
  reviewer:
    tools:
      bank.send_money: block
approvals: {expire: 1h, approvers: [ops, lead], quorum: 2}
evidence:
  redact:
    bank.send_money: [note]
    bank.send_batch: ["transfers[].recipient"]
`

// open reads the files of testdata.
func open(path string) ([]byte, error) {
	raw, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(path)))
	if err != nil {
		return nil, errors.New("no such file") // without the path of this machine
	}
	return raw, nil
}

// digestOf returns the digest of a catalog of testdata.
func digestOf(t rapid.TB, file string) string {
	t.Helper()
	raw, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return c.Digest()
}

// pinned replaces BANK and FILES.
func pinned(t rapid.TB, text string) string {
	t.Helper()
	return strings.NewReplacer("BANK", digestOf(t, "catalogs/bank.json"),
		"FILES", digestOf(t, "catalogs/files.json")).Replace(text)
}

// load loads text, which must be a contract.
func load(t rapid.TB, text string) *contract.Contract {
	t.Helper()
	c, err := contract.Load("licet.yaml", []byte(pinned(t, text)), open)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

// edit replaces old, which must occur once, by new.
func edit(t rapid.TB, text, old, new string) string {
	t.Helper()
	if n := strings.Count(text, old); n != 1 {
		t.Fatalf("%q occurs %d times", old, n)
	}
	return strings.Replace(text, old, new, 1)
}

func TestLoad(t *testing.T) {
	c := load(t, valid)
	if c.Name() != "test" || !strings.HasPrefix(c.Digest(), "sha256:") || len(c.Digest()) != 71 {
		t.Errorf("name %q, digest %q", c.Name(), c.Digest())
	}
	if got := fmt.Sprint(c.Agents(), c.Servers()); got != "[reviewer support] [bank files]" {
		t.Errorf("agents and servers: %s", got)
	}
	if c.Agent("nobody") != nil {
		t.Error("an agent that the contract does not name")
	}
	bank, ok := c.Catalog("bank")
	if !ok || bank.Server != "bank" || bank.File != "catalogs/bank.json" || !bank.Resolve ||
		bank.Pin != bank.Approved.Digest() || len(bank.Approved.Tools) != 4 {
		t.Errorf("catalog bank: %+v, %v", bank, ok)
	}
	if files, _ := c.Catalog("files"); files.Resolve {
		t.Error("resolve: none is not read")
	}
	if _, ok := c.Catalog("mail"); ok {
		t.Error("a server that the contract does not name")
	}
	a := c.Approvals()
	if a.Expire != time.Hour || a.Quorum != 2 || !slices.Equal(a.Approvers, []string{"lead", "ops"}) {
		t.Errorf("approvals: %+v", a)
	}
	a.Approvers[0] = "intruder"
	if c.Approvals().Approvers[0] != "lead" {
		t.Error("a caller can change the contract")
	}
}

func TestDefaults(t *testing.T) {
	c := load(t, "version: 1\nname: least\nagents: {}\n")
	if a := c.Approvals(); a.Expire != 15*time.Minute || a.Quorum != 1 || len(a.Approvers) != 0 {
		t.Errorf("approvals: %+v", a)
	}
	if len(c.Agents())+len(c.Servers()) != 0 || c.Reads("bank", "get_contacts") {
		t.Error("the least contract names something")
	}
}

func TestRulesOfAnAgent(t *testing.T) {
	support := load(t, valid).Agent("support")
	var refs []string
	for _, r := range support.Rules() {
		refs = append(refs, r.Ref())
		if r.ToolDigest == "" || r.Path() != fmt.Sprintf("agents.support.tools[%q]", r.Ref()) {
			t.Errorf("%s: digest %q, path %s", r.Ref(), r.ToolDigest, r.Path())
		}
	}
	if want := "bank.get_balance bank.get_contacts bank.send_batch bank.send_money files.read_file files.write_file"; strings.Join(refs, " ") != want {
		t.Errorf("rules %s, want %s", refs, want)
	}
	for _, q := range [][3]string{
		{"bank", "tools/call", "nothing"}, {"mail", "tools/call", "get_balance"},
		{"bank", "resources/read", "get_balance"}, {"bank", "", "get_balance"}, {"bank", "tools/call", ""},
	} {
		if r := support.Rule(q[0], q[1], q[2]); r != nil {
			t.Errorf("%v is listed as %s", q, r.Ref())
		}
	}
}

func TestClausePathsAndLines(t *testing.T) {
	support := load(t, valid).Agent("support")
	pay := support.Rule("bank", contract.ToolsCall, "send_money")
	balance := support.Rule("bank", contract.ToolsCall, "get_balance")
	for _, k := range []struct {
		clause *contract.Clause
		path   string
		line   int
	}{
		{pay.Allow[0], `agents.support.tools["bank.send_money"].allow[0]`, 15},
		{pay.Approve[0], `agents.support.tools["bank.send_money"].approve[0]`, 18},
		{pay.Never[1], `agents.support.tools["bank.send_money"].never[1]`, 21},
		{balance.Allow[0], `agents.support.tools["bank.get_balance"].allow[0]`, 11},
	} {
		if k.clause.Path() != k.path || k.clause.Line() != k.line {
			t.Errorf("%s in line %d, want %s in line %d", k.clause.Path(), k.clause.Line(), k.path, k.line)
		}
	}
}
