package cases_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/testkit"
)

// measured names the contracts that recorded calls exercise: their cases are about
// attackers alone.
var measured = []string{"agentdojo"}

// TestContracts plays the cases of every contract. They hold, and they exercise all
// of a starter contract.
func TestContracts(t *testing.T) {
	root := filepath.Join(testkit.Root(t), "contracts")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		t.Run(entry.Name(), func(t *testing.T) { played += playContract(t, filepath.Join(root, entry.Name())) })
	}
	if played < 25 {
		t.Errorf("played %d cases: the test is not looking", played)
	}
}

func playContract(t *testing.T, dir string) (played int) {
	found, err := cases.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	var suites []*cases.Suite
	for _, name := range found {
		s, _, err := cases.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		suites = append(suites, s)
	}
	results, err := cases.Run(t.Context(), cases.Core{}, suites, cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, cases.Passed, results)
	items, err := cases.Measure(t.Context(), results)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if !it.Exercised && !slices.Contains(measured, filepath.Base(dir)) {
			t.Errorf("%s:%d: no case exercises %s", it.Contract, it.Line, strings.TrimSpace(it.Clause+" "+it.Part))
		}
	}
	return len(results)
}

// A change of the contract that matters is noticed.
func TestBankCasesNotice(t *testing.T) {
	path := filepath.Join(testkit.Root(t), "contracts", "bank", "bank.cases.yaml")
	for old, changed := range map[string]string{
		"get_balance: allow":                           "get_balance: approve",
		"delete_file: block":                           "delete_file: approve",
		"(invoices|notes)/":                            "(invoices|notes|keys)/",
		"notes/[a-z0-9-]+[.]txt\"}\n      bank.delete": "(notes|invoices)/[a-z0-9-]+[.]txt\"}\n      bank.delete",
		"{min: 0.01, max: 100}":                        "{min: 0.01, max: 200}",
		"{min: 0.01, max: 1000}":                       "{min: 0.01, max: 2000}",
		"calls: 5,":                                    "calls: 6,",
		"max: 1000, per: 1d":                           "max: 1001, per: 1d",
		"calls: 200":                                   "calls: 201",
		"expire: 15m":                                  "expire: 16m",
	} {
		s, _, err := cases.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(s.Contract.Text), old, changed, 1)
		if text == string(s.Contract.Text) {
			t.Fatalf("the contract has no %q", old)
		}
		s.Contract.Text = []byte(text)
		results, err := cases.Run(t.Context(), cases.Core{}, []*cases.Suite{s}, cases.Options{})
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for _, r := range results {
			if r.Status == cases.Wrong {
				wrong++
			}
		}
		if wrong == 0 {
			t.Errorf("%q in place of %q: no case fails", changed, old)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.cases.yaml", "licet.yaml", "x/cases/a.yaml", "x/cases/notes.md", "x/other.yaml"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := cases.Find(filepath.Join(dir, "x"), dir, filepath.Join(dir, "b.cases.yaml"))
	if err != nil || len(found) != 2 || found[0] != filepath.Join(dir, "b.cases.yaml") || found[1] != filepath.Join(dir, "x", "cases", "a.yaml") {
		t.Errorf("found %v, %v", found, err)
	}
	for _, name := range []string{"licet.yaml", "nothing", "x/other.yaml"} {
		if found, err := cases.Find(dir, filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			t.Errorf("%s: found %v", name, found)
		}
	}
	if found, err := cases.Find(t.TempDir()); err == nil {
		t.Errorf("an empty folder: found %v", found)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.cases.yaml")
	if _, files, err := cases.Read(path); err == nil || len(files) != 1 {
		t.Errorf("no file: read %v, %v", files, err)
	}
	if err := os.WriteFile(path, []byte("cases: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, files, err := cases.Read(path); err == nil || len(files) != 2 || files[1] != filepath.Join(dir, "licet.yaml") {
		t.Errorf("no contract: read %v, %v", files, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "licet.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := cases.Read(path); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("a folder as contract: %v", err)
	}
	large := filepath.Join(dir, "large.cases.yaml")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 17<<20); err != nil {
		t.Fatal(err)
	}
	if _, _, err := cases.Read(large); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Errorf("a large file: %v", err)
	}
}
