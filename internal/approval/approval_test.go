package approval_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
)

var (
	opened  = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	expires = opened.Add(15 * time.Minute)
)

func answers(words ...string) []approval.Answer {
	var out []approval.Answer
	for _, w := range words {
		name, denies := strings.CutPrefix(w, "!")
		out = append(out, approval.Answer{Approver: name, Approve: !denies})
	}
	return out
}

func TestState(t *testing.T) {
	last := expires.Add(-time.Nanosecond)
	for name, c := range map[string]struct {
		quorum  int
		answers []approval.Answer
		used    time.Time
		now     time.Time
		want    approval.State
	}{
		"unanswered":                      {1, nil, time.Time{}, last, approval.Open},
		"silence is no":                   {1, nil, time.Time{}, expires, approval.Expired},
		"approved":                        {1, answers("ann"), time.Time{}, last, approval.Granted},
		"approved and expired":            {1, answers("ann"), time.Time{}, expires, approval.Expired},
		"denied":                          {1, answers("!ann"), time.Time{}, last, approval.Denied},
		"denied and expired":              {1, answers("!ann"), time.Time{}, expires, approval.Expired},
		"used":                            {1, answers("ann"), opened, last, approval.Used},
		"used and expired":                {1, answers("ann"), opened, expires, approval.Used},
		"no quorum is a quorum of one":    {0, nil, time.Time{}, last, approval.Open},
		"negative quorum":                 {-3, nil, time.Time{}, last, approval.Open},
		"half a quorum":                   {2, answers("ann"), time.Time{}, last, approval.Open},
		"one approver twice":              {2, answers("ann", "ann"), time.Time{}, last, approval.Open},
		"quorum":                          {2, answers("ann", "bob"), time.Time{}, last, approval.Granted},
		"one denial outweighs":            {2, answers("ann", "bob", "!eve"), time.Time{}, last, approval.Denied},
		"a denial is not taken back":      {1, answers("!ann", "ann"), time.Time{}, last, approval.Denied},
		"a denial is no half of a quorum": {2, answers("!ann", "bob"), time.Time{}, last, approval.Denied},
	} {
		ticket := approval.Ticket{Opened: opened, Expires: expires, Panels: quorum(c.quorum), Answers: c.answers, Used: c.used}
		if got := ticket.State(c.now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if got := (approval.Ticket{}).State(opened); got != approval.Expired {
		t.Errorf("the zero ticket is %s", got)
	}
}

// quorum is a panel of any n approvers.
func quorum(n int) []authz.Panels { return []authz.Panels{{{Quorum: n}}} }

// TestPanels: one panel of each list must be complete, and a word counts only
// where its approver sits.
func TestPanels(t *testing.T) {
	panel := func(n int, names ...string) authz.Panel { return authz.Panel{Approvers: names, Quorum: n} }
	for name, c := range map[string]struct {
		panels  []authz.Panels
		answers []approval.Answer
		want    approval.State
	}{
		"nobody named":                {nil, answers("eve"), approval.Granted},
		"an outsider":                 {[]authz.Panels{{panel(1, "ann")}}, answers("eve"), approval.Open},
		"one of two":                  {[]authz.Panels{{panel(2, "ann", "bob")}}, answers("ann", "eve"), approval.Open},
		"the other alternative":       {[]authz.Panels{{panel(2, "ann", "bob"), panel(1, "eve")}}, answers("eve"), approval.Granted},
		"only one of two lists":       {[]authz.Panels{{panel(1, "ann")}, {panel(1, "bob")}}, answers("ann"), approval.Open},
		"both lists":                  {[]authz.Panels{{panel(1, "ann")}, {panel(1, "bob")}}, answers("ann", "bob"), approval.Granted},
		"one approver on both":        {[]authz.Panels{{panel(1, "ann")}, {panel(1, "ann", "bob")}}, answers("ann"), approval.Granted},
		"a list without alternatives": {[]authz.Panels{{}}, answers("ann"), approval.Open},
	} {
		ticket := approval.Ticket{Opened: opened, Expires: expires, Panels: c.panels, Answers: c.answers}
		if got := ticket.State(opened); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestStateWords(t *testing.T) {
	for state, want := range map[approval.State]struct {
		word   string
		closed bool
	}{
		0: {"expired", true}, approval.Open: {"open", false}, approval.Granted: {"approved", false},
		approval.Denied: {"denied", true}, approval.Used: {"used", true}, 99: {"expired", true},
	} {
		text, err := state.MarshalText()
		if err != nil || string(text) != want.word || state.String() != want.word || state.Closed() != want.closed {
			t.Errorf("state %d reads %s, %s, closed %v, %v", state, state, text, state.Closed(), err)
		}
	}
}

// TestStateProperties: answers never bring a closed ticket back, and no ticket
// is approved by fewer different people than its quorum.
func TestStateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) approval.Answer {
			name := rapid.SampledFrom([]string{"ann", "bob", "eve"}).Draw(t, "approver")
			return approval.Answer{Approver: name, Approve: rapid.Bool().Draw(t, "approve")}
		})
		need := rapid.IntRange(-1, 4).Draw(t, "quorum")
		ticket := approval.Ticket{Expires: expires, Panels: quorum(need)}
		ticket.Answers = rapid.SliceOf(draw).Draw(t, "answers")
		now := opened.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * time.Minute)
		before := ticket.State(now)
		people := map[string]bool{}
		for _, a := range ticket.Answers {
			people[a.Approver] = true
		}
		if before == approval.Granted && len(people) < max(1, need) {
			t.Errorf("approved by %d of %d", len(people), need)
		}
		ticket.Answers = append(ticket.Answers, draw.Draw(t, "late answer"))
		if after := ticket.State(now); before.Closed() && after != before {
			t.Errorf("an answer moved a ticket from %s to %s", before, after)
		}
	})
}

func TestMisfit(t *testing.T) {
	subject := approval.Subject{Agent: "a", User: "u", Session: "s", Server: "bank", Tool: "send", Call: "sha256:1", Cwd: "/"}
	terms := approval.Terms{Contract: "sha256:c", Definition: "sha256:d"}
	base := approval.Ticket{Subject: subject, Terms: terms, Expires: expires, Answers: answers("ann")}
	if code := base.Misfit(subject, terms, opened); code != "" {
		t.Fatalf("the very same call does not fit: %s", code)
	}
	for name, change := range map[string]func(*approval.Subject){
		"agent":   func(s *approval.Subject) { s.Agent = "b" },
		"user":    func(s *approval.Subject) { s.User = "" },
		"session": func(s *approval.Subject) { s.Session = "t" },
		"server":  func(s *approval.Subject) { s.Server = "files" },
		"tool":    func(s *approval.Subject) { s.Tool = "sell" },
		"call":    func(s *approval.Subject) { s.Call = "sha256:2" },
		"cwd":     func(s *approval.Subject) { s.Cwd = "/tmp" },
	} {
		other := subject
		change(&other)
		if code := base.Misfit(other, terms, opened); code != authz.ApprovalMismatch {
			t.Errorf("another %s: %q", name, code)
		}
	}
	for name, c := range map[string]struct {
		change func(*approval.Ticket)
		want   authz.Code
	}{
		"used":                {func(t *approval.Ticket) { t.Used = opened }, authz.ApprovalUsed},
		"expired":             {func(t *approval.Ticket) { t.Expires = opened }, authz.ApprovalExpired},
		"denied":              {func(t *approval.Ticket) { t.Answers = answers("!ann") }, authz.ApprovalDenied},
		"unanswered":          {func(t *approval.Ticket) { t.Answers = nil }, authz.ApprovalOpen},
		"other contract":      {func(t *approval.Ticket) { t.Terms.Contract = "sha256:x" }, authz.ApprovalVoid},
		"other definition":    {func(t *approval.Ticket) { t.Terms.Definition = "sha256:x" }, authz.ApprovalVoid},
		"void and unanswered": {func(t *approval.Ticket) { t.Terms.Definition, t.Answers = "", nil }, authz.ApprovalVoid},
		"void and denied":     {func(t *approval.Ticket) { t.Terms.Definition, t.Answers = "", answers("!a") }, authz.ApprovalDenied},
	} {
		ticket := base
		c.change(&ticket)
		if code := ticket.Misfit(subject, terms, opened); code != c.want {
			t.Errorf("%s: %q, want %q", name, code, c.want)
		}
	}
}

func TestMayAnswer(t *testing.T) {
	anyone := approval.Ticket{}
	named := approval.Ticket{Panels: []authz.Panels{{{Approvers: []string{"ann"}, Quorum: 1}}, {{Approvers: []string{"bob"}, Quorum: 1}}}}
	if !anyone.MayAnswer("eve") || !named.MayAnswer("bob") || named.MayAnswer("eve") || named.MayAnswer("") {
		t.Error("the wrong people may answer")
	}
}

func TestTicketJSON(t *testing.T) {
	want := approval.Ticket{ID: "t", Subject: approval.Subject{Agent: "a", Call: "\x00\u2028"}, Opened: opened,
		Expires: expires, Panels: []authz.Panels{{{Approvers: []string{"ann"}, Quorum: 2}}}, Answers: answers("ann", "!bob"), Used: opened}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got approval.Ticket
	if err := json.Unmarshal(text, &got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("read back %+v, %v, want %+v", got, err, want)
	}
}

func TestApprover(t *testing.T) {
	const few = 10
	ann, err := approval.NewApprover("ann", "correct horse", few)
	if err != nil {
		t.Fatal(err)
	}
	if err := ann.Check("correct horse"); err != nil {
		t.Errorf("the right passphrase: %v", err)
	}
	for _, wrong := range []string{"", "correct horse ", "Correct horse"} {
		if err := ann.Check(wrong); !errors.Is(err, approval.ErrPassphrase) {
			t.Errorf("passphrase %q: %v", wrong, err)
		}
	}
	again, err := approval.NewApprover("ann", "correct horse", few)
	if err != nil || bytes.Equal(again.Key, ann.Key) {
		t.Errorf("two people with one passphrase have one key: %v", err)
	}
	if bytes.Contains(ann.Key, []byte("horse")) || bytes.Contains(ann.Salt, []byte("horse")) {
		t.Error("the approver holds the passphrase")
	}
	for name, a := range map[string]approval.Approver{
		"zero":          {},
		"no key":        {Name: "ann", Salt: ann.Salt, Iterations: few},
		"cut key":       {Name: "ann", Salt: ann.Salt, Iterations: few, Key: ann.Key[:31]},
		"no iterations": {Name: "ann", Salt: ann.Salt, Key: ann.Key},
	} {
		if a.Check("correct horse") == nil || a.Check("") == nil {
			t.Errorf("%s approver takes a passphrase", name)
		}
	}
	if _, err := approval.NewApprover("ann", "1234567", few); err == nil {
		t.Error("a short passphrase was taken")
	}
	if _, err := approval.NewApprover("ann", "correct horse", 0); err == nil {
		t.Error("an approver was made whose key nothing protects")
	}
	if _, err := approval.NewApprover("ann", "12345678", few); err != nil {
		t.Errorf("the shortest passphrase: %v", err)
	}
}

func TestSeal(t *testing.T) {
	key, call := []byte("state key"), []byte(`{"amount":50}`)
	sealed, err := approval.Seal(key, "t1", call)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("amount")) {
		t.Error("the sealed copy can be read")
	}
	if got, err := approval.Unseal(key, "t1", sealed); err != nil || !bytes.Equal(got, call) {
		t.Errorf("unsealed %q, %v", got, err)
	}
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for name, unseal := range map[string]func() ([]byte, error){
		"another key":    func() ([]byte, error) { return approval.Unseal([]byte("other key"), "t1", sealed) },
		"another ticket": func() ([]byte, error) { return approval.Unseal(key, "t2", sealed) },
		"a changed copy": func() ([]byte, error) { return approval.Unseal(key, "t1", changed) },
		"nothing":        func() ([]byte, error) { return approval.Unseal(key, "t1", nil) },
	} {
		if got, err := unseal(); err == nil {
			t.Errorf("%s unsealed %q", name, got)
		}
	}
	again, err := approval.Seal(key, "t1", call)
	if err != nil || bytes.Equal(again, sealed) {
		t.Errorf("two copies of one call look the same: %v", err)
	}
}

func TestNewID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := approval.NewID("t_")
		if !strings.HasPrefix(id, "t_") || len(id) != 18 || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}
