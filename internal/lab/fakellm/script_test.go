package fakellm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/fakellm"
)

// bad are scripts that are refused, with the place and what is said there.
var bad = map[string]string{
	"":                                 "s.yaml:1:1: the script is empty",
	"- x":                              "s.yaml:1:1: expected a script as a mapping, found a list",
	"rule: []":                         `s.yaml:1:1: unknown word "rule" in a script`,
	"server: openai":                   `s.yaml:1:1: a script needs "rules"`,
	"rules: []":                        "s.yaml:1:8: an empty list",
	"rules: {}":                        "s.yaml:1:8: expected a list of rules",
	"rules: [x]":                       "s.yaml:1:9: expected a rule as a mapping",
	"rules: [{}]":                      "s.yaml:1:9: a rule answers with one of verdict, text, drift or fault",
	"rules:\n- {fault: rates}":         `s.yaml:2:11: unknown word "rates" in fault`,
	"rules:\n- {fault: 7}":             "s.yaml:2:11: expected a word, found 7",
	"rules:\n- {text: a, verdict: {}}": "s.yaml:2:3: a rule answers in one way, and this one has text or verdict",
	"rules:\n- {text: a, fault: rate}": "s.yaml:2:3: a rule answers in one way",
	"rules:\n- {text: \"\"}":           "s.yaml:2:10: an empty text",
	"rules:\n- {verdict: allow}":       `s.yaml:2:13: expected a verdict as a mapping, found "allow"`,
	"rules:\n- {verdict: {a: }}":       "s.yaml:2:17: expected a value, found nothing",
	"rules:\n- {calls: []}":            "s.yaml:2:11: an empty list",
	"rules:\n- {calls: {name: a}}":     "s.yaml:2:11: expected a list of calls",
	"rules:\n- {calls: [{name: a}]}":   `s.yaml:2:12: a call needs "arguments"`,
	"rules:\n- {calls: [{name: a, arguments: 1}]}":               "s.yaml:2:33: expected arguments as a mapping or a text",
	"rules:\n- {calls: [{name: a, arguments: {}}], verdict: {}}": "s.yaml:2:3: a rule answers in one way, and this one has calls or verdict",
	"rules:\n- {text: a, when: {turn: 0}}":                       "s.yaml:2:26: expected a whole number",
	"usage: 1\nrules: [{text: a}]":                               "s.yaml:1:8: expected true or false, found 1",
	"rules:\n- {drift: {a: 1}}":                                  "s.yaml:2:11: expected a list of verdicts, one for each epoch",
	"rules:\n- {drift: []}":                                      "s.yaml:2:11: an empty list",
	"rules:\n- {text: a, retry_after: 1}":                        "s.yaml:2:3: retry_after stands beside a fault",
	"rules:\n- {fault: cut, retry_after: 1}":                     "s.yaml:2:3: retry_after stands beside a fault",
	"rules:\n- {fault: redirect, retry_after: 1}":                "s.yaml:2:3: retry_after stands beside a fault",
	"rules:\n- {fault: rate, retry_after: soon}":                 "s.yaml:2:30: expected seconds",
	"rules:\n- {text: a, latency_ms: 0}":                         "s.yaml:2:25: expected a whole number from 1 to 3600000",
	"rules:\n- {text: a, when: x}":                               "s.yaml:2:19: expected when as a mapping",
	"rules:\n- {text: a, when: {matches: x}}":                    `s.yaml:2:20: unknown word "matches" in when`,
	"rules:\n- {text: a, when: {match: \"(\"}}":                  "s.yaml:2:27: not a pattern",
	"rules:\n- {text: a, when: {digest: abc}}":                   `s.yaml:2:28: expected 64 digits 0-9a-f, found "abc"`,
	"rules:\n- {text: a, when: {dialect: cohere}}":               `s.yaml:2:29: unknown word "cohere" in dialect`,
	"rules:\n- {text: a, when: {try: 0}}":                        "s.yaml:2:25: expected a whole number",
	"rules:\n- {text: a, when: {epoch: 1.5}}":                    "s.yaml:2:27: expected a whole number",
	"server: other\nrules: [{text: a}]":                          `s.yaml:1:9: unknown word "other" in server`,
	"context: many\nrules: [{text: a}]":                          "s.yaml:1:10: expected a number of tokens",
	"json_schema: \"yes\"\nrules: [{text: a}]":                   `s.yaml:1:14: expected true or false, found "yes"`,
	"key: \"\"\nrules: [{text: a}]":                              "s.yaml:1:6: an empty text",
	"rules: [{text: a}]\nrules: [{text: b}]":                     `s.yaml:2:1: the key "rules" occurs twice`,
	"rules: [{text: a, text: b}]":                                `s.yaml:1:19: the key "text" occurs twice`,
	"rules: &r [{text: a}]":                                      "s.yaml:1:8: an anchor",
	"rules: [{text: a}]\n---\nrules: [{text: b}]":                "a second YAML document",
	"rules: [{text: yes}]":                                       "s.yaml:1:16: YAML versions read yes differently",
	"rules: [{verdict: {n: 1e999}}]":                             "s.yaml:1:23: YAML versions read 1e999 differently",
	"rules:\n- {fault: rate, model: 5, verdict: {a: [x]}}":       "s.yaml:2:24: expected a text, found 5",
}

// TestBadScripts: each is refused, with file, line, column and what is wrong.
func TestBadScripts(t *testing.T) {
	for text, want := range bad {
		s, err := fakellm.Parse("s.yaml", []byte(text))
		if err == nil || s != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n%v\nwant %s", text, err, want)
		}
	}
}

var place = regexp.MustCompile(`^s\.yaml:[1-9][0-9]*:[1-9][0-9]*: `)

// FuzzScript: a script is read, with a rule and for each rule an answer, or
// every line of its error has a place.
func FuzzScript(f *testing.F) {
	for text := range bad {
		f.Add(text)
	}
	f.Add("rules: [{calls: [{name: a, arguments: b}]}]")
	f.Add("server: ollama\ncontext: 8192\nkey: k\njson_schema: false\nrules:\n- when: {match: a, header: b, dialect: gemini, try: 1, epoch: 2}\n  drift: [{decision: allow}]\n- {fault: prose, verdict: {decision: block}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := fakellm.Parse("s.yaml", []byte(text))
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !place.MatchString(line) {
					t.Errorf("%q: %q has no place", text, line)
				}
			}
			return
		}
		if len(s.Rules) == 0 {
			t.Errorf("%q: no rules", text)
		}
		for _, r := range s.Rules {
			if r.Line == 0 || r.Text == "" && len(r.Drift) == 0 && len(r.Calls) == 0 {
				t.Errorf("%q: rule %+v", text, r)
			}
		}
	})
}

// FuzzRequest: whatever is sent as a question is answered with JSON, as what a
// script says or as a bad request.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{
		`{"model":"a","messages":[{"role":"user","content":"NONCE 7d0c9f61b2a84e53a1c06f9e2b7d4410\n"}],"response_format":{"type":"json_schema"}}`,
		`{"model":"a","messages":[{"content":"x"}],"tool_choice":{"function":{"name":"v"}}}`,
		`{"model":"a","input":"x","instructions":"y","store":false}`,
		`{"model":"a","max_tokens":1,"system":[{"type":"text","text":"x"}],"messages":[{"content":"x"}],"tool_choice":{"name":"v"}}`,
		`{"systemInstruction":{"parts":[{"text":"x"}]},"contents":[{"parts":[{"text":"x"}]}]}`,
		`{}`, `[]`, `{"model":1}`, `{"model":"a","model":"b"}`, ``, "\xff",
	} {
		f.Add(body)
	}
	script, err := fakellm.Parse("s", []byte(`rules: [{verdict: {decision: block}}]`))
	if err != nil {
		f.Fatal(err)
	}
	handler := script.Handler(io.Discard)
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1beta/models/m:generateContent"} {
			r, w := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)), httptest.NewRecorder()
			r.Header.Set("Anthropic-Version", "2023-06-01")
			handler.ServeHTTP(w, r)
			if w.Code != 200 && w.Code != 400 || !json.Valid(w.Body.Bytes()) || w.Code == 200 && !json.Valid([]byte(body)) {
				t.Errorf("%s %q: %d %s", path, body, w.Code, w.Body)
			}
		}
	})
}
