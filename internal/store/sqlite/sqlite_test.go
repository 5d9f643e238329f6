package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/store/sqlite"
	"github.com/licet-dev/licet/internal/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock func() time.Time) ledger.Store {
		return openStore(t, filepath.Join(t.TempDir(), "state"), sqlite.Options{Clock: clock})
	})
}

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
