package llm

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// wellFormed is a judge of its own of what text is exactly one JSON object: the
// standard library's scanner, which knows nothing of ours but takes duplicates.
func wellFormed(text string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &object) == nil && object != nil
}

// FuzzDecode: whatever a server answers with status 200, there is text only if
// it is one JSON object and the pinned model is named; otherwise a known code.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","choices":[{"message":{"content":"{\"a\":1}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}}`,
		`{"model":"m","choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}`,
		`{"model":"m","choices":[{"message":{"tool_calls":[{"function":{"name":"v","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		`{"model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"{}"}]}]}`,
		`{"model":"m","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`,
		`{"type":"message","model":"m","content":[{"type":"tool_use","name":"v","input":{"a":1}}],"stop_reason":"tool_use"}`,
		`{"type":"message","model":"m","content":[],"stop_reason":"refusal"}`,
		`{"modelVersion":"m","candidates":[{"content":{"parts":[{"text":"{}"}]},"finishReason":"STOP"}]}`,
		`{"promptFeedback":{"blockReason":"SAFETY"}}`,
		`{"model":"m","choices":[{"message":{"content":"so","tool_calls":[{"id":"c","function":{"name":"v","arguments":"{"}}]},"finish_reason":"length"}]}`,
		`{"type":"message","model":"m","content":[{"type":"text","text":"so"},{"type":"tool_use","name":"v","input":{}}],"stop_reason":"tool_use"}`,
		`{"error":{"message":"x"}}`, `{}`, `[]`, `null`, ``, `{"model":"m","model":"n"}`, "\xff",
		"{\"model\":\"m\",\"choices\":[{\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"\xff\"}],\"tool_calls\":[{\"function\":{\"name\":\"\\ud83d\",\"arguments\":{\"a\":\"\xff\"}}}]},\"finish_reason\":null}]}",
		"{\"model\":\"m\",\"content\":[{\"type\":\"tool_use\",\"name\":\"v\",\"input\":{\"a\":1,\"a\":\"\xff\"}}],\"stop_reason\":\"tired\"}",
	} {
		f.Add([]byte(seed))
	}
	codes := " nv_malformed nv_refusal nv_filter nv_length nv_overflow nv_model nv_server nv_rate "
	q := Question{MaxTokens: 9, Schema: &Schema{Name: "v", JSON: []byte(`{}`)}}
	talk := Question{MaxTokens: 9, Talk: &Talk{}}
	f.Fuzz(func(t *testing.T, reply []byte) {
		for _, p := range []Provider{OpenAI, Anthropic} {
			c := Client{config: Config{Provider: p, Model: "m", Reports: "m"}, dialect: dialects[p]}
			a, failure := c.read(reply, talk)
			switch {
			case failure == nil && (a.Model != "m" || !jsontext.Value(reply).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) || !isText(a)):
				t.Errorf("%s: %q is the turn %+v", p, reply, a)
			case failure != nil && !strings.Contains(codes, " "+string(failure.Code)+" "):
				t.Errorf("%s: %q gives %v", p, reply, failure)
			}
		}
		for _, p := range Providers() {
			c := Client{config: Config{Provider: p, Model: "m", Reports: "m"}, dialect: dialects[p]}
			a, failure := c.read(reply, q)
			switch {
			case failure == nil && (!wellFormed(a.Text) || a.Model != "m" || !json.Valid(reply)):
				t.Errorf("%s: %q gives %q by %q", p, reply, a.Text, a.Model)
			case failure != nil && !strings.Contains(codes, " "+string(failure.Code)+" "):
				t.Errorf("%s: %q gives %v", p, reply, failure)
			}
		}
	})
}

// isText says whether all that was said is Unicode text, so that it can be recorded.
func isText(a Answer) bool {
	ok := utf8.ValidString(a.Text) && utf8.ValidString(a.Finish)
	for _, c := range a.Calls {
		ok = ok && utf8.ValidString(c.Name) && utf8.ValidString(c.Arguments)
	}
	return ok
}

// FuzzFailure: an answer with another status always has a code, never waits
// below zero or over a day, and its words are words.
func FuzzFailure(f *testing.F) {
	for _, seed := range []struct {
		status int
		after  string
		body   string
	}{
		{429, "3", `{"error":{"code":"insufficient_quota","type":"x","param":null}}`},
		{429, "-1", `{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"-9999999999s"},{"violations":[{"quotaId":"PerDay"}]}]}}`},
		{400, "1e400", `{"error":{"message":"prompt is too long"}}`},
		{503, "Fri, 31 Dec 9999 23:59:59 GMT", `{"error":"no"}`},
		{307, "NaN", `<html>`},
		{529, "", `{"object":"error","message":"maximum context length","type":"BadRequestError","code":400}`},
	} {
		f.Add(seed.status, seed.after, []byte(seed.body))
	}
	f.Fuzz(func(t *testing.T, status int, after string, body []byte) {
		failure := failureOf(status, http.Header{"Retry-After": {after}}, body, time.Unix(0, 0))
		if failure.Code == "" || failure.retryAfter < 0 || failure.retryAfter > 24*time.Hour {
			t.Errorf("%d %q %q: %+v", status, after, body, failure)
		}
		for word := range strings.FieldsSeq(failure.Words) {
			if !wordForm.MatchString(word) {
				t.Errorf("%q: word %q", body, word)
			}
		}
	})
}

// FuzzTape: reading a tape never panics, and what is read has an answer or a
// loss for each request.
func FuzzTape(f *testing.F) {
	f.Add([]byte(`{"method":"POST","path":"/v1/chat/completions","epoch":1,"round":0,"try":1,"body":"{}","status":200,"header":{"Retry-After":["1"]},"reply":"{}"}` + "\n"))
	f.Add([]byte(`{"method":"POST","path":"/","epoch":0,"round":0,"try":1,"body":"","loss":"nv_timeout"}`))
	f.Add([]byte("{}\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		tape, err := ReplayTape(text)
		if err != nil {
			return
		}
		req, err := http.NewRequest(http.MethodGet, "http://127.0.0.1", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range tape.entries {
			if resp, err := e.response(req, "n"); (err == nil) == (e.Loss != "") || err == nil && resp.StatusCode == 0 {
				t.Errorf("%+v: %v", e, err)
			}
		}
	})
}
