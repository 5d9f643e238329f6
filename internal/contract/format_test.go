package contract_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/contract"
)

// TestFormatKeepsTheDigest checks, over random contracts whose members stand in
// any order, that the layout keeps the digest and is its own.
func TestFormatKeepsTheDigest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := pinned(t, drawLists(t).text())
		rest := rapid.Permutation([]string{
			"approvals: {quorum: 1, approvers: [ada, bob], expire: 5m} # who answers\n",
			"evidence:\n   redact: {bank.send_money: [note]}\n",
			"labels:\n   paying: [bank.send_money,\n      bank.send_batch]\n",
		}).Draw(t, "rest")
		limits := rapid.SampledFrom([]string{"", "    limits:\n    - per: 1h\n      calls: 5\n", "    limits: [{max: 9, sum: amount, by: [agent, user], per: 1d}]\n"}).Draw(t, "limits")
		sameDigest(t, text+limits+strings.Join(rest, ""), open)
	})
}

// sameDigest checks that the layout of a contract keeps its digest, and is its
// own.
func sameDigest(t rapid.TB, text string, open func(string) ([]byte, error)) {
	formatted, err := contract.Format("licet.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	before, err := contract.Load("licet.yaml", []byte(text), open)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	after, err := contract.Load("licet.yaml", formatted, open)
	if err != nil || after.Digest() != before.Digest() {
		t.Errorf("the digest changes, %v:\n%s\nwas\n%s", err, formatted, text)
	}
	if again, err := contract.Format("licet.yaml", formatted); err != nil || !slices.Equal(again, formatted) {
		t.Errorf("formatted again, %v:\n%s\nwas\n%s", err, again, formatted)
	}
}

// TestFormatFixtures formats every contract that the documentation and the
// project show.
func TestFormatFixtures(t *testing.T) {
	sameDigest(t, pinned(t, valid), open)
	found, err := filepath.Glob("../../contracts/*/licet.yaml")
	if err != nil || len(found) == 0 {
		t.Fatalf("no contracts: %v", err)
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sameDigest(t, string(text), func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(filepath.Dir(path), name)) })
	}
	page, err := os.ReadFile("../../docs/spec/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(version:.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 2 {
		t.Fatalf("the page shows %d contracts: the test is not looking", len(blocks))
	}
	for _, b := range blocks {
		if _, err := contract.Load("contract.md", []byte(b[1]), open); err == nil { // some are there to be refused
			sameDigest(t, b[1], open)
		}
	}
}

func TestFormatOrder(t *testing.T) {
	got, err := contract.Format("licet.yaml", []byte(`
agents: {b: {limits: [{max: 2, sum: num, per: 1h, over: approve}], tools: {x.y: {limits: [{per: 1h, calls: 2}], never: [{num: {min: 1, max: 2}}], approve: [{}]}}, extends: a}}
catalogs: {x: {tools: x.json, pin: p}}
later: 1
name: num
version: 1
`))
	want := `version: 1
name: num
catalogs:
  x:
    pin: p
    tools: x.json
agents:
  b:
    extends: a
    tools:
      x.y:
        approve:
          - {}
        never:
          - num: {min: 1, max: 2}
        limits:
          - {calls: 2, per: 1h}
    limits:
      - {sum: num, max: 2, per: 1h, over: approve}
later: 1
`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}
