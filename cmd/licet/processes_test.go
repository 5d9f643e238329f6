package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/licet-dev/licet/internal/store/sqlite"
)

// TestEightProcesses: eight gates share one state directory. A limit of 100 lets
// exactly 100 calls through, and the log is one unbroken chain.
func TestEightProcesses(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	path := bankContract(t, "      bank.read_file: {allow: [{path: {length: {max: 100}}}], limits: [{calls: 100, per: 1h}]}\n")
	self := program(t)
	var allowed, limited atomic.Int32
	var gates sync.WaitGroup
	for g := range 8 {
		p := startProcess(t, self, "mcp", "--contract", path, "--state", state, "--hold", "0s", "--", self, "bank")
		for c := range 2 {
			gates.Go(func() {
				for n := range 15 {
					r, ok := p.call("read_file", fmt.Sprintf(`{"path":"%d-%d-%d"}`, g, c, n))
					switch {
					case !ok:
						t.Errorf("gate %d ended: %s", g, p.errors.String())
						return
					case !r.refused():
						allowed.Add(1)
					case r.Result.Meta.Decision.Code == "limit":
						limited.Add(1)
					default:
						t.Errorf("gate %d refused with %+v", g, r)
					}
				}
			})
		}
	}
	gates.Wait()
	if allowed.Load() != 100 || limited.Load() != 140 {
		t.Errorf("%d calls of 240 were allowed and %d met the limit, want 100 and 140", allowed.Load(), limited.Load())
	}
	if missing, granted := unrecorded(t, state, nil, nil); granted != 100 || missing != nil {
		t.Errorf("%d granted records, want 100", granted)
	}
}

// TestLockedStore: a store that another program keeps locked is a BLOCK.
func TestLockedStore(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	self := program(t)
	p := startProcess(t, self, "mcp", "--contract", bankContract(t, readRules), "--state", state, "--", self, "bank")
	if r, ok := p.call("read_file", `{"path":"before"}`); !ok || r.refused() {
		t.Fatalf("before the lock: %+v", r)
	}
	db, err := sql.Open("sqlite", filepath.Join(state, sqlite.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	r, ok := p.call("read_file", `{"path":"locked"}`)
	if !ok || r.Result.Meta.Decision.Verdict != "BLOCK" || r.Result.Meta.Decision.Code != "no_evidence" {
		t.Errorf("with the store locked: %+v", r)
	}
	// `licet decide` answers BLOCK as well, and says that nothing is recorded.
	bank := bankContract(t, readRules) // another contract than the store has
	out, errOut, status := runWith(t, `{"agent":"a","server":"bank","tool":"read_file","arguments":{"path":"x"}}`,
		"decide", "--contract", bank, "--state", state)
	if status != 3 || !strings.Contains(out, `"code":"no_evidence"`) {
		t.Errorf("with the store locked, decide ends with %d\n%s%s", status, out, errOut)
	}
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if r, ok := p.call("read_file", `{"path":"after"}`); !ok || r.refused() {
		t.Errorf("after the lock: %+v", r)
	}
}
