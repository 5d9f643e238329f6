package llm

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// gemini is the generateContent API of Google.
type gemini struct{}

func (gemini) path(model string) string {
	return "models/" + url.PathEscape(model) + ":generateContent"
}

func (gemini) authorize(h http.Header, secret string) {
	h.Set("X-Goog-Api-Key", secret)
}

type geminiContent struct {
	Role  string       `json:"role,omitzero"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text    string         `json:"text"`
	Thought bool           `json:"thought,omitzero"`
	Call    jsontext.Value `json:"functionCall,omitempty"`
}

type generationConfig struct {
	MaxOutputTokens  int            `json:"maxOutputTokens"`
	Temperature      *float64       `json:"temperature,omitzero"`
	StopSequences    []string       `json:"stopSequences,omitempty"`
	ResponseLogprobs bool           `json:"responseLogprobs,omitzero"`
	Logprobs         int            `json:"logprobs,omitzero"`
	MimeType         string         `json:"responseMimeType,omitzero"`
	Schema           jsontext.Value `json:"responseJsonSchema,omitempty"`
}

type geminiRequest struct {
	System           *geminiContent   `json:"systemInstruction,omitzero"`
	Contents         []geminiContent  `json:"contents"`
	GenerationConfig generationConfig `json:"generationConfig"`
}

func (gemini) encode(_ Config, q Question, _ bool) ([]byte, *Failure) {
	r := geminiRequest{
		Contents: []geminiContent{{Role: "user", Parts: []geminiPart{{Text: q.User}}}},
		GenerationConfig: generationConfig{
			MaxOutputTokens: q.MaxTokens, Temperature: q.Temperature, StopSequences: q.Stop,
			ResponseLogprobs: q.TopLogProbs > 0, Logprobs: q.TopLogProbs,
		},
	}
	if q.System != "" {
		r.System = &geminiContent{Parts: []geminiPart{{Text: q.System}}}
	}
	if q.Schema != nil {
		r.GenerationConfig.MimeType, r.GenerationConfig.Schema = "application/json", q.schema()
	}
	return marshal(r)
}

type geminiReply struct {
	ModelVersion   string `json:"modelVersion"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Candidates []struct {
		Content        geminiContent `json:"content"`
		FinishReason   string        `json:"finishReason"`
		LogprobsResult struct {
			Chosen []geminiToken `json:"chosenCandidates"`
			Top    []struct {
				Candidates []geminiToken `json:"candidates"`
			} `json:"topCandidates"`
		} `json:"logprobsResult"`
	} `json:"candidates"`
	Usage struct {
		Prompt   int64  `json:"promptTokenCount"`
		Cached   *int64 `json:"cachedContentTokenCount"`
		Answer   int64  `json:"candidatesTokenCount"`
		Thoughts int64  `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
}

type geminiToken struct {
	Token   string  `json:"token"`
	LogProb float64 `json:"logProbability"`
}

// filtered are the ends of an answer that the provider held back.
const filtered = " SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY "

// decode: a blocked prompt has no candidates. This API has no word for a model
// that refuses: it says so in text, which is not the object asked for.
func (gemini) decode(reply []byte, _ Question) (Answer, *Failure) {
	var r geminiReply
	if f := envelope(reply, &r); f != nil {
		return Answer{}, f
	}
	u := r.Usage
	cached, untold := counted(u.Cached)
	a := Answer{
		Model: r.ModelVersion,
		Usage: Usage{Input: u.Prompt - cached, Cached: cached, Output: u.Answer + u.Thoughts, CachedUntold: untold, WrittenUntold: true},
	}
	switch {
	case r.PromptFeedback.BlockReason != "":
		return a, failf(Filter, "the prompt was blocked: %s", word(r.PromptFeedback.BlockReason))
	case len(r.Candidates) == 0:
		return a, failf(Filter, "no candidates")
	case len(r.Candidates) > 1:
		return a, failf(Malformed, "%d candidates: expected one", len(r.Candidates))
	}
	candidate := r.Candidates[0]
	a.Finish = candidate.FinishReason
	switch {
	case a.Finish == "STOP":
	case a.Finish == "MAX_TOKENS":
		return a, failf(Length, "")
	case a.Finish != "" && strings.Contains(filtered, " "+a.Finish+" "):
		return a, failf(Filter, "%s", a.Finish)
	default:
		return a, failf(Malformed, "finished with %s", finishWord(a.Finish))
	}
	for _, p := range candidate.Content.Parts {
		if len(p.Call) > 0 {
			return a, failf(Malformed, "a function call that was not asked for")
		}
		if !p.Thought {
			a.Text += p.Text
		}
	}
	for i, t := range candidate.LogprobsResult.Chosen {
		prob := TokenProb{Token: t.Token, LogProb: t.LogProb}
		if top := candidate.LogprobsResult.Top; i < len(top) {
			for _, other := range top[i].Candidates {
				prob.Top = append(prob.Top, TokenProb{Token: other.Token, LogProb: other.LogProb})
			}
		}
		a.LogProbs = append(a.LogProbs, prob)
	}
	return a, nil
}
