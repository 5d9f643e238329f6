package contract_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/testkit"
	"github.com/licet-dev/licet/internal/toolcall"
)

// shapes says, for each argument of the tool that random contracts are about,
// what constraints of each kind may stand beside it. Operands are few and close
// to one another, so that one is often within another.
var shapes = map[string][]string{
	"amount": {"min: 0", "min: 5", "min: 10", "max: 100", "max: 50", "max: 10", "multiple_of: 5", "multiple_of: 10",
		"in: [5, 10]", "in: [5, 10, 50]", "const: 10", "not_in: [10]", "not_in: [10, 50]", "from: request", "from: [request, {literal: [10]}]"},
	"to": {"in: [ann, bob]", "in: [ann]", "const: ann", "not_in: [eve]", "not_in: [eve, ann]", "length: {max: 3}", "length: {min: 1, max: 5}",
		"pattern: '[a-c].*'", "pattern: 'ann|bob'", "from: request", "from: [request, {claim: user}]", "from: {literal: [ann, bob]}",
		"identifiers: {from: request}", "identifiers: {from: [request, {claim: user}], patterns: ['a.n']}"},
	"ids":   {"items: {min: 1}", "items: {min: 1, max: 2}", "items: {max: 3}", "in: [[1], [2]]"},
	"ids[]": {"min: 1", "min: 2", "in: [1, 2]", "in: [1, 2, 7]", "not_in: [7]", "const: 7"},
	"file": {"path: {read: ['${workspace}/**']}", "path: {read: ['${workspace}/a/**', '${workspace}/b.txt']}", "path: {read: ['${workspace}/**', '!${workspace}/a/**']}",
		"path: {read: ['${workspace}/*/**']}", "path: {read: ['/etc/*']}", "path: {write: ['${workspace}/**']}", "path: {write: ['${workspace}/b.txt']}",
		"path: {write: ['${workspace}/.git/config']}", "path: {write: ['${workspace}/*']}"},
	"url": {"url: {hosts: [a.example]}", "url: {hosts: ['*.example']}", "url: {hosts: ['*.example', a.example], schemes: [https, http]}", "url: {schemes: [https]}",
		"url: {hosts: [a.example], ports: [443]}", "url: {hosts: [a.example], ports: [443, 8443]}", "url: {hosts: [a.example], paths: [/docs]}",
		"url: {hosts: [a.example], paths: [/]}", "url: {hosts: [localhost]}"},
	"mail": {"email: {domains: [a.example]}", "email: {domains: ['*.example']}", "email: {domains: [a.example, b.example]}", "email: {addresses: [x@a.example]}",
		"email: {addresses: [x@a.example], domains: [b.example]}"},
}

// values are the arguments of random calls.
var values = map[string][]string{
	"amount": {"-1", "0", "5", "7", "10", "50", "75", "100", "101"},
	"to":     {`"ann"`, `"bob"`, `"eve"`, `"EVE"`, `"carl"`, `""`, `"GB29NWBK60161331926819"`},
	"ids":    {"[]", "[1]", "[1, 2]", "[2, 7]", "[1, 2, 7, 9]", "[2]"},
	"file":   {`"/w/a/x"`, `"/w/b.txt"`, `"/w/a"`, `"/w"`, `"/etc/hosts"`, `"/w/.git/config"`, `"x"`, `"/w/b.txt/y"`},
	"url": {`"https://a.example/"`, `"http://a.example/"`, `"https://b.example/docs/x"`, `"https://a.example:8443/docs"`, `"https://public.org/"`,
		`"https://localhost/"`, `"x"`},
	"mail": {`"x@a.example"`, `"y@a.example"`, `"X+1@a.example"`, `"x@b.example, y@a.example"`, `"x@c.org"`, `"?"`},
}

var conditions = []string{
	"$request: {mentions: [pay]}", "$request: {mentions: [pay, send]}",
	"$session: {called: [shop.look]}", "$session: {called: [shop.look, shop.pay]}", "$session: {not_called: [shop.look]}",
	"$session: {not_called: [shop.look, shop.pay]}", "$when: 'call.arguments.amount > 5'", "$when: 'call.arguments.amount / call.arguments.amount == 1'",
}

var compareLimits = []string{
	"{calls: 5, per: 1h}", "{calls: 3, per: 1h}", "{calls: 5, per: 1d}", "{calls: 5, per: session}", "{calls: 5, per: 1h, over: approve}",
	"{calls: 5, per: 1h, by: [agent, session]}", "{calls: 5, per: 1h, by: [agent, {argument: to}]}", "{sum: amount, max: 100, per: 1d}", "{sum: amount, max: 50, per: 1d}",
}

const compareCatalog = `{"tools": [{"name": "look", "inputSchema": {"type": "object"}}, {"name": "pay", "inputSchema": {"type": "object", "properties": {
  "amount": {"type": "number"}, "to": {"type": "string"}, "ids": {"type": "array", "items": {"type": "integer"}},
  "file": {"type": "string"}, "url": {"type": "string"}, "mail": {"type": "string"}}, "required": ["amount"]}}]}`

// drawn is a random contract in parts, so that another can be made of it by
// changing a few.
type drawn struct {
	never, allow, judge, approve, limits []string
	extra, block                         bool
	about                                string // the argument that most constraints are on
	onBlock                              string // of the judge
}

func pick[T any](r *rapid.T, from []T) T { return rapid.SampledFrom(from).Draw(r, "pick") }

func chance(r *rapid.T, of int) bool { return rapid.IntRange(1, of).Draw(r, "chance") == 1 }

// drawSpec draws the constraints on one argument, mostly on the one that the
// contract is about.
func drawSpec(r *rapid.T, about string, never bool) string {
	argument := about
	if chance(r, 4) {
		argument = pick(r, slices.Sorted(maps.Keys(shapes)))
	}
	spec := pick(r, shapes[argument])
	if other := pick(r, shapes[argument]); strings.SplitN(other, ":", 2)[0] != strings.SplitN(spec, ":", 2)[0] && chance(r, 3) {
		spec += ", " + other
	}
	if never {
		for _, word := range []string{"from", "identifiers", "items: {min: 1, max", "items: {max", "in: [[1]"} {
			if strings.Contains(spec, word) {
				spec = map[bool]string{true: "min: 5", false: "length: {max: 2}"}[argument == "amount" || argument == "ids[]"]
			}
		}
		if argument == "ids" {
			spec = "items: {min: 2}"
		}
	} else if chance(r, 6) {
		spec += ", optional: true"
	}
	return fmt.Sprintf("%q: {%s}", argument, spec)
}

func drawCompared(r *rapid.T, about string, never, ask bool) string {
	var parts []string
	seen := map[string]bool{}
	for range rapid.IntRange(0, 2).Draw(r, "constraints") {
		part := drawSpec(r, about, never)
		if name, _, _ := strings.Cut(part, ":"); !seen[name] {
			seen[name] = true
			parts = append(parts, part)
		}
	}
	if chance(r, 4) || never && len(parts) == 0 {
		parts = append(parts, pick(r, conditions))
	}
	if ask && chance(r, 4) {
		parts = append(parts, pick(r, []string{"$quorum: 2", "$approvers: [ann]", "$approvers: [ann, bob], $quorum: 2"}))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func drawContract(r *rapid.T, about string) drawn {
	several := func(least, most int, one func() string) (all []string) {
		for range rapid.IntRange(least, most).Draw(r, "several") {
			all = append(all, one())
		}
		return all
	}
	return drawn{
		about:   about,
		judge:   several(0, 1, func() string { return drawCompared(r, about, false, false) }),
		onBlock: pick(r, []string{"block", "block", "approve"}),
		never:   several(0, 1, func() string { return drawCompared(r, about, true, false) }),
		allow:   several(1, 2, func() string { return drawCompared(r, about, false, false) }),
		approve: several(0, 2, func() string { return drawCompared(r, about, false, true) }),
		limits:  several(0, 2, func() string { return pick(r, compareLimits) }),
	}
}

// changed returns a copy of d in which a few parts are others.
func (d drawn) changed(r *rapid.T) drawn {
	d.never, d.allow, d.judge, d.approve, d.limits = slices.Clone(d.never), slices.Clone(d.allow), slices.Clone(d.judge), slices.Clone(d.approve), slices.Clone(d.limits)
	lists := []*[]string{&d.never, &d.allow, &d.approve, &d.limits, &d.judge}
	for range pick(r, []int{1, 1, 2}) {
		other := drawContract(r, d.about)
		i := rapid.IntRange(0, 4).Draw(r, "list")
		from := [][]string{other.never, other.allow, other.approve, other.limits, other.judge}[i]
		list := lists[i]
		switch {
		case chance(r, 20):
			d.onBlock = other.onBlock
		case chance(r, 20):
			d.block = true
		case chance(r, 20):
			d.extra = !d.extra
		case len(*list) > 0 && chance(r, 5):
			at := rapid.IntRange(0, len(*list)-1).Draw(r, "at")
			*list = slices.Delete(*list, at, at+1)
		case len(*list) > 0 && !chance(r, 3):
			at := rapid.IntRange(0, len(*list)-1).Draw(r, "at")
			(*list)[at] = retouched(r, (*list)[at])
		case len(from) > 0:
			*list = append(*list, from[0])
		}
	}
	return d
}

// retouched returns a clause or limit with one operand of the same word in its
// place: the changes that people make.
func retouched(r *rapid.T, text string) string {
	all := slices.Concat(conditions, compareLimits)
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		all = append(all, shapes[name]...)
	}
	var known []string
	for _, spec := range all {
		if strings.Contains(text, spec) {
			known = append(known, spec)
		}
	}
	if len(known) == 0 {
		return text
	}
	old := pick(r, known)
	word, _, _ := strings.Cut(old, ":")
	var others []string
	for _, spec := range all {
		if strings.HasPrefix(spec, word+":") {
			others = append(others, spec)
		}
	}
	return strings.Replace(text, old, pick(r, others), 1)
}

func (d drawn) text() string {
	list := func(word string, c []string) string {
		if len(c) == 0 {
			return ""
		}
		return fmt.Sprintf("        %s: [%s]\n", word, strings.Join(c, ", "))
	}
	rule := list("never", d.never) + list("allow", d.allow) + list("judge", d.judge) + list("approve", d.approve) + list("limits", d.limits)
	if d.extra {
		rule += "        extra_arguments: allow\n"
	}
	tool := "      shop.pay:\n" + rule
	if d.block || len(d.allow)+len(d.judge)+len(d.approve) == 0 {
		tool = "      shop.pay: block\n"
	}
	return "version: 1\nname: drawn\ncatalogs:\n  shop: {pin: PIN, tools: shop.json}\nagents:\n  a:\n    tools:\n" +
		tool + "      shop.look: allow\n  b:\n    extends: a\n    tools:\n      shop.pay: {allow: [{amount: {max: 60}}], approve: [{}]}\n" +
		"judge: {on_block: " + d.onBlock + "}\n"
}

// load returns the contract, nil if the language refuses the draw (a min over a
// max, a limit twice).
func (d drawn) load(t *testing.T) *contract.Contract {
	approved, err := catalog.Parse([]byte(compareCatalog))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(d.text(), "PIN", fmt.Sprintf("%q", approved.Digest()), 1)
	c, err := contract.Load("drawn.yaml", []byte(text), func(string) ([]byte, error) { return []byte(compareCatalog), nil })
	if err != nil {
		return nil
	}
	return c
}

// scene is a world in which both contracts are asked about one call.
type scene struct {
	request, claim []string // texts and numbers, in canonical form, that each source states
	mentioned      []string
	called         []string
	session, turns bool
	used           int
	opinion        authz.Opinion // of the judge, whom both contracts ask
}

func drawScene(r *rapid.T) scene {
	some := func(of ...string) []string {
		return slices.DeleteFunc(slices.Clone(of), func(string) bool { return chance(r, 2) })
	}
	return scene{
		request: some("10", `"ann"`, `"GB29NWBK60161331926819"`), claim: some(`"bob"`, `"ann"`), mentioned: some("pay", "send"),
		called: some("look", "pay"), session: !chance(r, 4), turns: !chance(r, 4), used: pick(r, []int{0, 0, 2, 3, 4, 5, 6}),
		opinion: authz.Opinion(rapid.IntRange(0, 3).Draw(r, "opinion")),
	}
}

// facts answers what a contract asks about a call.
func (s scene) facts(c *contract.Contract, call toolcall.Call) decide.Facts {
	f := decide.Facts{Caller: contract.Caller{Session: "s"}, Live: catalog.Pinned, Used: map[authz.TakeKey]toolcall.Decimal{},
		Judged: decide.Judged{Asked: true, Opinion: s.opinion, Reachable: true}}
	f.Answers = constraint.Answers{Stated: map[string]bool{}, Files: map[string]constraint.File{}, Mentioned: map[string]bool{},
		Places: constraint.Places{Workspace: "/w"}, Now: time.Unix(0, 0), Principal: constraint.Principal{Agent: call.Agent}}
	f.Answers.Session.Known = s.session
	for _, tool := range s.called {
		f.Answers.Session.Marks = append(f.Answers.Session.Marks, constraint.Mark{Server: "shop", Tool: tool})
	}
	rule := c.Agent(call.Agent).Rule("shop", contract.ToolsCall, "pay")
	if rule == nil {
		return f
	}
	for _, q := range rule.Questions(call.Arguments) {
		switch {
		case q.File != nil:
			path := q.File.Text
			if q.File.Base != "" {
				path = "/w/" + path
			}
			f.Answers.Files[q.Key] = constraint.File{Path: path}
		case q.Stated != nil:
			f.Answers.Stated[q.Key] = slices.ContainsFunc(q.Stated.Sources, func(src constraint.Source) bool {
				states := s.request
				if src.Claim != "" {
					states = s.claim
				}
				return slices.Contains(states, q.Stated.Value.Canonical())
			})
		case q.Mention != nil && s.turns:
			f.Answers.Mentioned[q.Key] = slices.ContainsFunc(q.Mention.Phrases, func(p string) bool { return slices.Contains(s.mentioned, p) })
		}
	}
	takes, err := rule.Takes(f.Caller, call.Arguments)
	if err != nil {
		return f
	}
	for _, t := range takes {
		used := int64(s.used)
		if strings.HasPrefix(t.Counter, "sum") {
			used *= 10
		}
		if t.Window > int64(time.Hour) {
			used++ // a longer window has seen no less
		}
		f.Used[t.Key()], _ = toolcall.ParseDecimal(fmt.Sprint(used))
	}
	return f
}

func drawCompareCall(r *rapid.T, t *testing.T, about string) toolcall.Call {
	members := []string{`"amount": ` + pick(r, values["amount"])}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name != "amount" && (name == strings.TrimSuffix(about, "[]") || chance(r, 2)) {
			members = append(members, fmt.Sprintf("%q: %s", name, pick(r, values[name])))
		}
	}
	if chance(r, 20) {
		members = append(members, `"more": 1`)
	}
	return testkit.Call(t, pick(r, []string{"a", "a", "b"}), "pay", "{"+strings.Join(members, ", ")+"}")
}

// looked counts what a run of the property saw.
type looked struct {
	calls, wider int
	claims       map[contract.Direction]int
}

// underclaimed returns a pair of contracts and a call whose verdict got wider
// although the comparison says narrower or equal; "" if none was found. The
// contracts are mostly about one of the arguments.
func underclaimed(t *testing.T, arguments []string, compare func(old, new *contract.Contract) contract.Comparison) (found string, saw looked) {
	saw.claims = map[contract.Direction]int{}
	rapid.Check(t, func(r *rapid.T) {
		if found != "" {
			return
		}
		for range 10 {
			was := drawContract(r, pick(r, arguments))
			is := was.changed(r)
			old, new := was.load(t), is.load(t)
			if old == nil || new == nil || found != "" {
				continue
			}
			c := compare(old, new)
			saw.claims[c.Direction]++
			for range 12 {
				call, s := drawCompareCall(r, t, was.about), drawScene(r)
				a, b := decide.Decide(old, call, s.facts(old, call)), decide.Decide(new, call, s.facts(new, call))
				saw.calls++
				if b.Verdict <= a.Verdict {
					continue
				}
				saw.wider++
				// What follows an opinion is said once, for all tools.
				if tool := toolOf(c, call.Agent); tool >= contract.Narrower && is.onBlock == was.onBlock || c.Direction >= contract.Narrower {
					found = fmt.Sprintf("%s: tool %s, contract %s\n%v %+v\nbecame %v %+v\nold:\n%s\nnew digest %s, changes %+v", call.Arguments.Canonical(), tool, c.Direction,
						a.Verdict, a.Reasons, b.Verdict, b.Reasons, was.text(), new.Digest(), c.Changes)
				}
			}
		}
	})
	return found, saw
}

// toolOf returns what a comparison says of the one tool of an agent.
func toolOf(c contract.Comparison, agent string) contract.Direction {
	for _, change := range c.Changes {
		if change.Part == "tool" && strings.HasPrefix(change.Path, "agents."+agent) && strings.Contains(change.Path, "shop.pay") && !strings.HasSuffix(change.Path, "extra_arguments") {
			return change.Direction
		}
	}
	return contract.Equal
}

func TestComparisonNeverUnderclaims(t *testing.T) {
	found, saw := underclaimed(t, slices.Sorted(maps.Keys(shapes)), contract.Compare)
	if found != "" {
		t.Error(found)
	}
	t.Logf("looked at %d calls, %d got a wider verdict; %v", saw.calls, saw.wider, saw.claims)
	if saw.calls < 10_000 || saw.wider < 100 {
		t.Errorf("looked at %d calls, of which %d got a wider verdict: not enough", saw.calls, saw.wider)
	}
	for _, d := range []contract.Direction{contract.CannotTell, contract.Wider, contract.Narrower, contract.Equal} {
		if saw.claims[d] < 50 {
			t.Errorf("only %d comparisons said %s", saw.claims[d], d)
		}
	}
}

// TestPlantedBug shows that the property would find a wrong comparison of one
// kind: here one that takes any two operands of a word for the same.
func TestPlantedBug(t *testing.T) {
	for word, argument := range map[string]string{"max": "amount", "in": "to", "length": "to", "from": "to", "url": "url", "email": "mail"} {
		t.Run(word, func(t *testing.T) {
			wrong := func(a, b *constraint.Set) bool {
				return a.PermitsWithin(b) || a.Canonical().Get(word).Kind() != toolcall.Absent &&
					b.Canonical().Get(word).Kind() != toolcall.Absent && without(a, word).Equal(without(b, word))
			}
			for range 40 { // one in four finds it
				if found, _ := underclaimed(t, []string{argument}, func(old, new *contract.Contract) contract.Comparison {
					return contract.CompareWith(old, new, wrong)
				}); found != "" {
					return
				}
			}
			t.Error("the wrong comparison was not found")
		})
	}
}

// without returns what a set says but for one word.
func without(s *constraint.Set, word string) toolcall.Value {
	var members []toolcall.Member
	for i := range s.Canonical().Len() {
		if name, v := s.Canonical().Member(i); name != word {
			members = append(members, toolcall.Member{Name: name, Value: v})
		}
	}
	return toolcall.ObjectOf(members...)
}
