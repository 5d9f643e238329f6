package metric

import (
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/stats"
)

// Tools says how reliably an agent uses its tools.
type Tools struct {
	Valid, Malformed, Unknown, Schema stats.Ratio // of all proposals, by how they could be read
	Errors                            stats.Ratio // results that are errors, of calls that were executed
	Recovery                          stats.Ratio // readable proposals, of those right after a malformed one
	Robust                            stats.Ratio // calls that succeed, of those that come next to the same tool after an error (after Claw-Eval)

	ProtocolFail bool // proposals and none readable, or five malformed in a row
}

// Tools counts the calls of a run.
func (r *Run) Tools() Tools {
	var t Tools
	row, last, failed := 0, "", map[string]bool{}
	for _, c := range r.Calls {
		if c.dropped() {
			continue // nobody looked at it
		}
		for _, of := range []struct {
			ratio *stats.Ratio
			parse string
		}{{&t.Valid, trace.ParseOK}, {&t.Malformed, trace.ParseMalformed}, {&t.Unknown, trace.ParseUnknownTool}, {&t.Schema, trace.ParseSchema}} {
			count(of.ratio, c.Parse == of.parse)
		}
		if last == trace.ParseMalformed {
			count(&t.Recovery, c.Parse == trace.ParseOK)
		}
		last = c.Parse
		if row++; c.Parse != trace.ParseMalformed {
			row = 0
		}
		t.ProtocolFail = t.ProtocolFail || row >= trace.MaxMalformed
		isError := c.executed() && c.Receipt.Status == trace.StatusError
		if c.executed() {
			count(&t.Errors, isError)
		}
		if failed[c.Name] {
			count(&t.Robust, c.executed() && c.Receipt.Status == trace.StatusOK)
		}
		failed[c.Name] = isError
	}
	t.ProtocolFail = t.ProtocolFail || t.Valid.Of > 0 && t.Valid.N == 0
	return t
}

func count(r *stats.Ratio, hit bool) {
	r.Of++
	if hit {
		r.N++
	}
}
