package mcpproxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Tools of the server in scripts. What the fake gate says to each is in its
// name.
const (
	allowDef = `{"name":"allow","description":"a","inputSchema":{"type":"object"}}`
	denyDef  = `{"name":"deny","description":"d","inputSchema":{"type":"object"}}`
	holdDef  = `{"name":"hold","description":"h","inputSchema":{"type":"object"}}`
	panicDef = `{"name":"panic","description":"p","inputSchema":{"type":"object"}}`
	hideDef  = `{"name":"hide","description":"n","inputSchema":{"type":"object"}}`
	allTools = `[` + allowDef + `,` + denyDef + `,` + holdDef + `,` + panicDef + `,` + hideDef + `]`
)

const approvedInstructions = "Be good."

func approvedCopy() *catalog.Catalog {
	c, err := catalog.Parse([]byte(`{"instructions":"` + approvedInstructions + `","tools":` + allTools + `}`))
	if err != nil {
		panic(err)
	}
	return c
}

// fakeGate stands in for gate.Gate: it decides by the name of the tool and
// writes down what it is told.
type fakeGate struct {
	none     bool          // there is no approved copy
	answered chan struct{} // closed when ticket t-1 is approved
	unredeem error         // what redeeming says
	undone   error         // what reporting an outcome says
	onDone   func()        // called when an outcome is reported

	mu       sync.Mutex
	approved *catalog.Catalog
	log      []string
}

func newFakeGate() *fakeGate {
	return &fakeGate{approved: approvedCopy(), answered: make(chan struct{})}
}

func (f *fakeGate) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

func (f *fakeGate) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { f.log = nil }()
	return f.log
}

func (f *fakeGate) Check(ctx context.Context, a gate.Ask) gate.Answer {
	answer := f.decide(ctx, a)
	what := a.Call.Tool
	if what == "" {
		what = a.Call.Method
	}
	f.note("check %s %s: %s %s", what, a.Live, answer.Verdict, answer.Code())
	return answer
}

func (f *fakeGate) decide(ctx context.Context, a gate.Ask) gate.Answer {
	answer := gate.Answer{Evidence: gate.EvidenceRef{ID: "d-1"}}
	because := func(v authz.Verdict, c authz.Code) gate.Answer {
		answer.Verdict, answer.Reasons = v, []authz.Reason{{Code: c, Clause: "SECRET", Detail: "SECRET"}}
		if v == authz.Allow {
			answer.Grant = new(gate.Grant)
		}
		return answer
	}
	switch {
	case a.Principal.Agent != "bot" || a.Call.Agent != "bot" || a.Call.Server != "bank" || a.Session != "s" || a.Door != "mcp":
		return because(authz.Block, authz.UnknownAgent)
	case a.Call.Method == "sampling/createMessage":
		return because(authz.Allow, authz.AllowClause)
	case a.Call.Tool == "":
		return because(authz.Block, authz.NotListed)
	case a.Live == catalog.Quarantined:
		return because(authz.Block, authz.Quarantined)
	case a.Live == catalog.New:
		return because(authz.Block, authz.NotListed)
	case a.Live != catalog.Pinned:
		return because(authz.Block, authz.CatalogUnverified)
	}
	switch a.Call.Tool {
	case "allow":
		if a.Call.Arguments.Get("slow").Bool() && !f.Await(ctx, "t-1", time.Hour) {
			return because(authz.Block, authz.Timeout)
		}
		return because(authz.Allow, authz.AllowClause)
	case "panic":
		panic("a defect")
	case "hold":
		if f.Await(ctx, "t-1", 0) {
			return because(authz.Allow, authz.Approved)
		}
		answer.Ticket = &gate.TicketRef{ID: "t-1", Expires: time.Unix(1800000000, 0)}
		return because(authz.RequireApproval, authz.ApproveClause)
	}
	switch why := a.Call.Arguments.Get("why").Text(); why {
	case "":
		return because(authz.Block, authz.NeverClause)
	case "breaker":
		return because(authz.Block, authz.JudgeBreaker)
	case "words":
		answer.Uncovered = []string{"/w/build"}
		return because(authz.Block, authz.JudgeBlock)
	default:
		answer.NoVerdict = judge.NoVerdict(why)
		return because(authz.Block, authz.JudgeNoVerdict)
	}
}

func (f *fakeGate) Await(ctx context.Context, _ string, hold time.Duration) bool {
	timer := time.NewTimer(hold)
	defer timer.Stop()
	select {
	case <-f.answered:
		return true
	default:
	}
	select {
	case <-f.answered:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return false
}

func (f *fakeGate) Refuse(_ context.Context, a gate.Ask, code authz.Code, detail string, raw []byte) gate.Answer {
	f.note("refuse %s: %s", code, detail)
	if a.Principal.Agent != "bot" || a.Call.Agent != "bot" || a.Call.Server != "bank" || a.Session != "s" || a.Door != "mcp" {
		f.note("refused for %+v", a)
	}
	if a.Call.Method == "panic/refuse" {
		panic("a defect")
	}
	return gate.Answer{Reasons: []authz.Reason{{Code: code, Detail: "SECRET"}}, Evidence: gate.EvidenceRef{ID: "d-2"}}
}

func (f *fakeGate) Redeem(g *gate.Grant, _ toolcall.Call) error {
	if g == nil {
		return gate.ErrNoGrant
	}
	return f.unredeem
}

func (f *fakeGate) Done(_ context.Context, _ *gate.Grant, o gate.Outcome) error {
	if f.onDone != nil {
		f.onDone()
	}
	result := ""
	if o.Result.Kind() != toolcall.Absent {
		result = " " + o.Result.Canonical()
	}
	f.note("done %s%s", o.Status, result)
	return f.undone
}

func (f *fakeGate) Approved(string) (*catalog.Catalog, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.approved, !f.none
}

func (f *fakeGate) Lists(agent, server, tool string) bool {
	return agent == "bot" && server == "bank" && tool != "hide"
}

// end is what a test holds of one side: it writes lines and collects those
// that come.
type end struct {
	name string
	in   *io.PipeWriter // to the relay
	out  *io.PipeReader // from the relay

	mu  sync.Mutex
	got []string
}

func (e *end) collect() {
	for r := bufio.NewReader(e.out); ; {
		text, err := r.ReadString('\n')
		if text != "" {
			e.mu.Lock()
			e.got = append(e.got, text)
			e.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

func (e *end) take() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() { e.got = nil }()
	return e.got
}

// fakeServer is the relay's view of the server that the script plays.
type fakeServer struct {
	io.Reader
	io.WriteCloser
	stopped func()
}

func (f *fakeServer) Stop() (string, error) {
	f.stopped()
	return "exit status 0", f.WriteCloser.Close()
}

// stage is a relay between two ends that a script plays.
type stage struct {
	t              *testing.T
	gate           *fakeGate
	client, server *end
	log            lockedBuffer
	cancel         context.CancelFunc
	ended          chan error
	nonce          string
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// newStage starts a relay inside of a synctest bubble.
func newStage(t *testing.T, f *fakeGate, o Options) *stage {
	s := &stage{t: t, gate: f, client: &end{name: "client"}, server: &end{name: "server"}, ended: make(chan error, 1)}
	var in, serverOut io.Reader
	var out, serverIn io.WriteCloser
	in, s.client.in = io.Pipe()
	s.client.out, out = io.Pipe()
	s.server.out, serverIn = io.Pipe()
	serverOut, s.server.in = io.Pipe()
	go s.client.collect()
	go s.server.collect()
	o.Agent, o.Server, o.Session, o.In, o.Out, o.Log = "bot", "bank", "s", in, out, &s.log
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(t.Context())
	server := &fakeServer{serverOut, serverIn, func() { s.server.in.Close() }}
	go func() {
		s.ended <- run(ctx, o, f, server)
		out.Close()
	}()
	return s
}

// close ends the stage the way a client does.
func (s *stage) close() error {
	s.client.in.Close()
	err := <-s.ended
	s.cancel()
	s.server.in.Close()
	return err
}

var ownID = regexp.MustCompile(`"licet:([A-Z2-7]+):`)

// play runs a script, one step a line:
//
//	C> line   the client sends it        C< line   the client has got it
//	S> line   the server sends it        S< line   the server has got it
//	G< text   what the gate was told     C. S.     that side ends
//	T 5s      time passes                C! S!     nothing can be written to that side
//	ok        ticket t-1 is approved
//
// A line in double quotes is a Go string with its own line end. "..." in what
// is expected stands for any text, NONCE for the relay's own. After each step
// that puts something in, all that comes out must be expected before the next.
func (s *stage) play(script string) {
	s.t.Helper()
	out := map[string]func() []string{"C<": s.client.take, "S<": s.server.take, "G<": s.gate.take}
	pending := map[string][]string{}
	collect := func() {
		synctest.Wait()
		for name, take := range out {
			pending[name] = append(pending[name], take()...)
		}
	}
	for number, step := range strings.Split(strings.TrimSpace(script), "\n") {
		step = strings.TrimSpace(step)
		verb, text, _ := strings.Cut(step, " ")
		if step == "" || verb == "#" {
			continue
		}
		if _, expects := out[verb]; expects {
			s.expect(number, step, text, verb, pending)
			continue
		}
		s.quiet(number, pending)
		s.do(verb, text)
		collect()
	}
	s.quiet(-1, pending)
}

func (s *stage) do(verb, text string) {
	s.t.Helper()
	line := strings.ReplaceAll(text, "NONCE", s.nonce) + "\n"
	if strings.HasPrefix(text, `"`) {
		var err error
		if line, err = strconv.Unquote(text); err != nil {
			s.t.Fatalf("%s: %v", text, err)
		}
	}
	switch verb {
	case "C>", "S>":
		to := map[string]*end{"C>": s.client, "S>": s.server}[verb]
		if _, err := io.WriteString(to.in, line); err != nil {
			s.t.Fatalf("%s %s: %v", verb, text, err)
		}
	case "C.":
		s.client.in.Close()
	case "S.":
		s.server.in.Close()
	case "C!":
		s.client.out.Close()
	case "S!":
		s.server.out.Close()
	case "T":
		d, err := time.ParseDuration(text)
		if err != nil {
			s.t.Fatal(err)
		}
		time.Sleep(d) // of the bubble's clock
	case "ok":
		close(s.gate.answered)
	default:
		s.t.Fatalf("unknown step %q", verb)
	}
}

func (s *stage) expect(number int, step, text, verb string, pending map[string][]string) {
	s.t.Helper()
	if len(pending[verb]) == 0 {
		s.t.Fatalf("step %d, %s: nothing came\nlog: %s", number, step, s.log.String())
	}
	got := pending[verb][0]
	pending[verb] = pending[verb][1:]
	if found := ownID.FindStringSubmatch(got); found != nil {
		s.nonce = found[1]
	}
	want := strings.ReplaceAll(text, "NONCE", s.nonce)
	shown := strings.TrimSuffix(got, "\n")
	if strings.HasPrefix(text, `"`) {
		shown = strconv.Quote(got)
	}
	if !matches(want, shown) {
		s.t.Fatalf("step %d, %s:\n got %s\nwant %s\nlog: %s", number, verb, shown, want, s.log.String())
	}
	if strings.Contains(got, "SECRET") {
		s.t.Fatalf("step %d: what is for operators reached the %s: %s", number, verb, got)
	}
}

func matches(want, got string) bool {
	parts := strings.Split(want, "...")
	if !strings.HasPrefix(got, parts[0]) || len(parts) == 1 && got != want {
		return false
	}
	rest := got[len(parts[0]):]
	for _, p := range parts[1:] {
		at := strings.Index(rest, p)
		if at < 0 {
			return false
		}
		rest = rest[at+len(p):]
	}
	return rest == "" || strings.HasSuffix(want, "...")
}

func (s *stage) quiet(number int, pending map[string][]string) {
	s.t.Helper()
	for name, lines := range pending {
		if len(lines) > 0 {
			s.t.Fatalf("before step %d: %s got what nobody expected: %s\nlog: %s", number, name, lines[0], s.log.String())
		}
	}
}

// script plays one script on a stage of its own.
func script(t *testing.T, f *fakeGate, o Options, text string) (log string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f.answered = make(chan struct{}) // inside of the bubble
		s := newStage(t, f, o)
		defer func() {
			if err := s.close(); err != nil && !strings.Contains(text, "S.") {
				t.Errorf("the relay ended with %v", err)
			}
			log = s.log.String()
		}()
		s.play(text)
	})
	return log
}

// listing are the steps by which the relay verifies the tools before the first
// call.
const listing = `
S< {"id":"licet:NONCE:1","jsonrpc":"2.0","method":"tools/list","params":{}}
S> {"jsonrpc":"2.0","id":"licet:NONCE:1","result":{"tools":` + allTools + `}}
`

func callOf(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, id, tool)
}

var errLost = errors.New("lost")
