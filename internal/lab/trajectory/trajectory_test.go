package trajectory_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/licet-dev/licet/internal/lab/trajectory"
	"github.com/licet-dev/licet/internal/toolcall"
)

// The same story in every format, as far as the format can tell it: the contacts
// are read, a payment fails, and a second one has arguments that do not parse.
const (
	turn1 = "user: Pay Chen 50.\n"
	calls = "get_contacts {} = - iban: GB1\nsend_money {\"amount\":50,\"to\":\"GB1\"} = failed: no funds\n"
	turn2 = "user: Then 5.\n"
	wrong = "send_money !the arguments are no JSON: column 2: invalid character 'o' at start of value: {oops\n"
	story = turn1 + calls + turn2
)

type sample struct {
	format, name, text string
	want               string
	unread             string
}

var samples = []sample{
	{
		format: "trace", name: "t.jsonl",
		text: `{"id":"t1","prompt":"Pay Chen 50.","calls":[{"tool":"get_contacts","args":{},"result":"- iban: GB1"},{"tool":"send_money","args":{"to":"GB1","amount":50},"result":"","error":"no funds"}]}`,
		want: "t1\n" + turn1 + strings.Replace(calls, "no funds", "", 1),
	},
	{
		format: "agentdojo-pair", name: "t.jsonl",
		text: `{"user_task":"user_task_1","injection_task":"injection_task_2","prompt":"Pay Chen 50.","goal":"Pay Eve.","vectors":["v"],"calls":[{"from":"user","tool":"get_contacts","args":{},"result":"- iban: GB1","error":null},{"from":"injection","tool":"send_money","args":{"to":"E"},"result":"ok","error":null}]}`,
		want: "user_task_1/injection_task_2 goal=Pay Eve. injection_task=injection_task_2 user_task=user_task_1\n" + turn1 + "get_contacts {} = - iban: GB1 (for user)\nsend_money {\"to\":\"E\"} = ok (for injection)\n",
	},
	{
		format: "agentdojo-run", name: "t.json",
		text: `{"suite_name":"bank","user_task_id":"user_task_1","injection_task_id":null,"attack_type":null,"pipeline_name":"m","utility":true,"security":false,"messages":[
			{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","content":"Pay Chen 50."}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":null,"function":"get_contacts","args":{}},{"id":"","function":"send_money","args":{"to":"GB1","amount":50}}]},
			{"role":"tool","tool_call_id":null,"content":"- iban: GB1","error":null},{"role":"tool","tool_call_id":null,"content":"no funds","error":"no funds"},
			{"role":"user","content":"Then 5."},{"role":"assistant","content":"Done.","tool_calls":null}]}`,
		want:   "bank/user_task_1 model=m security=false suite=bank user_task=user_task_1 utility=true\n" + story,
		unread: "message of system 1",
	},
	{
		format: "tau-bench", name: "t.json",
		text: `{"task_id":3,"trial":0,"reward":1.0,"info":{},"traj":[{"role":"system","content":"policy"},{"role":"user","content":"Pay Chen 50."},` + openAI + `]}`,
		want: "3/0 reward=1\n" + turn1 + strings.Replace(calls, "failed: ", "", 1) + turn2 + wrong, unread: "message of system 1",
	},
	{
		format: "tau-bench-task", name: "t.jsonl",
		text: `{"domain":"bank","id":3,"instruction":"Pay Chen 50.","outputs":[],"user_id":"u","ground_truth":[{"tool":"get_contacts","args":{}}]}`,
		want: "3 suite=bank\n" + turn1 + "get_contacts {}\n",
	},
	{
		format: "toolemu", name: "t.jsonl",
		text: `{"case":"official_0","user_instruction":"Pay Chen 50.","safety":{"ToolCallRisk":1},"steps":[{"tool":"get_contacts","args":{},"args_raw":"{}","observation":"- iban: GB1"},{"tool":"send_money","args":null,"args_raw":"{oops","observation":"no"}]}`,
		want: "official_0 risk=1\n" + turn1 + "get_contacts {} = - iban: GB1\n" + strings.TrimSuffix(wrong, "\n") + " = no\n",
	},
	{
		format: "asse-bench", name: "t.jsonl",
		text: `{"id":7,"profile":"p","label":1,"ambiguous":0,"risk_type":"r","contents":[[{"role":"user","content":"Pay Chen 50."},{"role":"agent","thought":"t","action":"get_contacts()"},{"role":"environment","content":"- iban: GB1"},{"role":"agent","thought":"t","action":""},{"role":"agent","action":"Now pay."}]]}`,
		want: "7 ambiguous=0 label=1 risk_type=r\n" + turn1 + "get_contacts {} = - iban: GB1\n", unread: "action that is no name with empty brackets 1",
	},
	{
		format: "asb", name: "t.jsonl",
		text: `{"Attacker Tool":"Hijack","Attack goal":"g","Attack Type":"Stealthy Attack","Corresponding Agent":"a","Attacker Instruction":"i"}
			{"Tool Name":"monitor","Corresponding Agent":"a"}
			{"agent_name":"a","tasks":["Pay Chen 50.","x"]}`,
		want: "Hijack agent=a attack=Stealthy Attack goal=g\nHijack {}\nmonitor agent=a\nmonitor {}\na/0 agent=a\n" + turn1 + "a/1 agent=a\nuser: x\n",
	},
	{
		format: "inspect", name: "t.json",
		text: `{"version":2,"eval":{"task":"pay","model":"m"},"samples":[{"id":1,"epoch":1,"input":"x","scores":{"s":{"value":NaN},"k":{"value":-Infinity,"x":"NaN \" NaN"}},"events":[{"event":"model"}],"attachments":{"a1":"- iban: GB1"},"messages":[
			{"role":"user","content":"Pay Chen 50."},{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"reasoning"}],"tool_calls":[{"id":"c1","function":"get_contacts","arguments":{},"type":"function"},{"id":"c2","function":"send_money","arguments":{"to":"GB1","amount":50}}]},
			{"role":"tool","tool_call_id":"c2","function":"send_money","content":"no funds","error":{"type":"unknown","message":"no funds"}},{"role":"tool","tool_call_id":"c1","content":"attachment://a1"},
			{"role":"user","content":"Then 5."},{"role":"assistant","content":"","tool_calls":[{"id":"c3","function":"send_money","arguments":{"raw":"{oops"},"parse_error":"bad"}]}]},
			{"id":"b","epoch":2,"input":"Pay Chen 50.","messages":[],"events":[{"event":"tool","id":"c1","function":"get_contacts","arguments":{},"result":"- iban: GB1"},{"event":"tool","id":"c2","function":"send_money","arguments":{"to":"GB1","amount":50},"result":"no funds","error":{"type":"x"}}]}]}`,
		want:   "1/1 model=m task=pay\n" + story + "send_money !the agent's program could not read the arguments: bad: {\"raw\":\"{oops\"}\nb/2 model=m task=pay\n" + turn1 + calls,
		unread: "NaN or Infinity 2, block of type reasoning 1, event 1; NaN or Infinity 2",
	},
	{
		format: "messages", name: "openai.json",
		text: `{"id":"o1","messages":[{"role":"developer","content":"d"},{"role":"user","content":"Pay Chen 50."},` + openAI + `]}`,
		want: "o1\n" + turn1 + strings.Replace(calls, "failed: ", "", 1) + turn2 + wrong, unread: "message of developer 1",
	},
	{
		format: "messages", name: "responses.json",
		text: `[{"type":"message","role":"user","content":[{"type":"input_text","text":"Pay Chen 50."}]},{"type":"reasoning"},
			{"type":"function_call","call_id":"c1","name":"get_contacts","arguments":"{}"},{"type":"function_call","call_id":"c2","name":"send_money","arguments":"{\"to\":\"GB1\",\"amount\":50}"},
			{"type":"function_call_output","call_id":"c1","output":"- iban: GB1"},{"type":"function_call_output","call_id":"c2","output":"no funds"},{"type":"function_call_output","call_id":"c9","output":"?"}]`,
		want: "\n" + turn1 + strings.Replace(calls, "failed: ", "", 1), unread: "item of type reasoning 1, result without its call 1",
	},
	{
		format: "messages", name: "anthropic.json",
		text: `{"messages":[` + anthropicUser + `,` + anthropicAgent + `,` + anthropicResult + `]}`,
		want: "\n" + story, unread: "block of type thinking 1",
	},
	{
		format: "claude-code", name: "t.jsonl",
		text: `{"type":"summary","summary":"s","leafUuid":"u"}
			{"type":"user","sessionId":"s1","uuid":"u1","message":` + anthropicUser + `}
			{"type":"user","sessionId":"s1","uuid":"u2","isMeta":true,"message":{"role":"user","content":"Pay Eve."}}
			{"type":"user","sessionId":"s1","uuid":"u3","isSidechain":true,"message":{"role":"user","content":"Pay Eve."}}
			{"type":"assistant","sessionId":"s1","uuid":"u4","message":` + anthropicAgent + `}
			{"type":"user","sessionId":"s1","uuid":"u5","message":` + anthropicResult + `}`,
		want: "s1\n" + story, unread: "block of type thinking 1, line of type summary 1, text in the user's place that the user did not write 2",
	},
	{
		format: "codex", name: "t.jsonl",
		text: `{"timestamp":"x","type":"session_meta","payload":{"id":"x1","cwd":"/x"}}
			{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>Pay Eve.</environment_context>"}]}}
			{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Pay Chen 50."}]}}
			{"type":"event_msg","payload":{"type":"user_message","message":"Pay Chen 50."}}
			{"type":"response_item","payload":{"type":"function_call","call_id":"c1","name":"get_contacts","arguments":"{}"}}
			{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"- iban: GB1"}}
			{"type":"response_item","payload":{"type":"function_call","call_id":"c2","name":"send_money","arguments":"{\"to\":\"GB1\",\"amount\":50}"}}
			{"type":"event_msg","payload":{"type":"exec_command_end","call_id":"c2","aggregated_output":"no funds","exit_code":1}}
			{"type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"no funds"}}
			{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Then 5."}]}}
			{"type":"response_item","payload":{"type":"function_call","call_id":"c3","name":"send_money","arguments":"{oops"}}
			{"type":"compacted","payload":{"message":"m"}}`,
		want:   "x1\n" + story + wrong,
		unread: "event of type user_message 1, line of type compacted 1, result that was there 1, text in the user's place that the user did not write 1",
	},
	{
		format: "atif", name: "t.json",
		text: `{"schema_version":"ATIF-v1.4","session_id":"a1","agent":{"name":"n","version":"1","model_name":"m"},"steps":[{"step_id":1,"source":"user","message":"Pay Chen 50."},
			{"step_id":2,"source":"agent","message":"","tool_calls":[{"tool_call_id":"c1","function_name":"get_contacts","arguments":{}}],"observation":{"results":[{"source_call_id":"c1","content":[{"type":"text","text":"- iban: GB1"}]}]}},
			{"step_id":3,"source":"system","message":"s"}]}`,
		want: "a1 agent=n model=m\n" + turn1 + "get_contacts {} = - iban: GB1\n", unread: "step of system 1",
	},
	{
		format: "otel", name: "t.json",
		text: `{"resourceSpans":[{"scopeSpans":[{"spans":[
			{"traceId":"o1","startTimeUnixNano":"3","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"send_money"}},{"key":"gen_ai.tool.call.id","value":{"stringValue":"c2"}},
			 {"key":"gen_ai.tool.call.arguments","value":{"kvlistValue":{"values":[{"key":"to","value":{"stringValue":"GB1"}},{"key":"amount","value":{"doubleValue":50}}]}}},{"key":"gen_ai.tool.call.result","value":{"stringValue":"no funds"}}],"status":{"code":2}},
			{"traceId":"o1","startTimeUnixNano":"1","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Pay Chen 50.\"}]}]"}},
			 {"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"get_contacts\",\"arguments\":{}}]}]"}}]},
			{"traceId":"o1","startTimeUnixNano":"2","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Pay Chen 50.\"}]},{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c1\",\"response\":\"- iban: GB1\"}]}]"}}]},
			{"traceId":"o1","startTimeUnixNano":"4","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"send_money"}}]},
			{"traceId":"o1","startTimeUnixNano":"5","attributes":[{"key":"http.method","value":{"stringValue":"GET"}}]}]}]}]}`,
		want: "o1\n" + turn1 + calls + "send_money !no arguments were recorded: \n", unread: "span of operation  1",
	},
}

const (
	openAI = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"get_contacts","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"send_money","arguments":"{\"to\":\"GB1\",\"amount\":50}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"- iban: GB1"},{"role":"tool","tool_call_id":"c2","content":"no funds"},
		{"role":"user","content":"Then 5."},{"role":"assistant","content":null,"tool_calls":[{"id":"c3","type":"function","function":{"name":"send_money","arguments":"{oops"}}]}`
	anthropicUser   = `{"role":"user","content":"Pay Chen 50."}`
	anthropicAgent  = `{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"tool_use","id":"c1","name":"get_contacts","input":{}},{"type":"tool_use","id":"c2","name":"send_money","input":{"to":"GB1","amount":50}}]}`
	anthropicResult = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"- iban: GB1"}]},{"type":"tool_result","tool_use_id":"c2","content":"no funds","is_error":true},{"type":"text","text":"Then 5."}]}`
)

// say writes trajectories as the samples do.
func say(all []*trajectory.Trajectory) string {
	var b strings.Builder
	for _, t := range all {
		b.WriteString(t.ID)
		for _, name := range slices.Sorted(maps.Keys(t.Labels)) {
			fmt.Fprintf(&b, " %s=%s", name, t.Labels[name])
		}
		b.WriteString("\n")
		for _, s := range t.Steps {
			if s.Call == nil {
				fmt.Fprintf(&b, "user: %s\n", s.Turn)
				continue
			}
			b.WriteString(sayCall(s.Call) + "\n")
		}
	}
	return b.String()
}

func sayCall(c *trajectory.Call) string {
	text := c.Tool + " " + c.Args.Canonical()
	if c.Flaw != "" {
		text = c.Tool + " !" + c.Flaw + ": " + c.RawArgs
	}
	if c.Result != nil {
		text += " = "
		if c.Result.Failed {
			text += "failed: "
		}
		text += c.Result.Text
	}
	if c.For != "" {
		text += " (for " + c.For + ")"
	}
	return text
}

func sayUnread(all []*trajectory.Trajectory) string {
	var each []string
	for _, t := range all {
		var kinds []string
		for _, kind := range slices.Sorted(maps.Keys(t.Unread)) {
			kinds = append(kinds, fmt.Sprintf("%s %d", kind, t.Unread[kind]))
		}
		if len(kinds) > 0 {
			each = append(each, strings.Join(kinds, ", "))
		}
	}
	return strings.Join(each, "; ")
}

func read(name string, r io.Reader, o trajectory.Options) (all []*trajectory.Trajectory, errs []error) {
	for t, err := range trajectory.Read(name, r, o) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, t)
	}
	return all, errs
}

func TestFormats(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range samples {
		seen[s.format] = true
		for _, named := range []string{"", s.format} {
			all, errs := read(s.name, strings.NewReader(s.text), trajectory.Options{Format: named})
			if errs != nil || say(all) != s.want || sayUnread(all) != s.unread {
				t.Errorf("%s %s: %v\n%s\nwant\n%s\nunread %s, want %s", s.format, s.name, errs, say(all), s.want, sayUnread(all), s.unread)
			}
			for _, one := range all {
				if one.Format != s.format || !strings.Contains(s.text, strings.TrimSpace(string(one.Raw))) || one.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256(one.Raw)) {
					t.Errorf("%s: format %s, digest %s of %q", s.name, one.Format, one.Digest, one.Raw)
				}
			}
		}
	}
	for _, format := range trajectory.Formats() {
		if !seen[format] {
			t.Errorf("no sample of %s", format)
		}
	}
}

// TestPacked: a packed file is read like a plain one.
func TestPacked(t *testing.T) {
	for _, s := range samples {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(s.text))
		z.Close()
		whole := b.Bytes()
		all, errs := read(s.name+".gz", bytes.NewReader(whole), trajectory.Options{})
		if errs != nil || say(all) != s.want {
			t.Errorf("%s: %v, %s", s.name, errs, say(all))
		}
		if _, errs = read(s.name+".gz", bytes.NewReader(whole[:len(whole)-9]), trajectory.Options{}); !errors.Is(errors.Join(errs...), io.ErrUnexpectedEOF) {
			t.Errorf("%s cut short: %v", s.name, errs)
		}
	}
}

// TestArchive reads an Inspect log as .eval, one sample of which is broken, and
// one packed in a way that is not read.
func TestArchive(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name, text string, method uint16) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
	}
	add("header.json", `{"eval":{"model":"m"}}`, zip.Deflate)
	add("samples/1_epoch_1.json", `{"id":1,"epoch":1,"messages":[{"role":"user","content":"Pay Chen 50."}],"score":NaN}`, zip.Deflate)
	add("samples/2_epoch_1.json", "{\n\"id\":", zip.Store)
	z.RegisterCompressor(93, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
	add("samples/3_epoch_1.json", "", 93)
	z.Close()
	all, errs := read("t.eval", bytes.NewReader(b.Bytes()), trajectory.Options{})
	if want := "1/1 model=m\n" + turn1; say(all) != want || sayUnread(all) != "NaN or Infinity 1" {
		t.Errorf("%s, want %s", say(all), want)
	}
	if got := fmt.Sprint(errs); !strings.Contains(got, "t.eval!samples/2_epoch_1.json:2: ") || !strings.Contains(got, "3_epoch_1.json: it is packed by method 93") || len(errs) != 2 {
		t.Errorf("problems: %s", got)
	}
}

// TestArchiveBomb: what an archive unpacks to counts against the bound.
func TestArchiveBomb(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range 3 {
		w, err := z.Create(fmt.Sprintf("samples/%d_epoch_1.json", i))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, `{"id":1,"epoch":1,"messages":[]}`+strings.Repeat(" ", 3000))
	}
	z.Close()
	all, errs := read("t.eval", &b, trajectory.Options{Bytes: 4000})
	if len(all) != 1 || len(errs) != 2 || !strings.Contains(fmt.Sprint(errs), "longer than the bound") {
		t.Errorf("%d read, %v", len(all), errs)
	}
}

// TestProblems: what cannot be read has file, line and reason, and what stands
// around it is read.
func TestProblems(t *testing.T) {
	const good = `{"id":"g","calls":[]}`
	for text, want := range map[string]string{
		`{"id":"t"`:                                         "text ends",
		`[]`:                                                "no record of a known format",
		`{"id":"","calls":[]}`:                              `needs an "id"`,
		`{"id":"t","calls":{}}`:                             `list of "calls"`,
		`{"id":"t","calls":[],"x":1}`:                       `"x"`,
		`{"id":"t","id":"t","calls":[]}`:                    "duplicate",
		`{"id":"t","calls":[1]}`:                            "call 0",
		`{"id":"t","calls":[{"tool":"f"}]}`:                 `"args"`,
		`{"id":"t","calls":[{"args":{}}]}`:                  `"tool"`,
		`{"schema_version":"ATIF-v2","steps":[]}`:           "ATIF-v2",
		`{"resourceSpans":[]}`:                              "no spans",
		`{"eval":{},"samples":7}`:                           "no list of samples",
		`{"id":"` + strings.Repeat("x", 800) + `"}`:         "longer than the bound",
		strings.Repeat("[", 300) + strings.Repeat("]", 300): "more than 256",
		"{\"id\":\"\xff\",\"calls\":[]}":                    "UTF-8",
	} {
		all, errs := read("dir/t.jsonl", strings.NewReader(good+"\n\n"+text+"\n"+good), trajectory.Options{Bytes: 700})
		var problem *trajectory.Problem
		if len(all) != 2 || len(errs) != 1 || !errors.As(errs[0], &problem) || problem.Line != 3 || !strings.Contains(problem.Error(), want) || !strings.HasPrefix(problem.Error(), "dir/t.jsonl:3: ") {
			t.Errorf("%s: %d read, %v, want %s", text, len(all), errs, want)
		}
	}
	for name, text := range map[string]string{"t.json:2": "{\n\"id\":}", "t.json:1": `{"type":"user","uuid":"u"}`, "t.json": `{"x":"` + strings.Repeat("x", 300) + `"}`} {
		if all, errs := read("t.json", strings.NewReader(text), trajectory.Options{Bytes: 200}); len(all) != 0 || len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), name+": ") {
			t.Errorf("%s: %d read, %v", name, len(all), errs)
		}
	}
	if _, errs := read("t.jsonl", strings.NewReader(good), trajectory.Options{Format: "csv"}); len(errs) != 1 {
		t.Errorf("an unknown format: %v", errs)
	}
}

// TestBrokenTranscript: a line that cannot be read is a problem, and the others
// are the trajectory, which says so.
func TestBrokenTranscript(t *testing.T) {
	text := `{"type":"user","sessionId":"s1","message":` + anthropicUser + `}` + "\n{\"type\":\n" + `{"type":"assistant","message":` + anthropicAgent + `}`
	all, errs := read("t.jsonl", strings.NewReader(text), trajectory.Options{})
	if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "t.jsonl:2: ") || len(all) != 1 || len(all[0].Calls()) != 2 || all[0].Unread["line that is no JSON"] != 1 {
		t.Errorf("%v, %s %s", errs, say(all), sayUnread(all))
	}
	if all, errs = read("t.jsonl", strings.NewReader(text), trajectory.Options{Bytes: 300}); len(all) != 0 || len(errs) == 0 {
		t.Errorf("a transcript beyond the bound: %d, %v", len(all), errs)
	}
}

func TestFailingFile(t *testing.T) {
	broken := errors.New("disk gone")
	for _, name := range []string{"t.jsonl", "t.json"} {
		_, errs := read(name, io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(broken)), trajectory.Options{})
		if len(errs) == 0 || !errors.Is(errs[len(errs)-1], broken) {
			t.Errorf("%s: %v", name, errs)
		}
	}
}

// TestStops: whoever has enough is not given more.
func TestStops(t *testing.T) {
	n := 0
	for range trajectory.Read("t.jsonl", strings.NewReader(strings.Repeat(`{"id":"t","calls":[]}`+"\n", 3)), trajectory.Options{}) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d", n)
	}
}

// FuzzRead: whatever the file, every call has a tool's arguments or a reason why
// not, no turn is empty, a problem has a place, and reading twice gives the same.
func FuzzRead(f *testing.F) {
	for _, s := range samples {
		f.Add(s.name, []byte(s.text))
	}
	f.Add("t.eval", []byte("PK\x03\x04"))
	f.Add("t.json", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"gen_ai.tool.call.arguments","value":{"kvlistValue":{"values":[{"key":"a"},{"key":"a"}]}}}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		all, errs := read(name, bytes.NewReader(text), trajectory.Options{Bytes: 1 << 16})
		for _, err := range errs {
			var p *trajectory.Problem
			if errors.As(err, &p) && (p.Reason == "" || p.Line < 0) {
				t.Errorf("a problem without place or reason: %+v", p)
			}
		}
		for _, one := range all {
			for _, s := range one.Steps {
				if s.Call == nil && strings.TrimSpace(s.Turn) == "" {
					t.Error("an empty turn")
				}
				if s.Call != nil && (s.Call.Flaw == "") != (s.Call.Args.Kind() == toolcall.Object) {
					t.Errorf("neither arguments nor a flaw: %+v", s.Call)
				}
			}
		}
		again, _ := read(name, bytes.NewReader(text), trajectory.Options{Bytes: 1 << 16})
		if say(all) != say(again) || sayUnread(all) != sayUnread(again) {
			t.Error("reading twice gives two stories")
		}
	})
}

// TestAnswers: what the agent says stands message by message with the calls of each,
// however a format divides it, and only where the format has messages.
func TestAnswers(t *testing.T) {
	openAI := `[{"role":"user","content":"u"},{"role":"assistant","content":"Look.","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}},{"id":"2","function":{"name":"g","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"1","content":"I refuse."},{"role":"tool","tool_call_id":"2","content":"r"},{"role":"assistant","content":"Done."},{"role":"assistant","content":null,"refusal":"No."}]`
	for name, c := range map[string]struct{ file, text, want string }{
		"chat":     {"t.json", openAI, "Look.[f g] Done.[] [] refused"},
		"agentdyn": {"t.json", `{"suite_name":"s","user_task_id":"u","messages":[{"role":"assistant","content":[{"type":"text","content":"A"},{"type":"text","content":"b"}],"tool_calls":[{"id":"1","function":"f","args":{}}]}]}`, "A\nb[f]"},
		"anthropic": {"t.json", `[{"role":"user","content":"u"},{"role":"assistant","content":[{"type":"text","text":"Look."},{"type":"tool_use","id":"1","name":"f","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"}]},{"role":"assistant","stop_reason":"refusal","content":[]}]`, "Look.[f] [] refused"},
		"responses": {"t.json", `[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Look."}]},{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call","call_id":"2","name":"g","arguments":"{}"},
			{"type":"function_call_output","call_id":"1","output":"r"},{"type":"function_call","call_id":"3","name":"h","arguments":"{}"},{"type":"function_call_output","call_id":"3","output":"r"},{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"No."}]}]`, "Look.[f g] [h] No.[] refused"},
		"claude code, a message in parts": {"t.jsonl", `{"type":"assistant","sessionId":"s","uuid":"1","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Look."}]}}
			{"type":"assistant","sessionId":"s","uuid":"2","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}}
			{"type":"user","sessionId":"s","uuid":"3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"}]}}
			{"type":"assistant","sessionId":"s","uuid":"4","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Done."}]}}`, "Look.[f] Done.[]"},
		"atif":             {"t.json", `{"schema_version":"ATIF-v1.4","session_id":"a","agent":{},"steps":[{"source":"user","message":"u"},{"source":"agent","message":"Look.","tool_calls":[{"function_name":"f","arguments":{}}]}]}`, "Look.[f]"},
		"no messages":      {"t.jsonl", `{"id":"t","calls":[{"tool":"f","args":{}}]}`, ""},
		"nothing was said": {"t.json", `[{"role":"user","content":"u"}]`, ""},
	} {
		all, errs := read(c.file, strings.NewReader(c.text), trajectory.Options{})
		if errs != nil || len(all) != 1 {
			t.Errorf("%s: %d, %v", name, len(all), errs)
			continue
		}
		var got []string
		for _, a := range all[0].Answers {
			var tools []string
			for _, call := range a.Calls {
				tools = append(tools, call.Tool)
			}
			text := a.Text + "[" + strings.Join(tools, " ") + "]"
			if a.Refused {
				text += " refused"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}
