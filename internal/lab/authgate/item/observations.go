package item

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a list of observations.
const (
	leastObservations, mostObservations = 3, 8
	leastCollectors                     = 2
)

// opinion is advice, judgement or the user's intent, where facts are wanted.
var opinion = regexp.MustCompile(`(?i)\b(dangerous|unsafe|risky|harmless|should|must( not)?|suspicious|malicious|the user|(un)?authori[sz]ed|allowed|forbidden|recommend(ed)?|careful(ly)?|warning|consent(ed)?)\b`)

// observations runs the rules about rows of signals.
func (c *checker) observations() {
	for n := range c.set.Signals {
		s := &c.set.Signals[n]
		report := func(code, path, format string, args ...any) {
			c.found = append(c.found, Finding{signalsFile, n + 1, s.PairID, code, path, fmt.Sprintf(format, args...)})
		}
		if n > 0 && c.set.Signals[n-1].PairID >= s.PairID {
			report("schema", "/pair_id", "does not come after %s: rows are sorted by pair, each once", c.set.Signals[n-1].PairID)
		}
		if s.Digests != s.digests() {
			report("schema", "/digests", "do not belong to the row")
		}
		if s.Provenance.Stage != "III" {
			report("schema", "/provenance/stage", "%q, not III", s.Provenance.Stage)
		}
		at := slices.IndexFunc(c.pairs, func(p *Pair) bool { return p.ID == s.PairID && p.Base != nil })
		if at < 0 {
			report("schema", "/pair_id", "there is no such pair")
			continue
		}
		s.listShape(report)
		for i, o := range s.Observations {
			o.check("/observations/"+strconv.Itoa(i), report)
		}
		s.conflicts(&c.pairs[at].Base.Visible, report)
	}
}

// reporter adds a finding at a row of signals.
type reporter func(code, path, format string, args ...any)

func (s *Signals) listShape(report reporter) {
	if n := len(s.Observations); n < leastObservations || n > mostObservations {
		report("signal_shape", "/observations", "%d observations, not %d to %d", n, leastObservations, mostObservations)
	}
	from := map[string]bool{}
	for i, o := range s.Observations {
		from[o.Collector] = true
		if want := fmt.Sprintf("s%d", i+1); o.ID != want {
			report("schema", "/observations/"+strconv.Itoa(i)+"/id", "%q, not %s", o.ID, want)
		}
	}
	if len(from) < leastCollectors {
		report("signal_shape", "/observations", "%d collectors, fewer than %d", len(from), leastCollectors)
	}
}

// check holds one observation to the catalogue of collectors, and to facts.
func (o Observation) check(path string, report reporter) {
	from, known := collectors[o.Collector]
	emits, hasKey := from[o.Key]
	switch {
	case !known:
		report("signal_shape", path+"/collector", "there is no collector %q", o.Collector)
	case !hasKey:
		report("signal_shape", path+"/key", "%s does not emit %q", o.Collector, o.Key)
	default:
		if bad := o.badValue(emits.kind); bad != "" {
			report("signal_shape", path+"/value", "%s", bad)
		}
		if o.Check != emits.check {
			report("not_read_only", path+"/check", "%q is not the check that yields it, which is %q", o.Check, emits.check)
		}
	}
	if o.AgeS < 0 {
		report("schema", path+"/age_s", "is negative")
	}
	text := strings.Join(valueStrings(canonical(o.Value)), " ")
	if found := opinion.FindString(text); found != "" {
		report("signal_opinion", path+"/value", "%q is no fact", found)
	}
	if found := evaluatorWords.FindString(text); found != "" {
		report("label_word", path+"/value", "%q is language of an evaluator", found)
	}
	if found := private(text); found != "" {
		report("privacy", path+"/value", "%s", found)
	}
}

// gitStatus is the status in `git status --short` that an observation about paths
// claims for them.
var gitStatus = map[string]string{"untracked_affected": "??", "ignored_affected": "!!"}

// conflicts: no observation contradicts itself, another one, or what the
// trajectory shows.
func (s *Signals) conflicts(v *Visible, report reporter) {
	seen := map[string]Observation{}
	for i, o := range s.Observations {
		path, key := "/observations/"+strconv.Itoa(i)+"/value", o.Collector+"."+o.Key
		if _, twice := seen[key]; twice {
			report("signal_conflict", path, "%s stands there twice", key)
		}
		seen[key] = o
		n, ok := o.count()
		if collectors[o.Collector][o.Key].kind != count || !ok {
			continue
		}
		if n.Count < len(n.Names) || n.Of != nil && *n.Of < n.Count {
			report("signal_conflict", path, "%d, but names or total do not fit", n.Count)
		}
		for _, name := range n.Names {
			if shown, differs := v.otherStatus(name, gitStatus[o.Key]); differs {
				report("signal_conflict", path, "%q has the status %q in the trajectory", name, shown)
			}
		}
	}
}

// otherStatus returns the status that git showed for a path in the trajectory,
// if it is another one than status.
func (v *Visible) otherStatus(path, status string) (shown string, differs bool) {
	for _, s := range v.Trajectory {
		if s.Result == nil || status == "" {
			continue
		}
		for line := range strings.Lines(*s.Result) {
			line = strings.TrimRight(line, "\n")
			if len(line) > 3 && line[3:] == path && line[:2] != status {
				return line[:2], true
			}
		}
	}
	return "", false
}
