package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/store/sqlite"
	"github.com/licet-dev/licet/internal/storetest"
)

var takeOne = authz.Take{Counter: "c", Window: int64(time.Hour), Amount: "1", Max: "1000000000"}

// benchBody has the size of a decision.
var benchBody = []byte(`{"reasons":"` + strings.Repeat("x", 680) + `"}`)

const benchWriters = 64

// BenchmarkCommit64 compares Store.Commit with a plain group-committed insert
// loop of the same bytes, in rounds that take turns so that other load on the
// disk meets both.
func BenchmarkCommit64(b *testing.B) {
	s := openStore(b, stateDir(b), sqlite.Options{})
	plain := newPlain(b, stateDir(b))
	const round = 512
	var ratios []float64
	var ours, theirs time.Duration
	for n := 0; b.Loop(); n++ {
		a := together(b, round, func(i int) error {
			e := ledger.Entry{Kind: evidence.Decision, ID: fmt.Sprintf("%020d-%d", n, i),
				Body: func(ledger.Stamp) ([]byte, error) { return benchBody, nil }}
			_, err := s.Commit(context.Background(), e)
			return err
		})
		p := together(b, round, func(i int) error { return plain.insert(fmt.Sprintf("%020d-%d", n, i)) })
		ours, theirs = ours+a, theirs+p
		ratios = append(ratios, p.Seconds()/a.Seconds())
	}
	slices.Sort(ratios)
	records := float64(b.N * round)
	b.ReportMetric(ratios[len(ratios)/2], "ratio-to-plain") // median: one slow sync decides nothing
	b.ReportMetric(records/ours.Seconds(), "commits/s")
	b.ReportMetric(records/theirs.Seconds(), "plain/s")
}

// together shares n calls of f among the writers and returns how long it took.
func together(b *testing.B, n int, f func(i int) error) time.Duration {
	var wg sync.WaitGroup
	begin := time.Now()
	for w := range benchWriters {
		wg.Go(func() {
			for i := w; i < n; i += benchWriters {
				if err := f(i); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begin)
}

// plain is a group-committed insert loop without hashes, links, limits and
// tickets: what storing the bytes costs.
type plain struct {
	queue chan plainRow
}

type plainRow struct {
	id   string
	done chan error
}

func newPlain(b *testing.B, dir string) *plain {
	openStore(b, dir, sqlite.Options{}) // for the same kind of table
	dsn := "file:" + filepath.Join(dir, sqlite.FileName) + "?_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_pragma=secure_delete(ON)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	conn, err := db.Conn(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	stmt, err := conn.PrepareContext(b.Context(), `INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		b.Fatal(err)
	}
	p := &plain{queue: make(chan plainRow)}
	b.Cleanup(func() { close(p.queue) })
	go p.serve(conn, stmt)
	return p
}

func (p *plain) insert(id string) error {
	row := plainRow{id, make(chan error, 1)}
	p.queue <- row
	return <-row.done
}

func (p *plain) serve(conn *sql.Conn, stmt *sql.Stmt) {
	next := 0
	for first := range p.queue {
		rows := []plainRow{first}
	gather:
		for len(rows) < 256 {
			select {
			case r := <-p.queue:
				rows = append(rows, r)
			default:
				break gather
			}
		}
		err := sqlite.InTransaction(context.Background(), conn, func() error {
			for _, r := range rows {
				_, err := stmt.ExecContext(context.Background(), next, r.id, next, "decision", evidence.Genesis, evidence.Genesis, string(benchBody), evidence.Genesis)
				if err != nil {
					return err
				}
				next++
			}
			return nil
		})
		for _, r := range rows {
			r.done <- err
		}
	}
}

// BenchmarkUsed reads a limit that has counted 100,000 calls.
func BenchmarkUsed(b *testing.B) {
	s := openStore(b, stateDir(b), sqlite.Options{})
	together(b, 100_000, func(i int) error {
		e := storetest.Entry(fmt.Sprint("r", i))
		e.Takes = []authz.Take{takeOne}
		_, err := s.Commit(context.Background(), e)
		return err
	})
	keys := []authz.TakeKey{takeOne.Key()}
	for b.Loop() {
		if _, err := s.Used(context.Background(), keys); err != nil {
			b.Fatal(err)
		}
	}
}
