package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/store/sqlite"
	"github.com/licet-dev/licet/internal/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock func() time.Time) ledger.Store {
		return openStore(t, stateDir(t), sqlite.Options{Clock: clock})
	})
}

// stateDir names a directory that does not exist yet.
func stateDir(t testing.TB) string { return filepath.Join(t.TempDir(), "deep", "state") }

func openStore(t testing.TB, dir string, o sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func commit(t testing.TB, s ledger.Store, id string) {
	t.Helper()
	if _, err := s.Commit(t.Context(), storetest.Entry(id)); err != nil {
		t.Fatal(err)
	}
}

// raw opens the database of a state directory as anybody with SQLite can.
func raw(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, sqlite.FileName))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func TestReopen(t *testing.T) {
	dir := stateDir(t)
	for _, id := range []string{"a", "b"} {
		s := openStore(t, dir, sqlite.Options{})
		commit(t, s, id)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := openStore(t, dir, sqlite.Options{})
	if got := storetest.Verify(t, s); len(got) != 2 || got[0].ID != "a" || got[1].ID != "b" {
		t.Errorf("after two openings the log is %+v", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, want := range map[string]os.FileMode{"": 0o700, sqlite.FileName: 0o600, sqlite.FileName + "-wal": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v, want mode %o", name, info, err, want)
		}
	}
}

// TestOddNames: the name of a directory is not read as part of a URI.
func TestOddNames(t *testing.T) {
	for _, name := range []string{"a?mode=memory", "a#b", "50%41", "with space", "ä"} {
		dir := filepath.Join(t.TempDir(), name)
		commit(t, openStore(t, dir, sqlite.Options{}), "a")
		if info, err := os.Stat(filepath.Join(dir, sqlite.FileName)); err != nil || info.Size() == 0 {
			t.Errorf("no database in %s: %v", dir, err)
		}
	}
}

func TestOpenRefused(t *testing.T) {
	write := func(t *testing.T, name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil { // the umask may have taken bits off
			t.Fatal(err)
		}
	}
	change := func(statement string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { run(t, raw(t, dir), statement) }
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string) // of a state directory that was fine
		want  string
	}{
		"newer schema": {change(`INSERT INTO migrations VALUES (99, 'x', 0)`), "version 99"},
		"other step":   {change(`UPDATE migrations SET checksum = 'x'`), "step 1"},
		"other database": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, sqlite.FileName)); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, sqlite.FileName), "", 0o600)
			run(t, raw(t, dir), `CREATE TABLE notes (text)`)
		}, "not one of licet's"},
		"lost table": {change(`DROP TABLE takes`), "no such table"},
		"no database at all": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, sqlite.FileName), strings.Repeat("not a database", 1000), 0o600)
		}, "not a database"},
		"readable database": {func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, sqlite.FileName), 0o640); err != nil {
				t.Fatal(err)
			}
		}, "open to others"},
		"readable directory": {func(t *testing.T, dir string) {
			if err := os.Chmod(dir, 0o750); err != nil {
				t.Fatal(err)
			}
		}, "open to others"},
		"symlink": {func(t *testing.T, dir string) {
			file, real := filepath.Join(dir, sqlite.FileName), filepath.Join(dir, "real.db")
			if err := errors.Join(os.Rename(file, real), os.Symlink(real, file)); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file"},
		"file for a directory": {func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			write(t, dir, "", 0o600)
		}, "file exists"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(c.want, "open to others") {
				t.Skip("Windows has no such mode bits")
			}
			dir := stateDir(t)
			if err := openStore(t, dir, sqlite.Options{}).Close(); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, dir)
			s, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
			if err == nil {
				t.Fatal("opened", s.Close())
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q does not say %q", err, c.want)
			}
		})
	}
}

func TestReadOnly(t *testing.T) {
	dir := stateDir(t)
	if s, err := sqlite.Open(t.Context(), dir, sqlite.Options{ReadOnly: true}); err == nil {
		t.Fatal("opened nothing for reading", s.Close())
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("opening for reading made the directory")
	}
	s := openStore(t, dir, sqlite.Options{})
	commit(t, s, "a")
	reader := openStore(t, dir, sqlite.Options{ReadOnly: true})
	commit(t, s, "b")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	alone := openStore(t, dir, sqlite.Options{ReadOnly: true})
	for _, r := range []*sqlite.Store{reader, alone} {
		if got := len(storetest.Verify(t, r)); got != 2 {
			t.Errorf("a reader sees %d records, want 2", got)
		}
		if _, err := r.Commit(t.Context(), storetest.Entry("c")); !errors.Is(err, sqlite.ErrReadOnly) {
			t.Errorf("committing to a store for reading: %v", err)
		}
		if err := r.SaveContract(t.Context(), "sha256:1", nil); err == nil {
			t.Error("a store for reading saved a contract")
		}
	}
	old := stateDir(t)
	if err := openStore(t, old, sqlite.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	run(t, raw(t, old), `DELETE FROM migrations`)
	if s, err := sqlite.Open(t.Context(), old, sqlite.Options{ReadOnly: true}); err == nil || !strings.Contains(err.Error(), "version 0") {
		t.Errorf("an older schema was read: %v, %v", s, err)
	}
}

// TestLocked: a lock held too long is an error, and the entry is not written.
func TestLocked(t *testing.T) {
	dir := stateDir(t)
	s := openStore(t, dir, sqlite.Options{LockTimeout: 20 * time.Millisecond})
	commit(t, s, "a")
	other := raw(t, dir)
	run(t, other, "BEGIN IMMEDIATE")
	if _, err := s.Commit(t.Context(), storetest.Entry("b")); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("committing to a locked database: %v", err)
	}
	if _, err := s.Head(t.Context()); err != nil {
		t.Errorf("reading a locked database: %v", err)
	}
	run(t, other, "ROLLBACK")
	commit(t, s, "c")
	if got := storetest.Verify(t, s); len(got) != 2 || got[1].ID != "c" {
		t.Errorf("the log is %+v, want a and c", got)
	}
}

// TestFilesGone: what is written to a deleted file is lost, and so is no answer.
func TestFilesGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps open files")
	}
	for name, lose := range map[string]func(db string) error{
		"database deleted":        os.Remove,
		"write-ahead log deleted": func(db string) error { return os.Remove(db + "-wal") },
		"database replaced": func(db string) error {
			return errors.Join(os.Rename(db, db+".old"), os.WriteFile(db, nil, 0o600))
		},
	} {
		dir := stateDir(t)
		s := openStore(t, dir, sqlite.Options{Group: -1}) // as one
		commit(t, s, "a")
		if err := lose(filepath.Join(dir, sqlite.FileName)); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Commit(t.Context(), storetest.Entry("b")); err == nil {
			t.Errorf("%s: receipt %+v", name, r)
		}
	}
}

// TestFailedStatement: an error of the database fails the whole transaction.
func TestFailedStatement(t *testing.T) {
	for _, table := range []string{"records", "copies", "takes", "tickets", "approvers", "observations"} {
		dir := stateDir(t)
		s := openStore(t, dir, sqlite.Options{})
		commit(t, s, "before")
		db := raw(t, dir)
		run(t, db, "PRAGMA foreign_keys = OFF")
		run(t, db, "ALTER TABLE "+table+" RENAME TO lost")
		e := everything()
		if _, err := s.Commit(t.Context(), e); err == nil {
			t.Errorf("without %s an entry was committed", table)
		}
		run(t, db, "ALTER TABLE lost RENAME TO "+table)
		if got := len(storetest.Verify(t, s)); got != 1 {
			t.Errorf("without %s: %d records, want the one before", table, got)
		}
		if _, err := s.Commit(t.Context(), e); err != nil {
			t.Errorf("after the loss of %s was mended: %v", table, err)
		}
	}
}

// everything returns an entry that writes to every table.
func everything() ledger.Entry {
	e := storetest.Entry("everything")
	e.Takes = append(e.Takes, takeOne)
	e.Open = &approval.Ticket{ID: "t", Expires: time.Now().Add(time.Hour)}
	e.Copy = []byte("sealed")
	e.Enrol = &approval.Approver{Name: "ann"}
	e.Observe = &ledger.Observation{Session: "s", Server: "bank", Tool: "balance"}
	return e
}

// TestFailedCommit: COMMIT itself can fail, here by a reference to nothing.
func TestFailedCommit(t *testing.T) {
	dir := stateDir(t)
	openStore(t, dir, sqlite.Options{})
	db := raw(t, dir)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	insert := func() error {
		_, err := conn.ExecContext(t.Context(), `INSERT INTO observations VALUES (7, 's', 'bank', 'balance', x'')`)
		return err
	}
	if _, err := conn.ExecContext(t.Context(), "PRAGMA foreign_keys = ON"); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.InTransaction(t.Context(), conn, insert); err == nil || !strings.Contains(err.Error(), "committing") {
		t.Errorf("a commit that breaks a reference: %v", err)
	}
	var n int
	if err := conn.QueryRowContext(t.Context(), `SELECT count(*) FROM observations`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows stayed after a failed commit, %v", n, err)
	}
	lost := errors.New("lost")
	err = sqlite.InTransaction(t.Context(), conn, func() error {
		_, err := conn.ExecContext(t.Context(), "ROLLBACK")
		return errors.Join(err, lost)
	})
	if !errors.Is(err, lost) || !strings.Contains(err.Error(), "rolling back") {
		t.Errorf("the error %v does not tell of the transaction that had ended", err)
	}
}

// TestErased: the sealed copy of a used ticket is in no file of the store.
func TestErased(t *testing.T) {
	dir := stateDir(t)
	s := openStore(t, dir, sqlite.Options{})
	canary := []byte("canary of a held call")
	subject := approval.Subject{Agent: "a", Call: "c"}
	open := storetest.Entry("open")
	open.Open = &approval.Ticket{ID: "t", Subject: subject, Expires: time.Now().Add(time.Hour)}
	open.Copy = bytes.Repeat(canary, 500) // more than a page
	enrol := storetest.Entry("enrol")
	enrol.Enrol = &approval.Approver{Name: "ann"}
	answer := storetest.Entry("answer")
	answer.Answer = &approval.Answer{Ticket: "t", Approver: "ann", Approve: true}
	use := storetest.Entry("use")
	use.Use = &ledger.Use{Ticket: "t", Subject: subject}
	found := func() bool {
		text, err := os.ReadFile(filepath.Join(dir, sqlite.FileName))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(text, canary)
	}
	for _, e := range []ledger.Entry{open, enrol, answer, use} {
		if e.ID == "use" {
			db := raw(t, dir)
			run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if !found() {
				t.Fatal("the test does not look where copies are kept")
			}
		}
		if r, err := s.Commit(t.Context(), e); err != nil || r.Conflict != nil {
			t.Fatalf("%s: %+v, %v", e.ID, r.Conflict, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if found() {
		t.Error("the sealed copy is still in the database")
	}
	if _, err := os.Stat(filepath.Join(dir, sqlite.FileName+"-wal")); err == nil {
		t.Error("the write-ahead log is still there after the last process closed")
	}
}

// TestBackup: the copy is a store of its own, and never replaces one.
func TestBackup(t *testing.T) {
	s := openStore(t, stateDir(t), sqlite.Options{})
	commit(t, s, "a")
	copied := stateDir(t)
	if err := s.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	commit(t, s, "b")
	if got := storetest.Verify(t, openStore(t, copied, sqlite.Options{})); len(got) != 1 || got[0].ID != "a" {
		t.Errorf("the copy holds %+v, want a", got)
	}
	if err := s.Backup(t.Context(), copied); err == nil {
		t.Error("a store was overwritten with a copy of another")
	}
}

// TestTampered: a change behind the store's back is found by verification.
func TestTampered(t *testing.T) {
	dir := stateDir(t)
	s := openStore(t, dir, sqlite.Options{})
	for _, id := range []string{"a", "b", "c"} {
		commit(t, s, id)
	}
	run(t, raw(t, dir), `UPDATE records SET body = replace(body, '"b"', '"x"') WHERE idx = 1`)
	var v evidence.Verifier
	if err := s.Records(t.Context(), 0, 3, v.Next); !errors.Is(err, evidence.ErrTampered) || v.Head().Next != 1 {
		t.Errorf("verification of a changed log: %v at %d", err, v.Head().Next)
	}
}

func TestTotalUsesIndex(t *testing.T) {
	plan, err := openStore(t, stateDir(t), sqlite.Options{}).TotalPlan(t.Context())
	if err != nil || !strings.Contains(plan, "SEARCH takes USING INDEX takes_of_tally (counter=? AND session=? AND at<?)") {
		t.Errorf("a limit is looked up by %q, %v", plan, err)
	}
}

// TestCanceledWhileWaiting: a caller that leaves the queue leaves no record.
func TestCanceledWhileWaiting(t *testing.T) {
	s := openStore(t, stateDir(t), sqlite.Options{})
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := storetest.Entry("slow")
	body := slow.Body
	slow.Body = func(stamp ledger.Stamp) ([]byte, error) {
		close(entered)
		<-leave
		return body(stamp)
	}
	first := make(chan error)
	go func() {
		_, err := s.Commit(t.Context(), slow)
		first <- err
	}()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error)
	go func() {
		_, err := s.Commit(ctx, storetest.Entry("left"))
		second <- err
	}()
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("leaving the queue: %v", err)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if got := storetest.Verify(t, s); len(got) != 1 {
		t.Errorf("%d records, want the slow one", len(got))
	}
}
