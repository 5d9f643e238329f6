package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
)

var logTests = map[string]func(*fixture){
	"EmptyLog":        testEmptyLog,
	"Chain":           testChain,
	"ConcurrentChain": testConcurrentChain,
	"Records":         testRecords,
	"TimeNeverBack":   testTimeNeverBack,
	"RefusedEntries":  testRefusedEntries,
	"Neighbours":      testNeighbours,
	"CanceledCommit":  testCanceledCommit,
	"Closed":          testClosed,
}

func testEmptyLog(f *fixture) {
	if got := Verify(f, f.store); len(got) != 0 {
		f.Errorf("a new log holds %d records", len(got))
	}
	if _, err := f.store.Record(f.Context(), "r1"); !ledger.IsNotFound(err) {
		f.Errorf("record of an empty log: %v", err)
	}
	if now, err := f.store.Now(f.Context()); err != nil || !now.Equal(start) {
		f.Errorf("now is %s, %v, want the clock's %s", now, err, start)
	}
}

func testChain(f *fixture) {
	var receipts []evidence.Record
	for i, kind := range evidence.Kinds() {
		e := f.entry()
		e.Kind = kind
		f.clock.Move(time.Nanosecond)
		r := f.done(e)
		if r.Index != uint64(i) || r.Record.Index != r.Index || !r.Time.Equal(f.clock.Now()) || r.Record.Time != r.Time {
			f.Errorf("receipt %+v: wrong place or time", r)
		}
		receipts = append(receipts, r.Record)
	}
	same(f, "the log", Verify(f, f.store), receipts)
	for _, want := range receipts {
		got, err := f.store.Record(f.Context(), want.ID)
		if err != nil {
			f.Error(err)
		}
		same(f, "record "+want.ID, got, want)
	}
}

func testConcurrentChain(f *fixture) {
	const writers, each = 16, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				id := fmt.Sprintf("w%d-%d", w, i)
				r, err := f.store.Commit(f.Context(), Entry(id))
				if err != nil || r.Record.ID != id {
					f.Errorf("committing %s: %v, %v", id, r.Record.ID, err)
				}
			}
		})
	}
	wg.Wait()
	names := map[string]bool{}
	for _, r := range Verify(f, f.store) {
		names[r.ID] = true
		if want := fmt.Sprintf(`{"conflict":"","id":%q,"index":%d}`, r.ID, r.Index); string(r.Body) != want {
			f.Errorf("record %d has body %s, want %s", r.Index, r.Body, want)
		}
	}
	if len(names) != writers*each {
		f.Errorf("%d records, want %d", len(names), writers*each)
	}
}

func testRecords(f *fixture) {
	const n = 300 // more than a store reads at once
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if _, err := f.store.Commit(f.Context(), Entry(fmt.Sprint("r", i))); err != nil {
				f.Error(err)
			}
		})
	}
	wg.Wait()
	for _, c := range []struct {
		from       uint64
		n          int
		first, len int
	}{
		{0, n, 0, n}, {0, n + 5, 0, n}, {0, 1, 0, 1}, {299, 2, 299, 1}, {10, 280, 10, 280},
		{n, 5, 0, 0}, {1 << 63, 5, 0, 0}, {0, 0, 0, 0}, {0, -1, 0, 0},
	} {
		var got []int
		err := f.store.Records(f.Context(), c.from, c.n, func(r evidence.Record) error {
			got = append(got, int(r.Index))
			_, err := f.store.Head(f.Context()) // the store can be used meanwhile
			return err
		})
		if err != nil || len(got) != c.len || c.len > 0 && got[0] != c.first || !slices.IsSorted(got) {
			f.Errorf("Records(%d, %d) gave %d records %v, %v", c.from, c.n, len(got), got, err)
		}
	}
	stop, calls := errors.New("stop"), 0
	err := f.store.Records(f.Context(), 0, n, func(evidence.Record) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		f.Errorf("%v after %d calls, want the first error at once", err, calls)
	}
}

func testTimeNeverBack(f *fixture) {
	first := f.done(f.entry())
	f.clock.Move(-time.Hour)
	second := f.done(f.entry())
	if second.Time.Before(first.Time) {
		f.Errorf("time went back from %s to %s", first.Time, second.Time)
	}
	if now, err := f.store.Now(f.Context()); err != nil || !now.Equal(first.Time) {
		f.Errorf("now is %s, %v, want the last record's %s", now, err, first.Time)
	}
	f.clock.Move(2 * time.Hour)
	if third := f.done(f.entry()); !third.Time.Equal(first.Time.Add(time.Hour)) {
		f.Errorf("time is %s an hour after %s", third.Time, first.Time)
	}
	Verify(f, f.store)
}

// refusedEntries fail for themselves alone.
func refusedEntries(taken string) map[string]ledger.Entry {
	with := func(change func(*ledger.Entry)) ledger.Entry {
		e := Entry("refused")
		change(&e)
		return e
	}
	body := func(f func(ledger.Stamp) ([]byte, error)) ledger.Entry {
		return with(func(e *ledger.Entry) { e.Body = f })
	}
	return map[string]ledger.Entry{
		"name taken":      with(func(e *ledger.Entry) { e.ID = taken }),
		"no name":         with(func(e *ledger.Entry) { e.ID = "" }),
		"name with NUL":   with(func(e *ledger.Entry) { e.ID = taken + "\x00" }),
		"name not UTF-8":  with(func(e *ledger.Entry) { e.ID = "\xff" }),
		"no kind":         with(func(e *ledger.Entry) { e.Kind = "" }),
		"no body":         body(nil),
		"failing body":    body(func(ledger.Stamp) ([]byte, error) { return nil, errors.New("no body today") }),
		"panicking body":  body(func(ledger.Stamp) ([]byte, error) { panic("no body today") }),
		"oversized body":  body(func(ledger.Stamp) ([]byte, error) { return make([]byte, evidence.MaxBody+1), nil }),
		"unknown ticket":  with(func(e *ledger.Entry) { e.Use = &ledger.Use{Ticket: "none"} }),
		"broken amount":   with(func(e *ledger.Entry) { e.Takes = []authz.Take{{Counter: "c", Window: 1, Amount: "x", Max: "1"}} }),
		"negative window": with(func(e *ledger.Entry) { e.Takes = []authz.Take{{Counter: "c", Window: -1, Amount: "1", Max: "1"}} }),
	}
}

func testRefusedEntries(f *fixture) {
	f.done(Entry("taken"))
	for name, e := range refusedEntries("taken") {
		if err := f.refused(e); name == "failing body" && !strings.Contains(err.Error(), "no body today") {
			f.Errorf("%s: the error does not say why: %v", name, err)
		}
	}
	f.done(Entry("refused")) // the name is still free
	Verify(f, f.store)
}

func testNeighbours(f *fixture) {
	f.done(Entry("taken"))
	var wg sync.WaitGroup
	good := 0
	for range 5 {
		for _, e := range refusedEntries("taken") {
			wg.Go(func() {
				if _, err := f.store.Commit(f.Context(), e); err == nil {
					f.Errorf("entry %q was not refused", e.ID)
				}
			})
			id := fmt.Sprint("good", good)
			good++
			wg.Go(func() {
				if _, err := f.store.Commit(f.Context(), Entry(id)); err != nil {
					f.Errorf("a neighbour of failing entries failed: %v", err)
				}
			})
		}
	}
	wg.Wait()
	if got := len(Verify(f, f.store)); got != good+1 {
		f.Errorf("%d records, want %d", got, good+1)
	}
}

func testCanceledCommit(f *fixture) {
	ctx, cancel := context.WithCancel(f.Context())
	cancel()
	for range 20 { // a select between two ready channels would sometimes write
		if _, err := f.store.Commit(ctx, f.entry()); !errors.Is(err, context.Canceled) {
			f.Fatalf("committing for a caller that went away: %v", err)
		}
	}
	if got := Verify(f, f.store); len(got) != 0 {
		f.Errorf("%d records were written for a caller that had gone away", len(got))
	}
}

func testClosed(f *fixture) {
	const n = 50
	committed := make(chan string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if r, err := f.store.Commit(f.Context(), Entry(fmt.Sprint("r", i))); err == nil {
				committed <- r.Record.ID
			}
		})
	}
	if first := <-committed; first == "" {
		f.Error("a receipt without a name")
	}
	if err := f.store.Close(); err != nil {
		f.Errorf("closing: %v", err)
	}
	wg.Wait() // every caller got an answer
	if _, err := f.store.Commit(f.Context(), Entry("late")); err == nil {
		f.Error("a closed store took an entry")
	}
	if _, err := f.store.Head(f.Context()); err == nil {
		f.Error("a closed store answered")
	}
	if err := f.store.Close(); err != nil {
		f.Errorf("closing again: %v", err)
	}
}

var otherTests = map[string]func(*fixture){
	"Observations": testObservations,
	"Forgetting":   testForgetting,
	"Approvers":    testApprovers,
	"Contracts":    testContracts,
	"Marks":        testMarks,
	"Credentials":  testCredentials,
	"ByApprovers":  testByApprovers,
	"Breaker":      testBreaker,
}

func testObservations(f *fixture) {
	observe := func(session, server, tool, leaves string) {
		e := f.entry()
		e.Kind = evidence.Outcome
		e.Observe = &ledger.Observation{Session: session, Server: server, Tool: tool, Leaves: []byte(leaves)}
		f.done(e)
	}
	observe("s1", "bank", "contacts", "1")
	observe("s2", "bank", "contacts", "2")
	observe("s1", "bank", "balance", "3")
	observe("s1", "bank", "contacts", "")
	observe("s1", "bank.contacts", "x", "5")
	for _, c := range []struct {
		session string
		tools   []string
		want    string
	}{
		{"s1", []string{"bank.contacts"}, "1,"},
		{"s1", []string{"bank.balance", "bank.contacts"}, "1,3,"},
		{"s2", []string{"bank.balance", "bank.contacts"}, "2"},
		{"s1", []string{"bank"}, ""},
		{"s1", nil, ""},
		{"s3", []string{"bank.contacts"}, ""},
		{"", []string{"bank.contacts"}, ""},
	} {
		found, err := f.store.Observations(f.Context(), c.session, c.tools)
		var got []string
		for _, o := range found {
			got = append(got, string(o.Leaves))
			if o.Session != c.session || !slices.Contains(c.tools, o.Server+"."+o.Tool) {
				f.Errorf("%s %v: got an observation of %s %s.%s", c.session, c.tools, o.Session, o.Server, o.Tool)
			}
		}
		if err != nil || strings.Join(got, ",") != c.want {
			f.Errorf("%s %v: %q, %v, want %q", c.session, c.tools, got, err, c.want)
		}
	}
}

// testForgetting: of a session the newest results are kept, as many as the bounds
// say, whatever other sessions and other tools do.
func testForgetting(f *fixture) {
	observe := func(session, tool string, size int) {
		e := f.entry()
		e.Kind = evidence.Outcome
		e.Observe = &ledger.Observation{Session: session, Server: "bank", Tool: tool, Leaves: bytes.Repeat([]byte{1}, size)}
		f.done(e)
	}
	expect := func(session string, want ...int) {
		f.Helper()
		found, err := f.store.Observations(f.Context(), session, []string{"bank.a", "bank.b"})
		var sizes []int
		for _, o := range found {
			sizes = append(sizes, len(o.Leaves))
		}
		if err != nil || !slices.Equal(sizes, want) {
			f.Errorf("of %s are kept %v, %v, want %v", session, sizes, err, want)
		}
	}
	observe("other", "a", 7)
	var last []int
	for i := range ledger.MaxObservations + 2 {
		observe("many", []string{"a", "b"}[i%2], i)
		last = append(last, i)
	}
	expect("many", last[2:]...)
	const half = ledger.MaxObserved / 2
	observe("large", "a", 1)
	observe("large", "a", half)
	observe("large", "b", half)
	expect("large", half, half)
	observe("large", "a", 1)
	expect("large", half, 1)
	expect("other", 7)
}

func testMarks(f *fixture) {
	mark := func(session, tool, argument, digest string) ledger.Mark {
		return ledger.Mark{Session: session, Server: "bank", Tool: tool, Argument: argument, Digest: digest}
	}
	marks := func(session string, want int) []ledger.Mark {
		f.Helper()
		got, err := f.store.Marks(f.Context(), session)
		if err != nil || len(got) != want {
			f.Fatalf("session %q has marks %+v, %v, want %d", session, got, err, want)
		}
		return got
	}
	marks("s1", 0)
	e := f.entry()
	e.Marks = []ledger.Mark{mark("s1", "send", "", ""), mark("s1", "send", "to", "a"), mark("s1", "send", "to", "a")}
	e.Seen = &ledger.Seen{Session: "s1"}
	f.done(e)
	got := marks("s1", 2)
	if !slices.Contains(got, mark("s1", "send", "to", "a")) || !slices.Contains(got, mark("s1", "send", "", "")) {
		f.Errorf("marks %+v", got)
	}
	marks("s2", 0)

	stale := f.entry()
	stale.Marks, stale.Seen = []ledger.Mark{mark("s1", "send", "to", "b")}, &ledger.Seen{Session: "s1", Marks: 1}
	if _, err := f.store.Commit(f.Context(), stale); !errors.Is(err, ledger.ErrStale) {
		f.Fatalf("a decision that saw one mark of two: %v", err)
	}
	marks("s1", 2)
	if _, err := f.store.Record(f.Context(), stale.ID); !ledger.IsNotFound(err) {
		f.Errorf("a stale decision left a record: %v", err)
	}
	stale.Seen.Marks = 2
	f.done(stale)
	marks("s1", 3)

	blocked := f.entry() // a conflict leaves no mark
	blocked.Marks, blocked.Takes = []ledger.Mark{mark("s1", "send", "to", "c")}, []authz.Take{calls("none", 0)}
	f.conflict(blocked, authz.LimitReached)
	marks("s1", 3)
}

// testBreaker: opinions count of one agent in one session, and not at all beside a
// conflict; once too many calls are blocked, one that comes late is stale, however
// many decide at the same time.
func testBreaker(f *fixture) {
	opined := func(agent, session, call string) ledger.Entry {
		e := f.entry()
		e.Opined = &ledger.Opined{Agent: agent, Session: session, Counted: ledger.Counted{Turn: "1", Call: call, Opinion: authz.OpinionBlock}}
		return e
	}
	counted := func(agent, session string, want int) {
		f.Helper()
		got, err := f.store.Breaker(f.Context(), agent, session)
		if err != nil || len(got) != want || got.Open("1") != (want == 3) {
			f.Fatalf("of %q in session %q count %+v, %v, want %d", agent, session, got, err, want)
		}
	}
	counted("ann", "s1", 0)
	f.done(opined("ann", "s1", "c1"))
	f.done(opined("ann", "s1", "c1")) // the same
	counted("ann", "s1", 1)
	for _, other := range [][2]string{{"bob", "s1"}, {"ann", ""}, {"ann", "s2"}} {
		counted(other[0], other[1], 0)
		f.done(opined(other[0], other[1], "c1"))
		counted(other[0], other[1], 1)
	}
	full := opined("ann", "s1", "c2")
	full.Takes = []authz.Take{calls("none", 0)}
	f.conflict(full, authz.LimitReached)
	counted("ann", "s1", 1)

	var wg sync.WaitGroup
	var stale atomic.Int64
	for i := range 20 {
		e := opined("ann", "s1", fmt.Sprint("d", i))
		wg.Go(func() {
			if _, err := f.store.Commit(f.Context(), e); errors.Is(err, ledger.ErrStale) {
				stale.Add(1)
			} else if err != nil {
				f.Error(err)
			}
		})
	}
	wg.Wait()
	counted("ann", "s1", 3)
	if stale.Load() != 18 {
		f.Errorf("%d of 20 opinions were stale, want 18", stale.Load())
	}
}

// testByApprovers: once there is an approver, approvers and credentials change
// in the name of one only.
func testByApprovers(f *fixture) {
	enrolling := func(name, by string) ledger.Entry {
		e := f.entry()
		e.Kind, e.Enrol, e.By = evidence.Approver, &approval.Approver{Name: name, Salt: []byte("s"), Iterations: 1, Key: []byte("k")}, by
		return e
	}
	admitting := func(name, by string) ledger.Entry {
		e := f.entry()
		e.Kind, e.Token, e.By = evidence.Credential, &ledger.Credential{Name: name, Digest: "d " + name}, by
		return e
	}
	f.done(admitting("before", ""))
	f.refused(enrolling("ann", "nobody"))
	f.done(enrolling("ann", ""))
	for name, e := range map[string]ledger.Entry{
		"an approver": enrolling("eve", ""), "the same one": enrolling("ann", ""), "in a stranger's name": enrolling("eve", "eve"),
		"a credential": admitting("eve", ""), "a credential in a stranger's name": admitting("eve", "eve"),
	} {
		if _, err := f.store.Commit(f.Context(), e); err == nil {
			f.Errorf("%s was written without an approver", name)
		}
	}
	if _, err := f.store.Approver(f.Context(), "eve"); !ledger.IsNotFound(err) {
		f.Errorf("a stranger is an approver: %v", err)
	}
	f.done(enrolling("bob", "ann"))
	f.done(admitting("after", "bob"))
}

func testCredentials(f *fixture) {
	write := func(name, digest string) {
		e := f.entry()
		e.Kind, e.Token = evidence.Credential, &ledger.Credential{Name: name, Digest: digest}
		f.done(e)
	}
	if _, err := f.store.Credential(f.Context(), "d1"); !ledger.IsNotFound(err) {
		f.Errorf("a credential of an empty store: %v", err)
	}
	write("ops", "d1")
	write("app", "d2")
	if name, err := f.store.Credential(f.Context(), "d2"); err != nil || name != "app" {
		f.Errorf("%q, %v", name, err)
	}
	write("ops", "d3") // replaced: the old one speaks for nobody
	if _, err := f.store.Credential(f.Context(), "d1"); !ledger.IsNotFound(err) {
		f.Errorf("a replaced credential: %v", err)
	}
	write("app", "")
	if names, err := f.store.Credentials(f.Context()); err != nil || !slices.Equal(names, []string{"ops"}) {
		f.Errorf("%q, %v", names, err)
	}
	if _, err := f.store.Credential(f.Context(), ""); !ledger.IsNotFound(err) {
		f.Errorf("the empty digest: %v", err)
	}
}

func testApprovers(f *fixture) {
	if _, err := f.store.Approver(f.Context(), "ann"); !ledger.IsNotFound(err) {
		f.Errorf("an approver that was never enrolled: %v", err)
	}
	bob := f.enrol("bob", "first")
	ann := f.enrol("ann", "other")
	got, err := f.store.Approver(f.Context(), "bob")
	if err != nil {
		f.Error(err)
	}
	same(f, "bob", got, bob)
	bob = f.enrol("bob", "second")
	if got, err = f.store.Approver(f.Context(), "bob"); err != nil {
		f.Error(err)
	}
	same(f, "bob with a new key", got, bob)
	if got, err = f.store.Approver(f.Context(), "ann"); err != nil {
		f.Error(err)
	}
	same(f, "ann", got, ann)
	if names, err := f.store.Approvers(f.Context()); err != nil || !slices.Equal(names, []string{"ann", "bob"}) {
		f.Errorf("approvers are %v, %v", names, err)
	}
}

func testContracts(f *fixture) {
	if _, err := f.store.Contract(f.Context(), "sha256:1"); !ledger.IsNotFound(err) {
		f.Errorf("a contract that was never saved: %v", err)
	}
	text := []byte("version: 1\n")
	for _, save := range [][]byte{text, text, []byte("the first text stays")} {
		if err := f.store.SaveContract(f.Context(), "sha256:1", save); err != nil {
			f.Fatal(err)
		}
	}
	if got, err := f.store.Contract(f.Context(), "sha256:1"); err != nil || !bytes.Equal(got, text) {
		f.Errorf("contract is %q, %v", got, err)
	}
}
