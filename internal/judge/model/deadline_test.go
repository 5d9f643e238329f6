package model_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/llm"
)

// silent answers nothing until it is told to stop.
type silent struct{}

func (silent) Ask(ctx context.Context, _ llm.Question) (llm.Answer, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return llm.Answer{}, errors.New("asked without a deadline")
	}
	<-ctx.Done()
	return llm.Answer{Tries: 1}, &llm.Failure{Code: llm.Timeout, Detail: "no answer"}
}

// TestDeadline: a judge bounds the time of a model itself, also for a caller that
// does not, and then there is no verdict.
func TestDeadline(t *testing.T) {
	o := options(&script{})
	o.Main, o.Deadline = silent{}, time.Millisecond
	c := pay(t, order)
	if got := verdict(c, newJudge(t, o).Judge(context.Background(), c)); got != "nv_timeout" {
		t.Errorf("%s, want nv_timeout", got)
	}
}
