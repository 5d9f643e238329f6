package memory_test

import (
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/store/memory"
	"github.com/licet-dev/licet/internal/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock func() time.Time) ledger.Store { return memory.New(clock) })
}

func TestClock(t *testing.T) {
	before := time.Now()
	now, err := memory.New(nil).Now(t.Context())
	if err != nil || now.Before(before) || now.After(time.Now()) {
		t.Errorf("a store without a clock says %s, %v", now, err)
	}
}
