package llm

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Report is what a probe found out about a server.
type Report struct {
	Provider    Provider `json:"provider"`
	Endpoint    string   `json:"endpoint"`
	Scripted    bool     `json:"scripted"` // by the lab's scripted server: says nothing about any model
	Model       string   `json:"model"`
	Reports     string   `json:"reports"`       // what the server calls the model that answered
	Form        Form     `json:"form,omitzero"` // the surest form that was answered rightly; "" where there is one only
	Temperature bool     `json:"temperature"`
	LogProbs    bool     `json:"log_probabilities"`
	Usage       bool     `json:"usage"` // does it count tokens
	Fingerprint string   `json:"fingerprint,omitzero"`
	Context     int      `json:"context"` // tokens; 0: not found out
	ContextFrom string   `json:"context_from"`
	CutsPrompts bool     `json:"cuts_prompts"` // silently, where they are too long
	Tries       int      `json:"tries"`
	Code        Code     `json:"code"`  // of the failure; "" where the probe found all
	Error       string   `json:"error"` // the same with its reason
}

// probeSchema is a small object in the strict mode of OpenAI.
var probeSchema = &Schema{Name: "probe", JSON: []byte(
	`{"type":"object","properties":{"answer":{"type":"string","enum":["yes"]}},"required":["answer"],"additionalProperties":false}`)}

// Probe asks a server short questions until it has a whole answer, in the surest
// form and with temperature 0 first, and then how long a prompt may be. The name
// of the model that answers is reported and not held against Config.Reports, and
// Config.Limit does not count: a probe makes no more than a few requests.
func Probe(ctx context.Context, c Config, s System) (Report, error) {
	client, err := New(c, s)
	if err != nil {
		return Report{}, err
	}
	r := Report{Provider: c.Provider, Endpoint: c.Endpoint, Model: c.Model}
	forms := []Form{BySchema}
	if c.Provider == OpenAI {
		forms = []Form{BySchema, ByTool, ByPrompt}
	}
	for _, form := range forms {
		if client.probe(ctx, form, &r) {
			break
		}
	}
	if c.Provider != OpenAI {
		r.Form = ""
	}
	if r.Code == "" {
		r.Context, r.CutsPrompts, r.ContextFrom = client.context(ctx)
	}
	return r, nil
}

// variant is what may be asked for beside a form.
type variant struct{ temperature, logProbs bool }

// probe asks in one form, without what the server refuses, and says whether
// there is nothing more to find out: it answered, or fails in any form. A server
// that answers otherwise than it was told does not know the form.
func (c *Client) probe(ctx context.Context, form Form, r *Report) (done bool) {
	variants := []variant{{true, true}, {true, false}, {false, false}}
	if c.config.Provider == Anthropic { // has no log-probabilities to ask for
		variants = variants[1:]
	}
	for _, v := range variants {
		a, f := c.variant(ctx, form, v)
		r.Tries += a.Tries
		r.Scripted = r.Scripted || a.Scripted
		if f == nil {
			r.Code, r.Error = "", ""
			r.Form, r.Temperature, r.LogProbs = form, v.temperature, len(a.LogProbs) > 0
			r.Reports, r.Fingerprint, r.Usage = a.Model, a.Fingerprint, !a.Usage.Estimated
			return true
		}
		r.Code, r.Error = f.Code, f.Error()
		switch f.Code {
		case Malformed:
			return false
		case Request, Server: // an old llama.cpp answers 500 to tools
		default:
			return true
		}
	}
	return false
}

// probeAnswer is the one object that fits probeSchema.
const probeAnswer = `{"answer":"yes"}`

// variant asks the probe's question. Whichever model answers is the right one.
// Where the server is to see to the form, the prompt does not ask for it: one
// that leaves out what it does not know would otherwise pass for one that does.
func (c *Client) variant(ctx context.Context, form Form, v variant) (Answer, *Failure) {
	q := Question{
		System: "You test a connection.", User: "Say hello.", MaxTokens: 1024, Schema: probeSchema,
	}
	if form == ByPrompt {
		q.User = "Answer with the JSON object " + probeAnswer + " and nothing else."
	}
	if v.temperature {
		q.Temperature = new(float64)
	}
	if v.logProbs {
		q.TopLogProbs = 2
	}
	client := &Client{config: c.config, system: c.system, endpoint: c.endpoint, dialect: c.dialect, send: c.send}
	client.config.Form, client.config.Reports = form, ""
	client.meter.limit = Limit{Tries: int64(c.config.Tries), Tokens: 1 << 20}
	a, err := client.Ask(ctx, q)
	var f *Failure
	if got, bad := toolcall.Parse([]byte(a.Text), toolcall.Bounds{}); err == nil && (bad != nil || got.Canonical() != probeAnswer) {
		return a, failf(Malformed, "the answer does not fit the schema")
	}
	errors.As(err, &f)
	return a, f
}

// source is a page on which a kind of server says how long a prompt may be.
type source struct {
	name   string // of the server
	method string
	path   string // "/" first: from the root of the host, beside the versioned API
	body   string
	cuts   bool
	read   func(page []byte, model string) int // 0: it does not say
}

var sources = map[Provider][]source{
	OpenAI: {
		{"ollama, the loaded model", http.MethodGet, "/api/ps", "", true, ollamaLoaded},
		{"ollama, num_ctx of the model", http.MethodPost, "/api/show", "model", true, ollamaShown},
		{"llama.cpp", http.MethodGet, "/props", "", false, llamaProps},
		{"vllm", http.MethodGet, "models", "", false, vllmModels},
	},
	Gemini: {{"gemini", http.MethodGet, "models/{model}", "", false, geminiModel}},
}

// context returns how many tokens a prompt and its answer may have, whether
// what is longer is cut silently, and who said so.
func (c *Client) context(ctx context.Context) (tokens int, cuts bool, from string) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Deadline)
	defer cancel()
	for _, s := range sources[c.config.Provider] {
		page, ok := c.page(ctx, s)
		if !ok {
			continue
		}
		cuts = cuts || s.cuts // a page of Ollama's is there: it is Ollama, whatever the page says
		if n := s.read(page, c.config.Model); n > 0 {
			return n, cuts, s.name
		}
	}
	return 0, cuts, ""
}

// page fetches a source; ok is false where there is no such page.
func (c *Client) page(ctx context.Context, s source) (page []byte, ok bool) {
	u := c.endpoint.JoinPath(strings.ReplaceAll(s.path, "{model}", url.PathEscape(c.config.Model)))
	if strings.HasPrefix(s.path, "/") {
		u.Path, u.RawPath = s.path, ""
	}
	body := ""
	if s.body != "" {
		text, err := json.Marshal(map[string]string{s.body: c.config.Model})
		if err != nil {
			return nil, false
		}
		body = string(text)
	}
	req, err := http.NewRequestWithContext(ctx, s.method, u.String(), strings.NewReader(body))
	if err != nil {
		return nil, false
	}
	status, _, page, f := c.do(req)
	return page, f == nil && status == http.StatusOK
}

// ollamaLoaded reads the context with which a model was loaded, which is the one
// that holds, whatever the model could do.
func ollamaLoaded(page []byte, model string) int {
	var r struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if json.Unmarshal(page, &r) != nil {
		return 0
	}
	for _, m := range r.Models {
		if m.Name == model || m.Name == model+":latest" {
			return m.Context
		}
	}
	return 0
}

var numCtx = regexp.MustCompile(`(?m)^num_ctx\s+([0-9]{1,9})\s*$`)

// ollamaShown reads num_ctx of the model's file. What the model was trained with
// stands there too, and is not what the server gives it.
func ollamaShown(page []byte, _ string) int {
	var r struct {
		Parameters string `json:"parameters"`
	}
	if json.Unmarshal(page, &r) != nil {
		return 0
	}
	m := numCtx.FindStringSubmatch(r.Parameters)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // nine digits always fit
	return n
}

func llamaProps(page []byte, _ string) int {
	var r struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if json.Unmarshal(page, &r) != nil {
		return 0
	}
	return r.Settings.Context
}

func vllmModels(page []byte, model string) int {
	var r struct {
		Data []struct {
			ID  string `json:"id"`
			Max int    `json:"max_model_len"`
		} `json:"data"`
	}
	if json.Unmarshal(page, &r) != nil {
		return 0
	}
	for _, m := range r.Data {
		if m.ID == model {
			return m.Max
		}
	}
	return 0
}

func geminiModel(page []byte, _ string) int {
	var r struct {
		Limit jsontext.Value `json:"inputTokenLimit"`
	}
	if json.Unmarshal(page, &r) != nil {
		return 0
	}
	n, err := strconv.Atoi(string(r.Limit))
	if err != nil {
		return 0
	}
	return n
}
