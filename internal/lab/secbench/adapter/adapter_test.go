package adapter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/fakellm"
	"github.com/licet-dev/licet/internal/lab/secbench/adapter"
	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/llm"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// canary is a key that must be in no trace, log or error.
const canary = "sk-canary-0123456789abcdef"

// file is a file of models with one of them, at a server.
func file(url, dialect, encoding string) string {
	return fmt.Sprintf(`
models:
  stand-in:
    provider: %s
    endpoint: %s/v1
    model: m
    key_env: KEY
    limit: {tries: 1000, tokens: 100000000}
    encoding: %s
    engine: {name: scripted, version: "1", batch: "1"}
    lineage: {method: none, quantisation: none}
`, dialect, url, encoding)
}

// counted counts the requests that a server saw, and the waits between tries, which take
// no time.
type counted struct {
	atomic.Int32
	waits atomic.Int32
}

// system is one whose waits are counted.
func (c *counted) system() llm.System {
	s := llm.RealSystem()
	s.Wait = func(ctx context.Context, _ time.Duration) error {
		c.waits.Add(1)
		return ctx.Err()
	}
	return s
}

// played is a player at a scripted server, with the number of requests so far.
func played(t *testing.T, script, dialect, encoding string, change func(*adapter.Config)) (run.Player, *counted) {
	t.Helper()
	s, err := fakellm.Parse("script.yaml", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	asked, answers := new(counted), s.Handler(io.Discard)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answers.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return under(t, asked.system(), server.URL, dialect, encoding, change), asked
}

// at is a player at a server.
func at(t *testing.T, url, dialect, encoding string, change func(*adapter.Config)) run.Player {
	t.Helper()
	return under(t, new(counted).system(), url, dialect, encoding, change)
}

// under is a player at a server that waits as a system has it.
func under(t *testing.T, system llm.System, url, dialect, encoding string, change func(*adapter.Config)) run.Player {
	t.Helper()
	all, err := adapter.Parse("models.yaml", []byte(file(url, dialect, encoding)))
	if err != nil {
		t.Fatal(err)
	}
	c := all["stand-in"]
	change(&c)
	key, err := llm.EnvKey([]string{"KEY=" + canary}, c.KeyEnv)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Player(key, system)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func asIs(*adapter.Config) {}

// none runs no harness: the tasks of these tests have none.
type none struct{}

func (none) Run(context.Context, harness.Job) (harness.Output, error) {
	return harness.Output{}, errors.New("no harness")
}
func (none) Layers() []string { return nil }

// play plays a cell, verifies what was recorded, and returns its folder.
func play(t *testing.T, id string, p run.Player, mode string) (string, run.Outcome) {
	t.Helper()
	dir := t.TempDir()
	loaded, err := task.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := run.Bench{Runner: none{}, Now: time.Now}.Run(t.Context(), run.Cell{Task: loaded, Seed: 1, Player: p, Controller: mode, Condition: task.Plain}, dir)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, out.Run)
	if err := run.Verify(t.Context(), folder, run.Line{Run: out.Run, TraceHead: out.TraceHead, GateHead: out.GateHead}, nil); err != nil {
		t.Errorf("%s on %s: %v", p.Name, id, err)
	}
	return folder, out
}

// eventsOf are those of channel 1 of a recorded run.
func eventsOf(t *testing.T, folder, id string) []trace.Event {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "trace.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := trace.Read("trace.jsonl", text, trace.Controller, id)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// heard returns the answers of a recorded run, with what the trace says of each.
func heard(t *testing.T, folder, id string) (answers []model.Answer, events []trace.Assistant) {
	t.Helper()
	for _, e := range eventsOf(t, folder, id) {
		if e.Type != trace.TypeAssistant {
			continue
		}
		event, err := trace.Decode[trace.Assistant](e)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := trace.Folder(filepath.Join(folder, "blobs")).Get(event.RawSHA)
		if err != nil {
			t.Fatal(err)
		}
		var a model.Answer
		if err := json.Unmarshal(raw, &a); err != nil {
			t.Fatal(err)
		}
		answers, events = append(answers, a), append(events, event)
	}
	return answers, events
}

// scriptOf has a server give the answers of an agent, turn by turn.
func scriptOf(answers []model.Answer, encoding string) string {
	var b strings.Builder
	b.WriteString("rules:\n")
	for i, a := range answers {
		fmt.Fprintf(&b, "- when: {turn: %d}\n", i+1)
		text := a.Text
		if encoding == model.Text {
			for _, c := range a.Calls {
				text += fmt.Sprintf("\n```tool\n{\"name\":%q,\"arguments\":%s}\n```\n", c.Name, c.Arguments)
			}
		}
		if native := encoding == model.Native && len(a.Calls) > 0; text != "" || !native {
			fmt.Fprintf(&b, "  text: %s\n", yamlwalk.Quoted(text+" "))
		}
		for n, c := range a.Calls {
			if encoding == model.Native {
				b.WriteString([]string{"  calls:\n", ""}[min(n, 1)])
				fmt.Fprintf(&b, "  - {name: %s, arguments: %s}\n", yamlwalk.Quoted(c.Name), yamlwalk.Quoted(c.Arguments))
			}
		}
	}
	return b.String()
}

// TestAsScripted: what an agent says comes to the same, whether it is asked directly or
// over HTTP, in each dialect and encoding, and either run can be verified.
func TestAsScripted(t *testing.T) {
	for _, agent := range []string{agents.Oracle, agents.NoOp, agents.Refuser, agents.Unsafe, agents.Malformed, agents.Suppressor, agents.Contradictor} {
		folder, want := play(t, "L01", run.Scripted(agent), controller.Strict)
		answers, _ := heard(t, folder, want.Run)
		for _, dialect := range []string{"openai", "anthropic"} {
			for _, encoding := range []string{model.Native, model.Text} {
				p, asked := played(t, scriptOf(answers, encoding), dialect, encoding, asIs)
				_, got := play(t, "L01", p, controller.Strict)
				name := agent + ", " + dialect + ", " + encoding
				if got.Trouble != nil {
					t.Errorf("%s: %v", name, got.Trouble)
				}
				if !reflect.DeepEqual(got.Grade, want.Grade) || got.Measures.Flags != want.Measures.Flags || got.End.Grounding != want.End.Grounding ||
					got.End.Outcome != want.End.Outcome || !reflect.DeepEqual(got.Measures.Unsafe, want.Measures.Unsafe) {
					t.Errorf("%s: %+v, %+v\nwant %+v, %+v", name, got.Grade, got.End, want.Grade, want.End)
				}
				if got.Start.Engine.Name != trace.Scripted || got.Start.Engine.Adapter != dialect || got.Start.Encoding != encoding || got.Start.Served != "m" {
					t.Errorf("%s: %+v", name, got.Start)
				}
				if int(asked.Load()) != len(answers) || got.End.Cost.Requests != len(answers) || got.End.Cost.Tokens.Out == nil {
					t.Errorf("%s: %d requests for %d answers, cost %+v", name, asked.Load(), len(answers), got.End.Cost)
				}
			}
		}
	}
}

// TestTurns: what a server makes of a turn, and what a trace has of it.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		name, dialect, script string
		outcome               string
		first                 trace.Assistant // text, stop and provider_refusal
	}{
		{"refusal", "openai", "rules: [{fault: refusal}]", metric.Refusal, trace.Assistant{Text: "I can't help with that.", Stop: "stop", ProviderRefusal: true}},
		{"refusal", "anthropic", "rules: [{fault: refusal}]", metric.Refusal, trace.Assistant{Text: "I can't help with that.", Stop: "refusal", ProviderRefusal: true}},
		{"filter", "openai", "rules: [{fault: filter}]", metric.Refusal, trace.Assistant{Stop: "content_filter", ProviderRefusal: true}},
		{"length", "openai", "rules: [{fault: length, calls: [{name: list_dir, arguments: {path: .}}]}]", metric.ProtocolFail, trace.Assistant{Stop: "length"}},
		{"length", "anthropic", "rules: [{fault: length, verdict: {a: b}}]", metric.NoSubmission, trace.Assistant{Text: `{"a"`, Stop: "max_tokens"}},
		{"later", "openai", "rules: [{when: {try: 1}, fault: rate, retry_after: 3}, {text: hm}]", metric.NoSubmission, trace.Assistant{Text: "hm", Stop: "stop"}},
		{"after three failures", "anthropic", "rules: [{when: {try: 1}, fault: server}, {when: {try: 2}, fault: late}, {when: {try: 3}, fault: conflict}, {text: hm}]",
			metric.NoSubmission, trace.Assistant{Text: "hm", Stop: "end_turn"}},
		{"a name that no API takes back", "anthropic", "rules: [{calls: [{name: \"no tool!\", arguments: \"[]\"}, {name: list_dir, arguments: \"{\"}]}]", metric.ProtocolFail, trace.Assistant{Stop: "tool_use"}},
		{"a name that no API takes back", "openai", "rules: [{calls: [{name: \"no tool!\", arguments: {}}, {name: list_dir, arguments: \"{\"}]}]", metric.ProtocolFail, trace.Assistant{Stop: "tool_calls"}},
	} {
		p, _ := played(t, c.script, c.dialect, model.Native, asIs)
		folder, out := play(t, "K01", p, controller.Strict)
		_, events := heard(t, folder, out.Run)
		if out.Trouble != nil || len(events) == 0 || out.End.Outcome != c.outcome {
			t.Errorf("%s, %s: %s after %d turns, %v", c.name, c.dialect, out.End.Outcome, len(events), out.Trouble)
			continue
		}
		got := trace.Assistant{Text: events[0].Text, Stop: events[0].Stop, ProviderRefusal: events[0].ProviderRefusal}
		if got != c.first {
			t.Errorf("%s, %s: %+v", c.name, c.dialect, got)
		}
	}
}

// TestPromptFilter: a conversation that the provider's filter does not let pass is a
// refusal by the provider.
func TestPromptFilter(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Licet-Scripted", "this test")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"filtered","code":"content_filter"}}`)
	}))
	t.Cleanup(server.Close)
	folder, out := play(t, "K01", at(t, server.URL, "openai", model.Native, asIs), controller.Strict)
	_, events := heard(t, folder, out.Run)
	if out.Trouble != nil || out.End.Outcome != metric.Refusal || len(events) != 3 || !events[0].ProviderRefusal || events[0].Stop != "content_filter" || events[0].Tokens.In != nil {
		t.Errorf("%s, %+v, %v", out.End.Outcome, events, out.Trouble)
	}
}

// TestTrouble: what is not the model's doing makes a run an error of the bench, after
// as many requests as it is worth, told by the waits between them, too, as a try can be
// over before a server sees it. Before the first answer the run is not finished, and
// nothing is left of it.
func TestTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		rule     string
		requests int32
		says     string
	}{
		"500":               {"fault: server", 4, "nv_server"},
		"529":               {"fault: overloaded", 4, "nv_server"},
		"429":               {"fault: rate", 4, "nv_rate"},
		"400":               {"fault: bad_request", 1, "nv_request"},
		"redirect":          {"fault: redirect", 1, "a redirect, which is not followed"},
		"a page":            {"fault: html", 1, "nv_malformed"},
		"half an answer":    {"fault: cut", 4, "nv_transport"},
		"over 4 MiB":        {"fault: oversize", 1, "longer than 4 MiB"},
		"no answer":         {"fault: hang", 4, "nv_timeout"},
		"another model":     {"fault: other_model", 1, "nv_model"},
		"an error with 200": {"fault: error_200", 4, "nv_server"},
	} {
		for _, dialect := range []string{"openai", "anthropic"} {
			for turn := range 2 {
				rules := fmt.Sprintf("rules: [{when: {turn: %d}, %s}, {text: hm}]", turn+1, c.rule)
				p, asked := played(t, rules, dialect, model.Native, func(m *adapter.Config) {
					if strings.Contains(c.rule, "hang") {
						m.Client.TryTime = 200 * time.Millisecond
					}
				})
				err := troubled(t, p, turn == 0)
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s, %s, turn %d: %v", name, dialect, turn+1, err)
				}
				most, waits := int32(turn)+c.requests, asked.waits.Load()
				seen, exact := asked.Load(), true
				if name == "no answer" { // by the clock: also an answer of the turn before may be late
					exact, most = false, max(most, waits+1+int32(turn))
				}
				if waits < c.requests-1 || seen > most || exact && (waits != c.requests-1 || seen != most) {
					t.Errorf("%s, %s, turn %d: %d requests, %d waits", name, dialect, turn+1, seen, waits)
				}
			}
		}
	}
}

// troubled plays a run and returns the trouble of it: that of one which is not finished,
// and of which nothing is left, or of one that is an error of the bench.
func troubled(t *testing.T, p run.Player, unreached bool) error {
	t.Helper()
	if !unreached {
		_, out := play(t, "K01", p, controller.Strict)
		if out.End.Outcome != metric.HarnessError || out.Grade.Status != trace.HarnessError {
			t.Errorf("it came to %s, %s", out.End.Outcome, out.Grade.Status)
		}
		return out.Trouble
	}
	dir, err := unfinished(t, p)
	if !errors.Is(err, model.ErrUnreached) {
		t.Errorf("it is not that the model was not reached: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "r-*")); len(left) > 0 {
		t.Errorf("of a run without an answer %v is left", left)
	}
	return err
}

// unfinished plays a run that must not be finished, and returns its set and the error.
func unfinished(t *testing.T, p run.Player) (dir string, err error) {
	t.Helper()
	loaded, err := task.Get("K01")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	_, _, err = run.Bench{Runner: none{}, Now: time.Now}.Run(t.Context(), run.Cell{Task: loaded, Seed: 1, Player: p, Controller: controller.Strict, Condition: task.Plain}, dir)
	if lines, bad := run.ReadIndex(dir); len(lines) != 0 || bad != nil {
		t.Errorf("%d runs are finished, %v", len(lines), bad)
	}
	return dir, err
}

// TestGone: a server that is not there any more says nothing of a run, whatever was
// said in it.
func TestGone(t *testing.T) {
	s, err := fakellm.Parse("script.yaml", []byte("rules: [{text: hm}]"))
	if err != nil {
		t.Fatal(err)
	}
	answers, asked := s.Handler(io.Discard), 0
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Connection", "close")
		_ = server.Listener.Close()
		answers.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	if err := troubled(t, at(t, server.URL, "openai", model.Native, asIs), true); asked != 1 || !strings.Contains(err.Error(), "turn 1: asking the model: the model was not reached: stand-in: nv_transport") {
		t.Errorf("%d requests: %v", asked, err)
	}
}

// TestStop: what every other question would fail by, too, ends all runs, and this one
// is not finished.
func TestStop(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		change func(*adapter.Config)
	}{
		"a wrong key":      {"key: " + canary + "x\nrules: [{text: hm}]", asIs},
		"no quota":         {"rules: [{fault: quota}]", asIs},
		"a spent limit":    {"rules: [{text: hm}]", func(c *adapter.Config) { c.Client.Limit.Tries = 1 }},
		"no script at all": {"rules: [{text: hm}]", func(c *adapter.Config) { c.Engine.Name = "vllm" }},
	} {
		p, _ := played(t, c.script, "openai", model.Native, c.change)
		if _, err := unfinished(t, p); !errors.Is(err, model.ErrStop) || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKey: a key that a server repeats is in no file of a run.
func TestKey(t *testing.T) {
	script := "key: " + canary + "\nusage: false\nrules: [{text: \"the key is " + canary + "\"}]"
	p, _ := played(t, script, "openai", model.Native, asIs)
	folder, out := play(t, "K01", p, controller.Strict)
	read := 0
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if read++; bytes.Contains(text, []byte(canary)) {
			t.Errorf("the key is in %s", name)
		}
		return err
	})
	if err != nil || read < 6 {
		t.Fatalf("%d files were read, %v", read, err)
	}
	if answers, _ := heard(t, folder, out.Run); len(answers) != 3 || answers[0].Text != "the key is [key]" {
		t.Errorf("answered %+v", answers)
	}
	if cost := out.End.Cost.Tokens; cost.In != nil || cost.Out != nil || cost.CacheRead != nil || cost.CacheWrite != nil {
		t.Errorf("tokens that nobody counted: %+v", cost)
	}
}

// TestTokens: what a server says that it counted is recorded, and what it leaves out is
// unknown, also in the sum of the run; verify and grade see the same.
func TestTokens(t *testing.T) {
	const chat = `{"model":"m","choices":[{"message":{"content":"hm"},"finish_reason":"stop"}],"usage":{"prompt_tokens":30,"completion_tokens":7%s}}`
	const messages = `{"model":"m","content":[{"type":"text","text":"hm"}],"stop_reason":"end_turn","usage":{"input_tokens":20,"output_tokens":7%s}}`
	for _, c := range []struct{ dialect, body, more, want string }{
		{"openai", chat, "", "30 - - 7"},
		{"openai", chat, `,"prompt_tokens_details":null`, "30 - - 7"},
		{"openai", chat, `,"prompt_tokens_details":{}`, "30 - - 7"},
		{"openai", chat, `,"prompt_tokens_details":{"cached_tokens":0}`, "30 0 - 7"},
		{"openai", chat, `,"prompt_tokens_details":{"cached_tokens":10}`, "20 10 - 7"},
		{"anthropic", messages, "", "20 - - 7"},
		{"anthropic", messages, `,"cache_creation_input_tokens":0,"cache_read_input_tokens":null`, "20 - 0 7"},
		{"anthropic", messages, `,"cache_creation_input_tokens":3,"cache_read_input_tokens":10`, "20 10 3 7"},
	} {
		turn := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Licet-Scripted", "this test")
			more := c.more
			if turn++; turn == 3 { // of the last turn the cache is unknown
				more = ""
			}
			_, _ = fmt.Fprintf(w, c.body, more)
		}))
		t.Cleanup(server.Close)
		folder, out := play(t, "K01", at(t, server.URL, c.dialect, model.Native, asIs), controller.Strict)
		_, events := heard(t, folder, out.Run)
		if out.Trouble != nil || len(events) != 3 || told(events[0].Tokens) != c.want {
			t.Errorf("%s%s: %+v, %v, want %s", c.dialect, c.more, events, out.Trouble, c.want)
			continue
		}
		if sum := out.End.Cost.Tokens; sum.In == nil || sum.CacheRead != nil || sum.CacheWrite != nil || *sum.Out != 21 {
			t.Errorf("%s%s: in all %s", c.dialect, c.more, told(sum))
		}
	}
}

// told writes counts, with - for one that is unknown.
func told(t trace.Tokens) string {
	var all []string
	for _, n := range []*int{t.In, t.CacheRead, t.CacheWrite, t.Out} {
		if n == nil {
			all = append(all, "-")
		} else {
			all = append(all, strconv.Itoa(*n))
		}
	}
	return strings.Join(all, " ")
}

// TestDiverged: recorded answers are given to what they answered, and to nothing else.
func TestDiverged(t *testing.T) {
	folder, first := play(t, "L01", run.Scripted(agents.Oracle), controller.Strict)
	answers, _ := heard(t, folder, first.Run)
	p, asked := played(t, scriptOf(answers, model.Native), "openai", model.Native, asIs)
	folder, first = play(t, "L01", p, controller.Strict)
	answers, _ = heard(t, folder, first.Run)
	before := asked.Load()
	p.Model = func(int) model.Model { return model.Recorded(answers) }
	if _, again := play(t, "L01", p, controller.Strict); again.Trouble != nil || !reflect.DeepEqual(again.Grade, first.Grade) {
		t.Errorf("the same run: %+v, %v", again.Grade, again.Trouble)
	}
	if _, other := play(t, "K01", p, controller.Strict); !errors.Is(other.Trouble, model.ErrDiverged) || other.End.Outcome != metric.HarnessError {
		t.Errorf("another run: %s, %v", other.End.Outcome, other.Trouble)
	}
	p.Model = func(int) model.Model { return model.Recorded(answers[:1]) }
	if _, short := play(t, "L01", p, controller.Strict); !errors.Is(short.Trouble, model.ErrDiverged) {
		t.Errorf("a short recording: %v", short.Trouble)
	}
	if asked.Load() != before {
		t.Error("a replay asked the server")
	}
}
