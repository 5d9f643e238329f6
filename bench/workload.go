package main

import (
	"fmt"
	"strings"
)

// server is the name of the one MCP server, as the contract and the agents
// know it.
const server = "desk"

// workload is a number of tools and agents. Every tool takes the same six
// arguments, each within bounds of that tool; an agent may call four of five
// tools.
type workload struct{ tools, agents int }

// small is what engines are compared on.
var small = workload{tools: 50, agents: 5}

func toolName(t int) string  { return fmt.Sprintf("tool_%d", t) }
func agentName(a int) string { return fmt.Sprintf("agent-%d", a) }

// granted says whether agent a may call tool t at all. In a large workload the
// first agents have what they have in the small one, and each of the others
// has one tool.
func (w workload) granted(a, t int) bool {
	if a < small.agents && t < small.tools {
		return (a+t)%5 != 0
	}
	return a == t
}

// bounds is what the policy says of the arguments of one tool.
type bounds struct {
	envs    []string // env is one of these
	repo    string   // repo begins with this; see pattern
	most    int      // amount is from 1 to this; up to ten times as much is held
	dir     string   // path lies below this directory
	longest int      // note has at most as many characters
	dryRun  bool     // dry_run is exactly this
}

func boundsOf(t int) bounds {
	return bounds{
		envs:    []string{"dev", "staging", fmt.Sprintf("test-%d", t%7)},
		repo:    fmt.Sprintf("team-%d/", t%10),
		most:    100 + 10*(t%50),
		dir:     fmt.Sprintf("/srv/p%d", t%50),
		longest: 800 + t%10,
		dryRun:  t%2 == 0,
	}
}

// pattern is the expression that repo matches as a whole.
func (b bounds) pattern() string { return b.repo + "[a-z0-9._-]{1,100}" }

// Never, for any tool: these repos and this directory.
var (
	neverRepos = []string{"team-0/vault", "team-1/vault", "team-2/payroll"}
	neverDir   = "secrets" // below the directory of the tool
)

// answer is what an engine says to a call.
type answer uint8

const (
	blocked answer = iota
	held           // a person is asked; engines that know no such answer do not allow it
	allowed
)

// request is one call.
type request struct {
	agent   string
	message []byte // the JSON-RPC message, about 1 KB
	want    answer
}

// requests returns the calls that every workload is asked about.
func requests() []request {
	all := make([]request, 80)
	for i := range all {
		all[i] = newRequest(i, i*7%small.agents, i*31%small.tools)
	}
	return all
}

// newRequest makes call i, of tool t by agent a. About half of the calls keep
// to the bounds; in the others one argument does not.
func newRequest(i, a, t int) request {
	b := boundsOf(t)
	env, repo, amount, path := b.envs[i%len(b.envs)], b.repo+"billing.service", b.most-5, b.dir+"/src/main.go"
	dryRun, want := b.dryRun, allowed
	switch i % 16 {
	case 1:
		env, want = "prod", blocked
	case 3:
		repo, want = "Team A/../x", blocked
	case 5, 6:
		amount, want = b.most+1, held
	case 7:
		amount, want = 10*b.most+1, blocked
	case 9:
		path, want = "/etc/passwd", blocked
	case 11:
		path, want = b.dir+"/"+neverDir+"/key", blocked
	case 13:
		repo, want = neverRepos[t%len(neverRepos)], blocked
	case 15:
		dryRun, want = !dryRun, blocked
	}
	if !small.granted(a, t) {
		want = blocked
	}
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":`+
		`{"env":%q,"repo":%q,"amount":%d,"path":%q,"note":%q,"dry_run":%t},"_meta":{"progressToken":%d}}}`,
		i, toolName(t), env, repo, amount, path, strings.Repeat("Fix the rounding of invoice totals. ", 20), dryRun, i)
	return request{agentName(a), []byte(message), want}
}

func (a answer) String() string {
	return [...]string{blocked: "blocked", held: "held", allowed: "allowed"}[a]
}
