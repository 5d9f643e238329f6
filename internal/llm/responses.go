package llm

import "net/http"

// responses is the Responses API of OpenAI. Nothing is stored on its side.
type responses struct{}

func (responses) path(string) string { return "responses" }

func (responses) authorize(h http.Header, secret string) { chat{}.authorize(h, secret) }

type textFormat struct {
	Type string `json:"type"`
	namedSchema
}

type responsesRequest struct {
	Model           string   `json:"model"`
	Instructions    string   `json:"instructions"`
	Input           string   `json:"input"`
	MaxOutputTokens int      `json:"max_output_tokens"`
	Temperature     *float64 `json:"temperature,omitzero"`
	Store           bool     `json:"store"`      // false, said aloud: the default is to store
	Truncation      string   `json:"truncation"` // a prompt that does not fit is an error, never cut
	Include         []string `json:"include,omitempty"`
	TopLogProbs     int      `json:"top_logprobs,omitzero"`
	Text            *struct {
		Format textFormat `json:"format"`
	} `json:"text,omitzero"`
}

func (responses) encode(c Config, q Question, _ bool) ([]byte, *Failure) {
	if len(q.Stop) > 0 {
		return nil, failf(Request, "this API has no texts that end an answer")
	}
	r := responsesRequest{
		Model: c.Model, Instructions: q.System, Input: q.User, MaxOutputTokens: q.MaxTokens,
		Temperature: q.Temperature, Truncation: "disabled", TopLogProbs: q.TopLogProbs,
	}
	if q.TopLogProbs > 0 {
		r.Include = []string{"message.output_text.logprobs"}
	}
	if q.Schema != nil {
		r.Text = &struct {
			Format textFormat `json:"format"`
		}{textFormat{"json_schema", namedSchema{q.Schema.Name, true, q.schema()}}}
	}
	return marshal(r)
}

type responsesReply struct {
	Model      string `json:"model"`
	Status     string `json:"status"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Error struct {
		Code string `json:"code"`
	} `json:"error"`
	Output []struct {
		Type    string `json:"type"`
		Content []struct {
			Type     string      `json:"type"`
			Text     string      `json:"text"`
			LogProbs []chatToken `json:"logprobs"`
		} `json:"content"`
	} `json:"output"`
	Usage struct {
		Input   int64 `json:"input_tokens"`
		Output  int64 `json:"output_tokens"`
		Details struct {
			Cached *int64 `json:"cached_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

func (responses) decode(reply []byte, _ Question) (Answer, *Failure) {
	var r responsesReply
	if f := envelope(reply, &r); f != nil {
		return Answer{}, f
	}
	u := r.Usage
	cached, untold := counted(u.Details.Cached)
	a := Answer{
		Model: r.Model, Finish: r.Status,
		Usage: Usage{Input: u.Input - cached, Cached: cached, Output: u.Output, CachedUntold: untold, WrittenUntold: true},
	}
	for _, item := range r.Output {
		for _, part := range item.Content {
			if part.Type == "refusal" {
				return a, failf(Refusal, "")
			}
		}
	}
	if f := r.unfinished(); f != nil {
		return a, f
	}
	for _, item := range r.Output {
		switch {
		case item.Type == "reasoning": // comes before the answer and is none
			continue
		case item.Type != "message" || len(item.Content) != 1 || item.Content[0].Type != "output_text" || a.Text != "":
			return a, failf(Malformed, "other output than one text")
		}
		a.Text, a.LogProbs = item.Content[0].Text, tokenProbs(item.Content[0].LogProbs)
	}
	return a, nil
}

// unfinished says why a response is not complete, nil if it is. A response can
// be cut and call itself completed, which the check of its text finds.
func (r responsesReply) unfinished() *Failure {
	switch {
	case r.Status == "completed":
		return nil
	case r.Status == "incomplete" && r.Incomplete.Reason == "max_output_tokens":
		return failf(Length, "")
	case r.Status == "incomplete" && r.Incomplete.Reason == "content_filter":
		return failf(Filter, "")
	case r.Status == "failed" && r.Error.Code == "rate_limit_exceeded":
		return failf(Rate, "")
	case r.Status == "failed":
		return &Failure{Code: Server, Words: finishWord(r.Error.Code)}
	}
	return failf(Malformed, "finished with %s", finishWord(r.Status))
}
