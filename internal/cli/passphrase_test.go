package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/store/sqlite"
)

// guesser gives passphrases to a state directory of its own, each as a new
// process would: with the store opened anew.
type guesser struct {
	t   *testing.T
	dir string
	now atomic.Int64 // seconds of the clock
}

func newGuesser(t *testing.T, approvers ...string) *guesser {
	g := &guesser{t: t, dir: filepath.Join(t.TempDir(), "state")}
	g.now.Store(1_800_000_000)
	g.in(func(ctx context.Context, s *state) error {
		by := ""
		for _, name := range approvers {
			if err := enrolApprover(ctx, s.store, name, "right "+name, 1, by); err != nil {
				return err
			}
			by = name
		}
		return nil
	})
	return g
}

func (g *guesser) in(f func(context.Context, *state) error) {
	g.t.Helper()
	store, err := sqlite.Open(g.t.Context(), g.dir, sqlite.Options{Clock: func() time.Time { return time.Unix(g.now.Load(), 0) }})
	if err != nil {
		g.t.Fatal(err)
	}
	if err := errors.Join(f(g.t.Context(), &state{dir: g.dir, store: store}), store.Close()); err != nil {
		g.t.Fatal(err)
	}
}

// try returns what is said to a passphrase.
func (g *guesser) try(name, passphrase string) (said error) {
	g.t.Helper()
	g.in(func(ctx context.Context, s *state) error {
		a := &app{in: strings.NewReader(passphrase + "\n"), out: io.Discard, err: io.Discard}
		_, said = a.approver(ctx, s, credentials{name: name, file: "-"})
		return nil
	})
	return said
}

// attempts returns how many wrong passphrases were counted.
func (g *guesser) attempts() int {
	g.t.Helper()
	return g.records(func(r evidence.Record) bool {
		return r.Kind == evidence.Attempt && strings.Contains(string(r.Body), `"counted":true`)
	})
}

func (g *guesser) records(like func(evidence.Record) bool) (n int) {
	g.t.Helper()
	g.in(func(ctx context.Context, s *state) error {
		return s.store.Records(ctx, 0, 1000, func(r evidence.Record) error {
			if like(r) {
				n++
			}
			return nil
		})
	})
	return n
}

// Wrong passphrases are counted over processes, and the right one does not help
// once there were too many, until the time that was said.
func TestGuessing(t *testing.T) {
	g := newGuesser(t, "ann", "bob")
	for i := range approval.MaxTries {
		if err := g.try("ann", "right ann"); err != nil {
			t.Fatalf("after %d wrong ones: %v", i, err)
		}
		if err := g.try("ann", "wrong"); !errors.Is(err, approval.ErrPassphrase) {
			t.Fatalf("wrong %d: %v", i, err)
		}
		g.now.Add(60)
	}
	// The first is 5 minutes old.
	const locked = "5 wrong passphrases within 15m: no more is looked at before "
	all := func(evidence.Record) bool { return true }
	before := g.records(all)
	for _, passphrase := range []string{"right ann", "wrong"} {
		err := g.try("ann", passphrase)
		if err == nil || errors.Is(err, approval.ErrPassphrase) || !strings.Contains(err.Error(), locked) || !strings.HasSuffix(err.Error(), ", in 10m") {
			t.Errorf("%q while locked: %v", passphrase, err)
		}
		// A record of the wrong ones alone would tell the right one from them.
		if n := g.records(all); n != before {
			t.Errorf("%q while locked: looked at, %d records more", passphrase, n-before)
		}
	}
	if n := g.attempts(); n != approval.MaxTries {
		t.Errorf("%d attempts are recorded", n)
	}
	if err := g.try("bob", "right bob"); err != nil {
		t.Errorf("another approver: %v", err)
	}
	g.now.Add(10*60 - 1)
	if err := g.try("ann", "right ann"); err == nil {
		t.Error("a second too early it opens")
	}
	g.now.Add(1)
	if err := g.try("ann", "right ann"); err != nil {
		t.Errorf("at the time that was said: %v", err)
	}
	// Only the oldest has left the window: one more wrong one, and it is closed.
	if err := g.try("ann", "wrong"); !errors.Is(err, approval.ErrPassphrase) || !strings.Contains(err.Error(), locked) {
		t.Errorf("the last wrong one does not say that none is left: %v", err)
	}
}

// Of tries at the same time no more are answered than of tries one by one.
func TestGuessingAtOnce(t *testing.T) {
	g := newGuesser(t, "ann")
	const many = 4 * approval.MaxTries
	said := make(chan error, many)
	g.in(func(ctx context.Context, s *state) error {
		for i := range many {
			go func() {
				a := &app{in: strings.NewReader(fmt.Sprintf("wrong %d", i)), out: io.Discard, err: io.Discard}
				_, err := a.approver(ctx, s, credentials{name: "ann", file: "-"})
				said <- err
			}()
		}
		answered := 0
		for range many {
			if err := <-said; err == nil {
				t.Error("a wrong passphrase passed")
			} else if errors.Is(err, approval.ErrPassphrase) {
				answered++
			}
		}
		if answered != approval.MaxTries {
			t.Errorf("%d were answered", answered)
		}
		return nil
	})
	if n := g.attempts(); n != approval.MaxTries {
		t.Errorf("%d attempts are counted", n)
	}
}

// meanwhile is read after something has happened.
type meanwhile struct {
	happens func()
	io.Reader
}

func (m meanwhile) Read(b []byte) (int, error) {
	m.happens()
	return m.Reader.Read(b)
}

// Tries that others use up while a passphrase is given count for it, too: it is
// not said that it was the right one.
func TestGuessingMeanwhile(t *testing.T) {
	g := newGuesser(t, "ann")
	g.in(func(ctx context.Context, s *state) error {
		guess := sync.OnceFunc(func() {
			for range approval.MaxTries {
				if err := wrongTry(ctx, s, "ann", approval.ErrPassphrase); err == nil {
					t.Error("a wrong passphrase passed")
				}
			}
		})
		a := &app{in: meanwhile{guess, strings.NewReader("right ann\n")}, out: io.Discard, err: io.Discard}
		if _, err := a.approver(ctx, s, credentials{name: "ann", file: "-"}); err == nil || errors.Is(err, approval.ErrPassphrase) {
			t.Errorf("the right one is answered with %v", err)
		}
		return nil
	})
}
