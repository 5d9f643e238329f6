package fakellm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ask is a question, whatever dialect it came in.
type ask struct {
	dialect string
	model   string
	text    string // of all messages
	schema  bool   // wants response_format json_schema
	tool    string // must be called; "" if none
	header  string // X-Licet-Test
	epoch   int
	try     int
	turn    int // of a conversation, from 1

	nonce string // of the prompt, "NONCE" where it has none
	call  string // digest of the ACTION block, "" where there is none
}

// readAsk reads a request as the API does that its path names.
func readAsk(dialect string, r *http.Request, body []byte) (ask, error) {
	a := ask{dialect: dialect, header: r.Header.Get("X-Licet-Test"), nonce: "NONCE", try: 1, turn: 1}
	for name, to := range map[string]*int{"X-Licet-Epoch": &a.epoch, "X-Licet-Try": &a.try} {
		if text := r.Header.Get(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				return a, fmt.Errorf("the header %s is no number", name)
			}
			*to = n
		}
	}
	err := read[dialect](&a, body)
	if err == nil && dialect == "gemini" {
		a.model = strings.TrimSuffix(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], ":generateContent")
	}
	if err == nil && a.model == "" {
		err = errors.New("no model is named")
	}
	if dialect == "anthropic" && r.Header.Get("Anthropic-Version") == "" {
		err = errors.New("anthropic-version: header is required")
	}
	a.fromPrompt()
	return a, err
}

var (
	nonceLine   = regexp.MustCompile(`(?m)^NONCE ([0-9a-f]{32})$`)
	actionBlock = regexp.MustCompile(`(?s)\n<<ACTION [0-9a-f]{32}\n(.*?)\nACTION [0-9a-f]{32}>>`)
)

// fromPrompt finds the nonce and the judged call, where the text is a prompt of
// licet's judge.
func (a *ask) fromPrompt() {
	if m := nonceLine.FindStringSubmatch(a.text); m != nil {
		a.nonce = m[1]
	}
	if m := actionBlock.FindStringSubmatch(a.text); m != nil {
		sum := sha256.Sum256([]byte(m[1]))
		a.call = hex.EncodeToString(sum[:])
	}
}

// The readers by dialect. What a request must have is checked as far as a client
// could get it wrong and not notice.
var read = map[string]func(*ask, []byte) error{
	"openai":           readChat,
	"openai-responses": readResponses,
	"anthropic":        readAnthropic,
	"gemini":           readGemini,
}

func readChat(a *ask, body []byte) error {
	var r struct {
		Model    string `json:"model"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
			Calls   []struct {
				ID       string `json:"id"`
				Function struct {
					Name string `json:"name"`
				} `json:"function"`
			} `json:"tool_calls"`
			Result string `json:"tool_call_id"`
		} `json:"messages"`
		Format struct {
			Type string `json:"type"`
		} `json:"response_format"`
		Choice struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	if len(r.Messages) == 0 {
		return errors.New("no messages")
	}
	a.model, a.schema, a.tool = r.Model, r.Format.Type == "json_schema", r.Choice.Function.Name
	var list []message
	for _, m := range r.Messages {
		one := message{role: m.Role, text: m.Content}
		for _, c := range m.Calls {
			one.calls = append(one.calls, repeated{c.ID, c.Function.Name})
		}
		if m.Role == "tool" {
			one.results = []string{m.Result}
		}
		list = append(list, one)
	}
	return a.hear(list)
}

func readResponses(a *ask, body []byte) error {
	var r struct {
		Model        string `json:"model"`
		Instructions string `json:"instructions"`
		Input        string `json:"input"`
		Store        *bool  `json:"store"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	if r.Store == nil || *r.Store {
		return errors.New("store is not false: this prompt would have been kept")
	}
	a.model, a.text = r.Model, r.Instructions+"\n"+r.Input
	return nil
}

func readAnthropic(a *ask, body []byte) error {
	var r struct {
		Model     string         `json:"model"`
		MaxTokens int            `json:"max_tokens"`
		System    jsontext.Value `json:"system"`
		Messages  []struct {
			Role    string         `json:"role"`
			Content jsontext.Value `json:"content"`
		} `json:"messages"`
		Choice struct {
			Name string `json:"name"`
		} `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	if r.MaxTokens <= 0 || len(r.Messages) == 0 {
		return errors.New("max_tokens and messages are required")
	}
	system, err := blocks(r.System)
	if err != nil {
		return err
	}
	a.model, a.tool, a.text = r.Model, r.Choice.Name, system.text+"\n"
	var list []message
	for _, m := range r.Messages {
		one, err := blocks(m.Content)
		if err != nil {
			return err
		}
		one.role = m.Role
		list = append(list, one)
	}
	return a.hear(list)
}

// blocks reads content: a text, or blocks.
func blocks(content jsontext.Value) (m message, err error) {
	if content == nil || json.Unmarshal(content, &m.text) == nil {
		return m, nil
	}
	var list []struct {
		Type   string         `json:"type"`
		Text   string         `json:"text"`
		ID     string         `json:"id"`
		Name   string         `json:"name"`
		Input  jsontext.Value `json:"input"`
		Result string         `json:"tool_use_id"`
		Told   string         `json:"content"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return m, err
	}
	var texts []string
	for _, b := range list {
		switch {
		case b.Type == "text" && b.Text != "":
			texts = append(texts, b.Text)
		case b.Type == "tool_use" && b.Input.Kind() == '{':
			m.calls = append(m.calls, repeated{b.ID, b.Name})
		case b.Type == "tool_result":
			m.results, texts = append(m.results, b.Result), append(texts, b.Told)
		default:
			return m, fmt.Errorf("a block of the type %q that is not whole", b.Type)
		}
	}
	m.text = strings.Join(texts, "\n")
	return m, nil
}

func readGemini(a *ask, body []byte) error {
	type content struct {
		Parts []struct {
			Text string `json:"text"`
		} `json:"parts"`
	}
	var r struct {
		System   content   `json:"systemInstruction"`
		Contents []content `json:"contents"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	if len(r.Contents) == 0 {
		return errors.New("contents is required")
	}
	for _, c := range append([]content{r.System}, r.Contents...) {
		for _, p := range c.Parts {
			a.text += p.Text + "\n"
		}
	}
	return nil
}
