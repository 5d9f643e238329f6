package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// BankCatalog returns the approved copy of the tools and instructions of the demo's
// server (package bank), as a contract names it: {"instructions": "...", "tools": [...]}.
func BankCatalog(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), "internal", "bank", "catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
