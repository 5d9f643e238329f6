package run

import (
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Judge decides on what it is shown. It is asked by several at a time.
type Judge interface {
	// Name is the model's name in results.
	Name() string
	// Kind says what stands behind it.
	Kind() result.Judge
	// Digest names what it goes by: with another one its answers are others.
	Digest() string
	// Decide fills in outcome, reason, decisions, checks, rationale, confidence and
	// what the answer took. With an error nothing is recorded: an [*Open] leaves the
	// question for later, a [*Spent] stops the run, any other one ends it.
	Decide(ctx context.Context, v Visible, policy string, row *result.Row) error
}

// Open says that a question has no answer now. It is no result: the run goes on with
// others, and the next one asks again.
type Open struct{ Why string } // a code, or "waiting" for an answer that is to come in a file

// Waiting is why a question is open whose answer is to come in a file.
const Waiting = "waiting"

func (o *Open) Error() string { return "no answer: " + o.Why }

// Spent says that a judge may ask no more.
type Spent struct{ What string }

func (s *Spent) Error() string { return s.What }

// BuiltIn returns the judge of a name that needs no model, and whether there is
// one.
func BuiltIn(name string) (Judge, bool) {
	for _, j := range builtIn {
		if j.Name() == name {
			return j, true
		}
	}
	return nil, false
}

// BuiltInNames are the names of the judges that need no model.
func BuiltInNames() (all []string) {
	for _, j := range builtIn {
		all = append(all, j.Name())
	}
	return all
}

var builtIn = []Judge{
	baseline{"always-block", func(Visible, string) result.Decision { return result.Block }},
	baseline{"always-allow", func(Visible, string) result.Decision { return result.Allow }},
	baseline{"coin", coin},
	baseline{"keyword", keyword},
	opinions{"grounded", judge.Grounded{}},
}

// baseline decides by little or nothing of what it is shown. There is nothing in it
// to check, so both decisions are the same.
type baseline struct {
	name   string
	decide func(v Visible, key string) result.Decision // key is that of the call
}

func (b baseline) Name() string       { return b.name }
func (b baseline) Kind() result.Judge { return result.BuiltIn }
func (b baseline) Digest() string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(b.name+" "+exact.String())))
}

func (b baseline) Decide(_ context.Context, v Visible, _ string, row *result.Row) error {
	row.Outcome, row.RawDecision = result.Verdict, b.decide(v, row.CallKey)
	row.CheckedDecision = row.RawDecision
	return nil
}

// coin is fair, and falls the same way each time that a call is made again.
func coin(_ Visible, key string) result.Decision {
	if sha256.Sum256([]byte("coin " + key))[0]%2 == 0 {
		return result.Allow
	}
	return result.Block
}

// exact is what stands in a request that names something exactly: a flag, a path, a
// host, a number or an id.
var exact = regexp.MustCompile(`--\w|\w/\w|\w[.@_]\w|\d{2}`)

// keyword allows what is asked for with something exact in it, without a look at
// what the action is.
func keyword(v Visible, _ string) result.Decision {
	for _, turn := range v.Turns() {
		if exact.MatchString(turn) {
			return result.Allow
		}
	}
	return result.Block
}

// opinions is a judge of the product, held by the product's checks. It sees the
// user's turns and the effects of the action; what it is not given, it does not
// know: the steps before, observations and the policy.
type opinions struct {
	name  string
	judge judge.Judge
}

func (o opinions) Name() string       { return o.name }
func (o opinions) Kind() result.Judge { return result.BuiltIn }
func (o opinions) Digest() string     { return o.judge.Digest() }

func (o opinions) Decide(ctx context.Context, v Visible, _ string, row *result.Row) error {
	c, err := v.Case(ctx)
	if err != nil {
		return err
	}
	Take(row, judge.Check(c, o.judge.Judge(ctx, c), judge.Now{Affected: c.Affected}))
	return nil
}

// Take fills in a row with an opinion that was held by the product's checks.
func Take(row *result.Row, checked judge.Opinion) {
	row.Rationale = checked.Rationale
	if checked.Verdict == authz.NoVerdict {
		row.Outcome, row.Reason = result.NoVerdict, string(checked.NoVerdict)
		return
	}
	row.Outcome = result.Verdict
	row.RawDecision, row.CheckedDecision = result.Decision(checked.Raw.String()), result.Decision(checked.Verdict.String())
	for _, code := range checked.Failed {
		row.CheckCodes = append(row.CheckCodes, string(code))
	}
}

// Where an item says nothing else, its action would run in a project of this home.
const (
	home      = "/home/dev"
	workspace = home + "/project"
)

// shellTool is the tool whose argument "command" is a command line.
const shellTool = "bash"

// Case puts together what a judge of the product sees of an action: the user's turns
// and what the action would do. Paths are those of the item's world; a machine that
// happens to have them is looked at as any.
func (v Visible) Case(ctx context.Context) (judge.Case, error) {
	args, err := toolcall.Parse(v.Action.Args, toolcall.Bounds{})
	if err != nil {
		return judge.Case{}, fmt.Errorf("the arguments of the action: %w", err)
	}
	cwd := v.Action.Cwd
	if cwd == "" {
		cwd = workspace
	}
	a := judge.Action{Server: "host", Tool: v.Action.Tool, Arguments: args, Cwd: cwd, Places: constraint.Places{Workspace: cwd, Home: home, Tmp: "/tmp"}}
	if command := args.Get("command"); command.Kind() == toolcall.String && v.Action.Tool == shellTool {
		q := constraint.Question{Key: shellTool, Shell: &constraint.ShellQuestion{Command: command.Text()}}
		answers, err := facts.Answer(ctx, facts.Input{Questions: []constraint.Question{q}, Cwd: cwd, Places: a.Places})
		if err != nil {
			return judge.Case{}, fmt.Errorf("what the command would do: %w", err)
		}
		a.Commands = map[string]constraint.Shell{"command": answers.Shell[shellTool]}
	}
	return judge.NewCase(a, v.Turns()), nil
}
