package signals

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/judge"
)

// Limit bounds one collection, all collectors together.
const Limit = 1500 * time.Millisecond

// maxStuck is how many collectors of this process may be stuck in the operating
// system; beyond, none is started.
const maxStuck = 64

// Input is what a collection is about. No turn of the user is part of it.
type Input struct {
	Action  judge.Action
	Effects []judge.Effect // of the action, as judge.NewCase has them
	Session Session
	Want    []string  // collectors that run whatever the action does
	Now     time.Time // when the collection begins; ages count from it
}

// Session is what licet's own evidence says of the session. The zero Session is
// not known.
type Session struct {
	Known   bool
	Start   time.Time         // zero is unknown
	Refused *int              // calls that were refused; nil is unknown
	Made    func(string) bool // whether a call of the session made a file, given by its path; nil is unknown
}

// Report is what a collection saw.
type Report struct {
	Signals    []constraint.Signal // with ids s1, s2, ...: by collector, in the order of its keys
	Collectors []Run
	Digest     string // "sha256:..." of the signals; ages are not part of it
}

// Run says how one collector fared.
type Run struct {
	Collector string
	Took      time.Duration
	Unseen    []string // what could not be seen, for people
}

// collector observes one part of the environment.
type collector struct {
	name  string
	limit time.Duration // judge.md, section 11
	when  func(*subject) bool
	run   func(*look)
}

// collectors are all there are, by name.
var collectors = []collector{
	{"branch_rules", 20 * time.Millisecond, touchesBranches, branchRules},
	{"ci_config", 100 * time.Millisecond, startsWorkflows, ciConfig},
	{"cloud_ctx", 20 * time.Millisecond, usesCloud, cloudContext},
	{"credential_prov", 50 * time.Millisecond, usesCredentials, credentialProvenance},
	{"db_target", 20 * time.Millisecond, usesDatabase, databaseTarget},
	{"destination", 5 * time.Millisecond, sendsAnything, destination},
	{"docker_ctx", 20 * time.Millisecond, usesDocker, dockerContext},
	{"git_remote", 20 * time.Millisecond, usesRemote, gitRemote},
	{"git_state", 500 * time.Millisecond, touchesRepository, gitState},
	{"git_targets", 500 * time.Millisecond, losesFiles, gitTargets},
	{"guard_config", 50 * time.Millisecond, meetsGuards, guardConfig},
	{"open_files", 200 * time.Millisecond, changesFiles, openFiles},
	{"path_bounds", 50 * time.Millisecond, changesFiles, pathBounds},
	{"path_facts", 500 * time.Millisecond, changesFiles, pathFacts},
	{"payload_class", 300 * time.Millisecond, sendsFiles, payloadClass},
	{"processes", 100 * time.Millisecond, endsProcesses, processes},
	{"registry", 20 * time.Millisecond, publishes, registry},
	{"schedulers", 300 * time.Millisecond, touchesJobs, schedulers},
	{"session_prov", 1 * time.Millisecond, losesAnything, sessionProvenance},
}

// Collect runs the collectors that the action triggers, and those that are
// wanted, all at once. It comes back within [Limit] and never fails: what could
// not be seen is unknown.
func Collect(ctx context.Context, in Input) Report {
	return collect(ctx, in, thisMachine())
}

// stuck counts the collectors that did not come back in time, until they do.
var stuck atomic.Int64

func collect(ctx context.Context, in Input, m machine) Report {
	ctx, cancel := context.WithTimeout(ctx, Limit*time.Duration(m.patience))
	defer cancel()
	s, shared := newSubject(in), &parts{}
	var running []<-chan *sink
	var chosen []collector
	for _, c := range collectors {
		if slices.Contains(in.Want, c.name) || c.when(s) {
			chosen = append(chosen, c)
			running = append(running, start(ctx, c, look{machine: m, subject: s, shared: shared, session: in.Session, now: in.Now}))
		}
	}
	var r Report
	for i, c := range chosen {
		var got *sink
		select {
		case got = <-running[i]:
		case <-ctx.Done():
			select {
			case got = <-running[i]: // both were ready
			default:
				got = newSink(c.name)
				got.unseen("it did not answer in time")
				got.took = Limit
			}
		}
		r.Signals = append(r.Signals, got.signals()...)
		r.Collectors = append(r.Collectors, Run{c.name, got.took, got.missed})
	}
	for i := range r.Signals {
		r.Signals[i].ID = fmt.Sprintf("s%d", i+1)
	}
	r.Digest = Digest(r.Signals)
	return r
}

// start runs one collector beside the others. What it finds is sent at once, when
// it is done, so that one that is left behind shares nothing.
func start(ctx context.Context, c collector, l look) <-chan *sink {
	done := make(chan *sink, 1)
	if stuck.Load() >= maxStuck {
		out := newSink(c.name)
		out.unseen("too many collectors are stuck")
		done <- out
		return done
	}
	stuck.Add(1)
	go func() {
		defer stuck.Add(-1)
		begun := time.Now()
		out := run(ctx, c, l)
		out.took = time.Since(begun)
		done <- out
	}()
	return done
}

// run runs one collector. A defect in it makes all its keys unknown.
func run(ctx context.Context, c collector, l look) (out *sink) {
	ctx, cancel := context.WithTimeout(ctx, c.limit*time.Duration(l.patience))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			out = newSink(c.name)
			out.unseen(fmt.Sprintf("a defect: %v", p))
		}
	}()
	l.ctx, l.sink = ctx, newSink(c.name)
	c.run(&l)
	return l.sink
}

// Digest returns "sha256:..." over what signals say. Ages and times that have passed
// are left out: they change by themselves.
func Digest(all []constraint.Signal) string {
	h := sha256.New()
	for _, s := range all {
		said := s.Value.Canonical()
		if s.Elapses() {
			said = ""
		}
		fmt.Fprintf(h, "%q %t %d %s\n", s.Name(), s.Complete, s.AtLeast, said)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
