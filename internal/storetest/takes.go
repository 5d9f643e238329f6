package storetest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/licet-dev/licet/internal/authz"
)

var takeTests = map[string]func(*fixture){
	"TakesConcurrent": testTakesConcurrent,
	"Window":          testWindow,
	"SessionWindow":   testSessionWindow,
	"ExactSums":       testExactSums,
	"ManyDigits":      testManyDigits,
	"CountedOnce":     testCountedOnce,
	"AllTakesOrNone":  testAllTakesOrNone,
	"Used":            testUsed,
	"ChangedBound":    testChangedBound,
}

// calls is one call of a limit of calls an hour.
func calls(counter string, bound int) authz.Take {
	return authz.Take{Counter: counter, Window: int64(time.Hour), Amount: "1", Max: fmt.Sprint(bound), Clause: "limits[0]"}
}

func (f *fixture) take(takes ...authz.Take) {
	f.Helper()
	e := f.entry()
	e.Takes = takes
	f.done(e)
}

func (f *fixture) reached(takes ...authz.Take) {
	f.Helper()
	e := f.entry()
	e.Takes = takes
	if c := f.conflict(e, authz.LimitReached); c.Clause != takes[len(takes)-1].Clause || c.Detail == "" {
		f.Errorf("the conflict %+v does not name the limit", *c)
	}
}

func testTakesConcurrent(f *fixture) {
	const n, bound = 1000, 100
	var wg sync.WaitGroup
	var taken atomic.Int64
	for i := range n {
		wg.Go(func() {
			e := Entry(fmt.Sprint("r", i))
			e.Takes = []authz.Take{calls("c", bound)}
			r, err := f.store.Commit(f.Context(), e)
			if err != nil {
				f.Error(err)
			} else if r.Conflict == nil {
				taken.Add(1)
			}
		})
	}
	wg.Wait()
	if taken.Load() != bound {
		f.Errorf("%d of %d got through a limit of %d", taken.Load(), n, bound)
	}
	f.used(calls("c", bound).Key(), fmt.Sprint(bound))
	if got := len(Verify(f, f.store)); got != n {
		f.Errorf("%d records, want one of each of %d", got, n)
	}
}

func testWindow(f *fixture) {
	two := calls("c", 2)
	f.take(two) // at 0
	f.clock.Move(30 * time.Minute)
	f.take(two) // at 30 min
	f.clock.Move(30*time.Minute - time.Nanosecond)
	f.reached(two)
	f.used(two.Key(), "2")
	f.clock.Move(time.Nanosecond) // the first is an hour old
	f.used(two.Key(), "1")
	f.take(two)
	f.reached(two)
	f.clock.Move(-time.Hour) // a clock that goes back opens nothing
	f.reached(two)
	f.clock.Move(time.Hour + 30*time.Minute)
	f.take(two)
	f.reached(two)
	long := two
	long.Window, long.Max = int64(24*time.Hour), "4"
	f.reached(long) // another window over the same counter saw all four
}

func testSessionWindow(f *fixture) {
	one := func(session string) authz.Take {
		return authz.Take{Counter: "c", Session: session, Amount: "1", Max: "1", Clause: "limits[1]"}
	}
	for _, session := range []string{"s1", "s2", "", "s1\x00"} { // calls without a session share one
		f.take(one(session))
		f.clock.Move(1000 * time.Hour)
		f.reached(one(session))
	}
	f.used(authz.TakeKey{Counter: "c", Session: "s3"}, "0")
	f.used(calls("c", 1).Key(), "0") // sessions are counted apart from times
}

func testExactSums(f *fixture) {
	tenth := authz.Take{Counter: "c", Window: int64(time.Hour), Amount: "0.1", Max: "1", Clause: "limits[0]"}
	for range 10 {
		f.take(tenth)
	}
	f.used(tenth.Key(), "1")
	least := tenth
	least.Amount = "0.000000000000000000000000000001"
	f.reached(least)
	zero, negative := tenth, tenth
	zero.Amount, negative.Amount = "0", "-1"
	f.take(zero)
	f.reached(negative)
	f.used(tenth.Key(), "1")
}

func testManyDigits(f *fixture) {
	big := "9" + strings.Repeat("0", 398) + "1"
	small := "0." + strings.Repeat("0", 397) + "1"
	take := authz.Take{Counter: "c", Window: int64(time.Hour), Max: "9e399", Clause: "limits[0]"}
	for _, amount := range []string{"1", small} {
		take.Amount = amount
		f.take(take)
	}
	take.Amount = big
	f.reached(take)
	take.Amount = "8e399"
	f.take(take)
	f.clock.Move(time.Hour)
	f.used(take.Key(), "0") // the difference of totals with 800 digits
}

func testCountedOnce(f *fixture) {
	hour, day := calls("c", 2), calls("c", 3)
	day.Window = int64(24 * time.Hour)
	session := authz.Take{Counter: "c", Amount: "1", Max: "10", Clause: "limits[2]"}
	f.take(hour, day, session, hour)
	for _, k := range []authz.TakeKey{hour.Key(), day.Key(), session.Key()} {
		f.used(k, "1")
	}
	other := day
	other.Amount = "2"
	e := f.entry()
	e.Takes = []authz.Take{hour, other}
	f.refused(e) // one act can't be both 1 and 2
	f.used(hour.Key(), "1")
}

func testAllTakesOrNone(f *fixture) {
	f.take(calls("full", 1))
	f.reached(calls("free", 5), calls("full", 1))
	f.used(calls("free", 5).Key(), "0")
}

func testUsed(f *fixture) {
	f.take(calls("a", 9))
	f.take(calls("a", 9), calls("b\x00x", 9))
	keys := []authz.TakeKey{calls("b\x00x", 9).Key(), calls("none", 9).Key(), calls("a", 9).Key(), calls("b\x00y", 9).Key()}
	got, err := f.store.Used(f.Context(), keys)
	if err != nil || fmt.Sprint(got) != "[1 0 2 0]" {
		f.Errorf("used %v, %v", got, err)
	}
	for _, k := range []authz.TakeKey{{Counter: "a", Window: -1}, {Counter: "a", Window: 1, Session: "s"}} {
		if got, err := f.store.Used(f.Context(), []authz.TakeKey{k}); err == nil {
			f.Errorf("%+v: used %v, want an error", k, got)
		}
	}
}

func testChangedBound(f *fixture) {
	f.take(calls("c", 5))
	f.take(calls("c", 5))
	f.reached(calls("c", 2))
	f.take(calls("c", 3))
}
