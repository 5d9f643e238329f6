package model_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/judge/model"
	"github.com/licet-dev/licet/internal/llm"
	"github.com/licet-dev/licet/internal/toolcall"
)

// value reads JSON.
func value(tb testing.TB, text string) toolcall.Value {
	tb.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// pay is a call of high risk, look one of low risk.
func pay(tb testing.TB, turns ...string) judge.Case {
	return judge.NewCase(judge.Action{Server: "bank", Tool: "send_money", Arguments: value(tb, `{"to":"GB29","amount":50}`)}, turns)
}

func look(tb testing.TB, turns ...string) judge.Case {
	return judge.NewCase(judge.Action{Server: "bank", Tool: "get_balance", ReadOnly: true, Arguments: value(tb, `{}`)}, turns)
}

// Answers of a model about pay.
const (
	order = "Send 50 to GB29"
	allow = `{"action_effects":["sends 50 to GB29"],"authorizing_spans":[{"turn":1,"quote":"Send 50 to GB29","effects":["f1","f2","f3"]}],` +
		`"uncovered_effects":[],"authorization":"explicit","failure_mode":"none","risk":"high","signals_used":[],"confidence":0.9,` +
		`"rationale":"It is an order.","decision":"allow"}`
	block = `{"action_effects":["sends 50"],"authorizing_spans":[],"uncovered_effects":["f1"],"authorization":"none",` +
		`"failure_mode":"scope_escalation","risk":"high","signals_used":[],"confidence":1,"rationale":"No.","decision":"block"}`
	lookAllow = `{"action_effects":["reads the balance"],"authorizing_spans":[],"uncovered_effects":[],"authorization":"implied",` +
		`"failure_mode":"none","risk":"low","signals_used":[],"confidence":0.5,"rationale":"","decision":"allow"}`
)

// script answers one question after the other: a text, or the code of a failure.
type script struct {
	says []string

	mu    sync.Mutex
	asked []llm.Question
}

func (s *script) Ask(ctx context.Context, q llm.Question) (llm.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	if len(s.asked) > len(s.says) {
		return llm.Answer{}, errors.New("one question too many")
	}
	a := llm.Answer{Model: "scripted", Tries: 1, Usage: llm.Usage{Input: 10, Output: 5}}
	says := strings.ReplaceAll(s.says[len(s.asked)-1], "NONCE", q.Nonce)
	if strings.HasPrefix(says, "nv_") {
		return a, &llm.Failure{Code: llm.Code(says)}
	}
	a.Text = says
	return a, nil
}

// options are those of a judge that asks s, with nonces that repeat.
func options(s *script) model.Options {
	return model.Options{Name: "m", Main: s, Policy: model.Rules, Now: time.Now, Nonce: model.LabNonce("d", "i", 1)}
}

func newJudge(tb testing.TB, o model.Options) *model.Judge {
	tb.Helper()
	j, err := model.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return j
}

// verdict returns the checked verdict, or the code of the failure.
func verdict(c judge.Case, o judge.Opinion) string {
	if o.NoVerdict != "" {
		return string(o.NoVerdict)
	}
	return judge.Check(c, o, judge.Now{Affected: c.Affected}).Verdict.String()
}

// TestOneAnswer: what comes of one question, with its repair and its alternate.
func TestOneAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		says, other []string // of the model, and of its alternate
		want        string
	}{
		"allow":                      {[]string{allow}, nil, "allow"},
		"block":                      {[]string{block}, nil, "block"},
		"repaired":                   {[]string{"Sure! " + allow, allow}, nil, "allow"},
		"repaired, schema":           {[]string{strings.Replace(allow, "explicit", "yes", 1), block}, nil, "block"},
		"not repaired":               {[]string{"no", "no"}, nil, "nv_malformed"},
		"a second repair is none":    {[]string{"nv_malformed", strings.Replace(allow, "explicit", "yes", 1)}, nil, "nv_schema"},
		"a failed repair":            {[]string{"no", "nv_timeout"}, nil, "nv_malformed"},
		"a repair by another model":  {[]string{"no", "nv_model"}, nil, "nv_model"},
		"refusal":                    {[]string{"nv_refusal"}, nil, "nv_refusal"},
		"refusal, alternate":         {[]string{"nv_refusal"}, []string{allow}, "allow"},
		"filter, alternate":          {[]string{"nv_filter"}, []string{block}, "block"},
		"refusal of both":            {[]string{"nv_refusal"}, []string{"nv_filter"}, "nv_filter"},
		"no alternate for a timeout": {[]string{"nv_timeout"}, []string{allow}, "nv_timeout"},
		"length":                     {[]string{"nv_length"}, nil, "nv_length"},
		"echo":                       {[]string{strings.Replace(allow, "It is", "NONCE is", 1)}, nil, "block"},
		"a here-document is none":    {[]string{strings.Replace(allow, "It is", "cat <<EOF is", 1)}, nil, "allow"},
		"echo of a fence":            {[]string{strings.Replace(allow, "It is", strings.Repeat("0F", 16)+">>", 1)}, nil, "block"},
		"echo, and a repair":         {[]string{"NONCE " + allow, allow}, nil, "block"},
		"echo, as an escape":         {[]string{strings.Replace(allow, "It is", `\u003c<REQUEST a`, 1)}, nil, "block"},
	} {
		t.Run(name, func(t *testing.T) {
			main, other := &script{says: tt.says}, &script{says: tt.other}
			o := options(main)
			if tt.other != nil {
				o.Alternate = other
			}
			c := pay(t, order)
			got := newJudge(t, o).Judge(t.Context(), c)
			if v := verdict(c, got); v != tt.want || len(main.asked) != len(tt.says) {
				t.Errorf("got %s after %d questions, want %s: %+v", v, len(main.asked), tt.want, got)
			}
			if got.Asked == nil || got.Asked.Requests != len(main.asked)+len(other.asked) {
				t.Errorf("asked: %+v", got.Asked)
			}
			if echoed := strings.HasPrefix(name, "echo"); got.Echoed != echoed || got.Alert() != (echoed || tt.want == "nv_model") {
				t.Errorf("echoed %t, alert %t", got.Echoed, got.Alert())
			}
		})
	}
}

// TestRepairSuggestsNothing: a repair repeats the prompt, says what was wrong in
// words of ours, and no word of the answer.
func TestRepairSuggestsNothing(t *testing.T) {
	s := &script{says: []string{strings.Replace(allow, `"decision"`, `"canary":1,"decision"`, 1), allow}}
	newJudge(t, options(s)).Judge(t.Context(), pay(t, order))
	first, second := s.asked[0], s.asked[1]
	rest, ok := strings.CutPrefix(second.User, first.User)
	if !ok || first.System != second.System || first.Round == second.Round {
		t.Fatalf("the repair asks another question:\n%s", second.User)
	}
	for _, word := range []string{"allow", "block", "canary"} {
		if strings.Contains(rest, word) {
			t.Errorf("the repair says %q: %s", word, rest)
		}
	}
	if !strings.Contains(rest, "a member that the schema does not have") {
		t.Errorf("the repair says %s", rest)
	}
}

// TestVotes: at high risk all must allow, else most; too few valid ones are none.
func TestVotes(t *testing.T) {
	bad := strings.Replace(allow, `"turn":1`, `"turn":7`, 1) // a check blocks it
	for name, tt := range map[string]struct {
		about func(testing.TB, ...string) judge.Case
		says  []string
		want  string
	}{
		"all allow":                     {pay, []string{allow, allow, allow}, "allow"},
		"one echoes the nonce":          {look, []string{lookAllow, strings.Replace(lookAllow, "reads the balance", "NONCE", 1), lookAllow}, "block"},
		"all block":                     {pay, []string{block, block, block}, "block"},
		"most allow at high risk":       {pay, []string{allow, allow, block}, "unsure"},
		"most block at high risk":       {pay, []string{block, allow, block}, "unsure"},
		"one fails its checks":          {pay, []string{allow, bad, allow}, "unsure"},
		"one is none at high risk":      {pay, []string{allow, "nv_timeout", allow}, "unsure"},
		"one is none, the rest block":   {pay, []string{block, "nv_timeout", block}, "block"},
		"most allow at low risk":        {look, []string{lookAllow, block, lookAllow}, "unsure"}, // the block says high risk
		"one is none at low risk":       {look, []string{lookAllow, "nv_timeout", lookAllow}, "allow"},
		"two are none":                  {pay, []string{allow, "nv_timeout", "nv_refusal"}, "nv_votes"},
		"two are none alike":            {pay, []string{allow, "nv_timeout", "nv_timeout"}, "nv_votes"},
		"all are none alike":            {pay, []string{"nv_rate", "nv_rate", "nv_rate"}, "nv_rate"},
		"one cannot be read":            {pay, []string{"no", "no", "nv_timeout", allow}, "nv_malformed"},
		"another model ends it":         {pay, []string{allow, "nv_model"}, "nv_model"},
		"a spent budget ends it":        {pay, []string{allow, "nv_budget"}, "nv_budget"},
		"five, most allow":              {look, []string{lookAllow, lookAllow, lookAllow, "nv_rate", "nv_rate"}, "allow"},
		"five, not most":                {look, []string{lookAllow, lookAllow, "nv_rate", "nv_rate", "nv_rate"}, "nv_votes"},
		"the one repair is for all":     {pay, []string{"no", allow, "no", allow}, "unsure"},
		"five, implied at a high floor": {pay, []string{lookAllow, lookAllow, lookAllow, lookAllow, lookAllow}, "block"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{says: tt.says}
			o := options(s)
			o.Votes = 3
			if strings.HasPrefix(name, "five") {
				o.Votes = 5
			}
			c := tt.about(t, order)
			got := newJudge(t, o).Judge(t.Context(), c)
			if v := verdict(c, got); v != tt.want || len(s.asked) != len(tt.says) {
				t.Errorf("got %s after %d questions, want %s after %d: %s", v, len(s.asked), tt.want, len(tt.says), got.Rationale)
			}
		})
	}
}

// TestVotesDiffer: in the order of the blocks and the last line, and in nothing
// else.
func TestVotesDiffer(t *testing.T) {
	s := &script{says: []string{block, block, block, block, block}}
	o := options(s)
	o.Votes = 5
	newJudge(t, o).Judge(t.Context(), pay(t, order))
	seen := map[string]bool{}
	var content []string
	for _, q := range s.asked {
		lines := strings.Split(strings.ReplaceAll(q.User, q.Nonce, "N"), "\n")
		last := len(lines) - 1
		if seen[lines[last]] || q.System != s.asked[0].System {
			t.Errorf("the same last line, or another system text: %s", lines[last])
		}
		seen[lines[last]] = true
		same := slices.Sorted(slices.Values(lines[:last]))
		if content == nil {
			content = same
		}
		if !slices.Equal(content, same) {
			t.Errorf("other content:\n%s", q.User)
		}
	}
	if slices.Equal(strings.Split(s.asked[0].User, "\n")[1:2], strings.Split(s.asked[1].User, "\n")[1:2]) &&
		strings.HasPrefix(s.asked[1].User, strings.ReplaceAll(s.asked[0].User[:60], s.asked[0].Nonce, s.asked[1].Nonce)) {
		t.Error("the blocks are in the same order")
	}
}

// TestTwoStages: a letter decides only where nothing is at stake, and only A.
func TestTwoStages(t *testing.T) {
	forbidden := func(tb testing.TB, _ ...string) judge.Case { return look(tb, "Look. Never pay.") }
	long := func(tb testing.TB, _ ...string) judge.Case {
		return look(tb, "Look.", strings.Repeat("word ", 20<<10), "Go on.")
	}
	for name, tt := range map[string]struct {
		about func(testing.TB, ...string) judge.Case
		says  []string
		want  string
		stage int
	}{
		"turns that are not shown": {long, []string{lookAllow}, "allow", 2},
		"without facts":            {look, []string{lookAllow}, "allow", 2},
		"A":                        {look, []string{"A"}, "allow", 1},
		"B":                        {look, []string{"B", lookAllow}, "allow", 2},
		"more than A":              {look, []string{"A.", block}, "block", 2},
		"A in lower case":          {look, []string{"a", lookAllow}, "allow", 2},
		"no answer":                {look, []string{"nv_timeout", lookAllow}, "allow", 2},
		"high risk":                {pay, []string{allow}, "allow", 2},
		"a boundary":               {forbidden, []string{lookAllow}, "allow", 2},
		"none in the second":       {look, []string{"B", "nv_refusal"}, "nv_refusal", 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{says: tt.says}
			o := options(s)
			o.TwoStage, o.View.NoFacts = true, name == "without facts"
			c := tt.about(t, order)
			got := newJudge(t, o).Judge(t.Context(), c)
			if v := verdict(c, got); v != tt.want || len(s.asked) != len(tt.says) || got.Asked.Stage != tt.stage {
				t.Errorf("got %s after %d questions, stage %d, want %s, %d", v, len(s.asked), got.Asked.Stage, tt.want, tt.stage)
			}
		})
	}
	s := &script{says: []string{"B", block}}
	o := options(s)
	o.TwoStage = true
	newJudge(t, o).Judge(t.Context(), look(t, order))
	var without []string
	for _, q := range s.asked {
		user := strings.ReplaceAll(q.User, q.Nonce, "N")
		without = append(without, user[:strings.LastIndex(user, "\n")])
	}
	if without[0] != without[1] || s.asked[0].System != s.asked[1].System {
		t.Error("the stages differ in more than the last line")
	}
}

// clock is a time that tests move.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// TestOutage: five failures in a row, then none but probes, 30 seconds and longer
// apart, until one is answered.
func TestOutage(t *testing.T) {
	at := &clock{time.Unix(1000, 0)}
	s := &script{says: []string{
		"nv_timeout", "nv_rate", block, "nv_timeout", "nv_auth", "nv_server", "nv_transport", "nv_quota", // the answer ends the first row
		"nv_server", "nv_server", // probes
		block, block,
	}}
	o := options(s)
	o.Now = at.Now
	j := newJudge(t, o)
	n := 0
	ask := func(want string) {
		t.Helper()
		n++
		c := pay(t, fmt.Sprint("turn ", n))
		if v := verdict(c, j.Judge(t.Context(), c)); v != want {
			t.Errorf("call %d: got %s, want %s", n, v, want)
		}
	}
	for _, want := range []string{"nv_timeout", "nv_rate", "block", "nv_timeout", "nv_auth", "nv_server", "nv_transport", "nv_quota", "nv_outage"} {
		ask(want)
	}
	at.now = at.now.Add(29 * time.Second)
	ask("nv_outage")
	at.now = at.now.Add(time.Second)
	ask("nv_server") // the probe
	ask("nv_outage")
	at.now = at.now.Add(59 * time.Second)
	ask("nv_outage")
	at.now = at.now.Add(time.Second)
	ask("nv_server")
	at.now = at.now.Add(119 * time.Second)
	ask("nv_outage")
	at.now = at.now.Add(time.Second)
	ask("block") // it is over
	ask("block")
	if len(s.asked) != len(s.says) {
		t.Errorf("%d questions, want %d", len(s.asked), len(s.says))
	}
}

// TestWhatCountsAsOutage: malformed answers, refusals and a caller that leaves do
// not.
func TestWhatCountsAsOutage(t *testing.T) {
	for _, code := range []string{"nv_malformed", "nv_refusal", "nv_filter", "nv_length", "nv_overflow", "nv_model", "nv_internal"} {
		s := &script{}
		for range 20 {
			s.says = append(s.says, code)
		}
		j := newJudge(t, options(s))
		for range 7 {
			if o := j.Judge(t.Context(), pay(t, order)); o.NoVerdict != judge.NoVerdict(code) {
				t.Fatalf("%s: got %s", code, o.NoVerdict)
			}
		}
	}
	s := &script{says: slices.Repeat([]string{"nv_timeout"}, 7)}
	j := newJudge(t, options(s))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 7 {
		if o := j.Judge(gone, pay(t, order)); o.NoVerdict != judge.Timeout {
			t.Fatalf("got %s", o.NoVerdict)
		}
	}
}

// TestCache: the same question in a session gets the same answer for ten minutes,
// and only that.
func TestCache(t *testing.T) {
	at := &clock{time.Unix(1000, 0)}
	s := &script{says: []string{allow, block, block, block, block, "nv_timeout", block, block, block}}
	o := options(s)
	o.Now = at.Now
	j := newJudge(t, o)
	ask := func(about string, session string, fresh bool, turns ...string) {
		t.Helper()
		before := len(s.asked)
		c := pay(t, turns...)
		c.Session = session
		got := j.Judge(t.Context(), c)
		if asked := len(s.asked) > before; asked != fresh || got.Asked.Cached == fresh {
			t.Errorf("%s: asked %t, cached %t, want fresh %t", about, asked, got.Asked.Cached, fresh)
		}
	}
	ask("first", "s1", true, order)
	ask("again", "s1", false, order)
	at.now = at.now.Add(10 * time.Minute)
	ask("after ten minutes", "s1", false, order)
	at.now = at.now.Add(time.Second)
	ask("too old", "s1", true, order)
	ask("another session", "s2", true, order)
	ask("a new turn", "s1", true, order, "go on")
	ask("back to the old turns", "s1", true, order)
	ask("a failure", "s3", true, order)
	ask("is not kept", "s3", true, order)
	ask("no session", "", true, order)
	ask("no session again", "", true, order)
	if len(s.asked) != len(s.says) {
		t.Errorf("%d questions, want %d", len(s.asked), len(s.says))
	}
}

// TestCacheAndAffected: what is kept is no answer once the call would touch other
// files, even where the prompt is the same.
func TestCacheAndAffected(t *testing.T) {
	s := &script{says: []string{block, block}}
	j := newJudge(t, options(s))
	c := pay(t, order)
	c.Session = "s"
	j.Judge(t.Context(), c)
	c.Affected = "sha256:other"
	j.Judge(t.Context(), c)
	if len(s.asked) != 2 {
		t.Errorf("asked %d times, want 2", len(s.asked))
	}
}

// TestCacheAndSignals: another observation is another question, the same one that
// has aged is not.
func TestCacheAndSignals(t *testing.T) {
	s := &script{says: []string{block, block, block}}
	j := newJudge(t, options(s))
	for i, tt := range []struct {
		seen   constraint.Signal
		cached bool
	}{
		{constraint.Signal{ID: "s1", Collector: "git_state", Key: "dirty", Value: value(t, "3"), Complete: true}, false},
		{constraint.Signal{ID: "s1", Collector: "git_state", Key: "dirty", Value: value(t, "3"), Complete: true, Age: time.Hour}, true},
		{constraint.Signal{ID: "s1", Collector: "git_state", Key: "dirty", Value: value(t, "4"), Complete: true}, false},
		{constraint.Signal{ID: "s1", Collector: "path_facts", Key: "newest_change", Value: value(t, "4"), Complete: true}, false},
		{constraint.Signal{ID: "s1", Collector: "path_facts", Key: "newest_change", Value: value(t, "9"), Complete: true}, true},
	} {
		c := pay(t, order)
		c.Session, c.Signals = "s", []constraint.Signal{tt.seen}
		if o := j.Judge(t.Context(), c); o.Asked.Cached != tt.cached {
			t.Errorf("%d: cached %t", i, o.Asked.Cached)
		}
	}
}

// TestFence: data that hold the nonce get a new one, and after that none.
func TestFence(t *testing.T) {
	nonce := model.LabNonce("d", "i", 1)
	s := &script{says: []string{block}}
	newJudge(t, options(s)).Judge(t.Context(), pay(t, "It is "+strings.ToUpper(nonce(0))))
	if q := s.asked[0]; q.Nonce != nonce(1) || !strings.HasPrefix(q.User, "NONCE "+nonce(1)+"\n") {
		t.Errorf("asked with the nonce %s", q.Nonce)
	}
	s = &script{}
	got := newJudge(t, options(s)).Judge(t.Context(), pay(t, nonce(0), nonce(1)))
	if got.NoVerdict != judge.Fence || !got.Alert() || len(s.asked) > 0 {
		t.Errorf("got %s after %d questions", got.NoVerdict, len(s.asked))
	}
}

// TestOptions: what is missing makes no judge.
func TestOptions(t *testing.T) {
	for name, change := range map[string]func(*model.Options){
		"model":  func(o *model.Options) { o.Main = nil },
		"policy": func(o *model.Options) { o.Policy = model.Policy{} },
		"clock":  func(o *model.Options) { o.Now = nil },
		"nonces": func(o *model.Options) { o.Nonce = nil },
		"votes":  func(o *model.Options) { o.Votes = 2 },
	} {
		o := options(&script{})
		change(&o)
		if _, err := model.New(o); err == nil {
			t.Errorf("a judge with a bad %s", name)
		}
	}
	for _, text := range []string{"", " \n", "\xff", strings.Repeat("a", 65<<10)} {
		if _, err := model.NewPolicy("own", text); err == nil {
			t.Errorf("a policy of %d bytes", len(text))
		}
	}
	if _, err := model.PolicyOf("other"); err == nil {
		t.Error("a policy that is not there")
	}
}

// TestConcurrent: several calls at once.
func TestConcurrent(t *testing.T) {
	s := &script{says: slices.Repeat([]string{block}, 32)}
	j := newJudge(t, options(s))
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			c := pay(t, order)
			c.Session = fmt.Sprint(i % 3)
			if o := j.Judge(t.Context(), c); o.Verdict != authz.OpinionBlock {
				t.Errorf("got %v", o)
			}
		})
	}
	all.Wait()
}
