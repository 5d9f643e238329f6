package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/ledger"
)

// FileName is the database's name in the state directory.
const FileName = "licet.db"

// connections a process may have open: one writes, the others read.
const connections = 8

// Options of a store. The zero Options are the ones for production.
type Options struct {
	Clock       func() time.Time // nil = time.Now
	LockTimeout time.Duration    // how long a commit waits for other processes; 0 = 2 s
	Group       int              // commits in one transaction at most; 0 = 256
	ReadOnly    bool             // for a database that exists already: every write fails, nothing is created
}

// Store is a ledger.Store in a SQLite database. Make it with Open.
type Store struct {
	db    *sql.DB
	read  *queries // on any connection
	clock func() time.Time

	mu      sync.RWMutex // held for reading while an entry is queued
	closed  bool
	queue   chan job
	drained chan error // the committer's last word, when it has answered everything
}

var _ ledger.Store = (*Store)(nil)

// Open opens the database in dir and makes both where they are missing. It
// brings an older schema up to date and refuses a newer one, a damaged
// database, and files that are open to others than their owner.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	return open(ctx, dir, o, (*writer).round)
}

// open is Open with what the committer does with each group. Durability rests
// on the order of steps in there; a test passes another order to show that.
func open(ctx context.Context, dir string, o Options, round func(*writer, []job)) (*Store, error) {
	s, err := o.open(ctx, dir, round)
	if err != nil {
		return nil, fmt.Errorf("opening the store in %s: %w", dir, err)
	}
	return s, nil
}

func (o Options) open(ctx context.Context, dir string, round func(*writer, []job)) (*Store, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.LockTimeout = cmp.Or(o.LockTimeout, 2*time.Second)
	file, err := prepareFiles(dir, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", o.dsn(file))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	s := &Store{db: db, clock: o.Clock, queue: make(chan job), drained: make(chan error, 1)}
	if err := s.start(ctx, file, o, round); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// start brings the schema up to date, prepares the statements and starts the
// committer.
func (s *Store) start(ctx context.Context, file string, o Options, round func(*writer, []job)) (err error) {
	if !o.ReadOnly {
		if err := useWAL(ctx, s.db, o.LockTimeout); err != nil {
			return err
		}
	}
	if err := migrate(ctx, s.db, o); err != nil {
		return err
	}
	if s.read, err = prepareQueries(ctx, s.db); err != nil {
		return err
	}
	if o.ReadOnly {
		go s.serve(1, refuse, func() error { return nil })
		return nil
	}
	w, err := newWriter(ctx, s.db, file, o.Clock)
	if err != nil {
		return err
	}
	go s.serve(max(1, cmp.Or(o.Group, 256)), func(jobs []job) { round(w, jobs) }, w.close)
	return nil
}

// dsn is the name of the database with the settings of every connection.
func (o Options) dsn(file string) string {
	q := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", o.LockTimeout.Milliseconds()),
		"synchronous(FULL)",
		"foreign_keys(ON)",
		"secure_delete(ON)",
	}}
	if o.ReadOnly {
		q.Set("mode", "ro")
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") { // C:/... on Windows
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}).String()
}

// prepareFiles makes the directory and an empty database file where they are
// missing, checks both, and returns the file's absolute name.
func prepareFiles(dir string, readOnly bool) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, FileName)
	if !readOnly {
		if err := durable.MkdirAll(dir); err != nil {
			return "", err
		}
		if err := createFile(file); err != nil {
			return "", err
		}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if err := private(dir, info); err != nil {
		return "", err
	}
	// Lstat: somebody else may have put the link there, and what it points
	// to may be open to them.
	if info, err = os.Lstat(file); err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", file)
	}
	return file, private(file, info)
}

func createFile(file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// private refuses what others than the owner may use. Windows has no such
// bits; there the access list of the user's profile protects the directory.
func private(name string, info fs.FileInfo) error {
	if open := info.Mode().Perm() & 0o077; open != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s is open to others than its owner (mode %04o): chmod go= it", name, info.Mode().Perm())
	}
	return nil
}
