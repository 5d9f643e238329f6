package cases_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/testkit"
)

// open serves the shop's contract and catalog, whose pin is filled in.
func open(t testing.TB) func(string) ([]byte, error) {
	t.Helper()
	approved, err := catalog.Parse([]byte(testkit.ShopCatalog))
	if err != nil {
		t.Fatal(err)
	}
	pinned := func(text string) []byte {
		return []byte(strings.Replace(text, "PIN", fmt.Sprintf("%q", approved.Digest()), 1))
	}
	return func(name string) ([]byte, error) {
		switch name {
		case "licet.yaml", "../licet.yaml":
			return pinned(testkit.ShopContract), nil
		case "shop.json", "../shop.json":
			return []byte(testkit.ShopCatalog), nil
		case "wide.yaml":
			return pinned(wide), nil
		case "broken.yaml":
			return []byte("version: 2\n"), nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
}

// thin serves a contract that is quickly loaded, under any name.
func thin(t testing.TB) func(string) ([]byte, error) {
	t.Helper()
	approved, err := catalog.Parse([]byte(testkit.ShopCatalog))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("version: 1\nname: thin\ncatalogs: {shop: {pin: %q, tools: shop.json}}\nagents: {buyer: {tools: {shop.pay: block}}}\n", approved.Digest())
	return func(name string) ([]byte, error) {
		if strings.HasSuffix(name, ".json") {
			return []byte(testkit.ShopCatalog), nil
		}
		return []byte(text), nil
	}
}

// wide is a contract of words that the shop's lacks.
const wide = `version: 1
name: wide
catalogs: {shop: {pin: PIN, tools: shop.json}}
agents:
  clerk:
    authenticate: {token: clerk}
    tools:
      shop.a*: allow
      shop.pay:
        approve:
          - amount: {max: 10}
            $session: {called: [shop.accounts]}
            $approvers: [ann]
            $quorum: 1
  trainee:
    extends: clerk
    mode: shadow
    tools:
      shop.pay: block
`

// head begins a case file about the shop.
const head = `defaults:
  agent: buyer
  server: shop
  results: {shop.accounts: {accounts: [{iban: X1}]}}
cases:
`

// load reads a case file about the shop.
func load(t testing.TB, text string) *cases.Suite {
	t.Helper()
	s, err := cases.Load("shop.cases.yaml", []byte(text), open(t))
	if err != nil {
		t.Fatalf("loading: %v", err)
	}
	return s
}

// play runs the cases of a text behind head.
func play(t testing.TB, text string) []cases.Result {
	t.Helper()
	results, err := cases.Run(t.Context(), cases.Core{}, []*cases.Suite{load(t, head+text)}, cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// want checks that every result has a status.
func want(t testing.TB, status cases.Status, results []cases.Result) {
	t.Helper()
	if len(results) == 0 {
		t.Error("nothing was played")
	}
	for _, r := range results {
		if r.Status != status {
			t.Errorf("%s is %s, want %s\n%s", r.Case.Name, r.Status, status, r.Difference())
		}
	}
}
