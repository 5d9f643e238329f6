package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/mcpproxy"
	"github.com/licet-dev/licet/internal/store/sqlite"
)

// kills is how often the crash test kills a gate: CI's bounded form, and the
// long form of `make long`.
func kills() int {
	if os.Getenv("LICET_LONG") != "" {
		return 200
	}
	return 50
}

const readRules = "      bank.read_file: allow\n"

// TestKill kills the gate at random moments under load. What a client saw
// allowed, and what the server ran, has a granted record that was written
// before, and the chain verifies.
func TestKill(t *testing.T) {
	state := t.TempDir() + "/state"
	path := bankContract(t, readRules)
	seen, ran := map[string]bool{}, map[string]bool{}
	for i := range kills() {
		killRound(t, program(t), i, path, state, seen, ran)
	}
	missing, granted := unrecorded(t, state, seen, ran)
	if len(missing) > 0 {
		t.Errorf("%d calls ran without a record, such as %q", len(missing), missing[0])
	}
	if len(ran) < kills() || len(seen) == 0 || granted < len(ran) {
		t.Errorf("%d calls ran, clients saw %d, %d are granted: too little to prove anything", len(ran), len(seen), granted)
	}
	t.Logf("%d kills: %d calls ran, clients saw %d, %d granted records", kills(), len(ran), len(seen), granted)
}

// TestKillNotices: with a gate that answers before it commits, the same check
// finds calls without a record.
func TestKillNotices(t *testing.T) {
	state := t.TempDir() + "/state"
	path := bankContract(t, readRules)
	early := filepath.Join(filepath.Dir(program(t)), "licet-early")
	if self, err := os.Executable(); err != nil || os.Symlink(self, early) != nil {
		t.Fatal("no program that answers early")
	}
	seen, ran := map[string]bool{}, map[string]bool{}
	for i := range kills() {
		killRound(t, early, i, path, state, seen, ran)
		if missing, _ := unrecorded(t, state, seen, ran); len(missing) > 0 {
			return
		}
	}
	t.Errorf("after %d kills every call of a gate that answers before it commits has a record: the test can't see", kills())
}

// killRound runs one gate under load, kills it, and adds to what was seen and
// what ran.
func killRound(t *testing.T, path string, round int, contractPath, state string, seen, ran map[string]bool) {
	t.Helper()
	journal := filepath.Join(t.TempDir(), "journal")
	// The shell outlives the gate and says when the bank has written its last line.
	g := startProcess(t, path, "mcp", "--contract", contractPath, "--state", state, "--hold", "0s", "--",
		"sh", "-c", `"$0" bank --journal "$1"; : > "$1.done"`, program(t), journal)
	var mu sync.Mutex
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Go(func() {
			for n := 0; ; n++ {
				name := fmt.Sprintf("%d-%d-%d", round, c, n)
				r, ok := g.call("read_file", `{"path":"`+name+`"}`)
				if !ok {
					return
				}
				mu.Lock()
				seen[name] = seen[name] || !r.refused()
				mu.Unlock()
			}
		})
	}
	time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond) // the random point, not a wait for something
	if err := g.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	clients.Wait()
	_ = g.cmd.Wait() // it was killed
	awaitFile(t, journal+".done")
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var call struct{ Arguments struct{ Path string } }
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			t.Fatalf("journal line %q: %v", line, err)
		}
		ran[call.Arguments.Path] = true
	}
}

func awaitFile(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s did not appear", filepath.Base(path))
		}
	}
}

// unrecorded returns the calls that were seen allowed or ran without a granted
// record, and how many records were granted. It fails if the chain is broken.
func unrecorded(t *testing.T, state string, seen, ran map[string]bool) (missing []string, granted int) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), state, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	recorded := map[string]bool{}
	var v evidence.Verifier
	err = store.Records(t.Context(), 0, 1<<30, func(r evidence.Record) error {
		if err := v.Next(r); err != nil {
			return err
		}
		var body struct {
			Granted   bool
			Arguments struct{ Path string }
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			return err
		}
		if body.Granted {
			granted++
			recorded[body.Arguments.Path] = true
		}
		return nil
	})
	if err != nil {
		t.Fatalf("the log after the kills: %v", err)
	}
	for name, allowed := range seen {
		if allowed && !recorded[name] {
			missing = append(missing, name)
		}
	}
	for name := range ran {
		if !recorded[name] {
			missing = append(missing, name)
		}
	}
	return missing, granted
}

// earlyStore answers a decision before it is written: commit and grant have
// changed places.
type earlyStore struct{ *sqlite.Store }

func (s earlyStore) Commit(ctx context.Context, e ledger.Entry) (ledger.Receipt, error) {
	if e.Kind != evidence.Decision {
		return s.Store.Commit(ctx, e)
	}
	go func() {
		time.Sleep(5 * time.Millisecond)
		_, _ = s.Store.Commit(context.WithoutCancel(ctx), e)
	}()
	return ledger.Receipt{}, nil
}

// runEarly is `licet mcp` over an earlyStore, for TestKillNotices.
func runEarly() {
	path, state, command := os.Args[3], os.Args[5], os.Args[9:]
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	dir := os.DirFS(filepath.Dir(path))
	text, err := os.ReadFile(path)
	check(err)
	c, err := contract.Load(path, text, func(name string) ([]byte, error) { return fs.ReadFile(dir, name) })
	check(err)
	store, err := sqlite.Open(context.Background(), state, sqlite.Options{})
	check(err)
	g, err := gate.New(gate.Options{
		Contract: func() *contract.Contract { return c }, Store: earlyStore{store},
		Key: make([]byte, gate.MinKey), Places: constraint.Places{},
	})
	check(err)
	check(mcpproxy.Run(context.Background(), mcpproxy.Options{
		Gate: g, Agent: "a", Server: "bank", Command: command, Env: os.Environ(),
		In: os.Stdin, Out: os.Stdout, Log: os.Stderr,
	}))
}
