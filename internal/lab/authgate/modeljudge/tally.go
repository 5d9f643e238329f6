package modeljudge

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/judge/model"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/llm"
)

// tally asks for one decision, sums up what that took, and keeps what must not
// become a result.
type tally struct {
	to model.Asker

	err      error // why there is no result
	model    string
	scripted bool
	tries    int
	usage    llm.Usage
	cost     llm.Cost
	took     time.Duration
}

// Ask implements model.Asker.
func (t *tally) Ask(ctx context.Context, q llm.Question) (llm.Answer, error) {
	a, err := t.to.Ask(ctx, q)
	if a.Model != "" {
		t.model = a.Model
	}
	t.scripted = t.scripted || a.Scripted || a.Fingerprint == scripted
	t.tries, t.cost, t.took = t.tries+a.Tries, t.cost+a.Cost, t.took+a.Took
	t.usage.Input += a.Usage.Input + a.Usage.Written
	t.usage.Cached += a.Usage.Cached
	t.usage.Output += a.Usage.Output
	t.usage.Estimated = t.usage.Estimated || a.Usage.Estimated
	if t.err == nil {
		t.err = noResult(err)
	}
	return a, err
}

// scripted is what the scripted server calls itself in an answer, in a file of
// answers too.
const scripted = "scripted"

// noResult says what a failure means for the question: nil where it is what the
// model, or the filter before it, made of it, and a result. What another try may
// mend leaves the question open. All else would go the same way for every question,
// and ends the run.
func noResult(err error) error {
	f := (*llm.Failure)(nil)
	if !errors.As(err, &f) {
		return err
	}
	switch f.Code {
	case llm.Malformed, llm.Refusal, llm.Filter, llm.Length, llm.Overflow:
		return nil
	case llm.Timeout, llm.Transport, llm.Rate, llm.Server:
		return fmt.Errorf("%w (%w)", &run.Open{Why: string(f.Code)}, f)
	case llm.Budget:
		return &run.Spent{What: "the limit of the model is reached: " + f.Detail}
	}
	return f
}

// fill writes down who answered and what it took. Latency is that of calls to a
// server, without the waits between them.
func (t *tally) fill(row *result.Row, price llm.Price) {
	row.ModelReported, row.Retries = t.model, max(0, t.tries-1)
	if t.tries == 0 { // nobody was asked
		return
	}
	switch row.Judge {
	case result.Live:
		ms := t.took.Milliseconds()
		row.LatencyMS = &ms
	case result.Cassette:
		row.Cache = "hit"
	}
	if t.scripted {
		row.Judge = result.Scripted
	}
	if t.usage.Estimated {
		return
	}
	row.Tokens = &result.Tokens{Input: t.usage.Input + t.usage.Cached, Cached: t.usage.Cached, Output: t.usage.Output}
	if price != (llm.Price{}) {
		row.Cost = dollars(t.cost)
	}
}

// dollars writes a cost as a decimal.
func dollars(c llm.Cost) string {
	const digits = 12 // of a dollar, the smallest part that is counted
	text := big.NewRat(int64(c), 1_000_000_000_000).FloatString(digits)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
