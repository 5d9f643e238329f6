package llm

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/toolcall"
)

// dialect is what differs between providers: where to send, how to put the
// question, and how to read the envelope of an answer with status 200.
type dialect interface {
	path(model string) string
	authorize(h http.Header, secret string)
	encode(c Config, q Question, local bool) ([]byte, *Failure)
	decode(reply []byte, q Question) (Answer, *Failure)
}

// marshal returns the body of a request, the same bytes for the same question.
func marshal(body any) ([]byte, *Failure) {
	text, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return nil, failf(Internal, "writing the question: %v", err)
	}
	return text, nil
}

// envelope reads an answer strictly: duplicate members anywhere, invalid UTF-8
// and members of another type are refused, members that are new are not.
func envelope(reply []byte, to any, options ...json.Options) *Failure {
	if err := json.Unmarshal(reply, to, options...); err != nil {
		return failf(Malformed, "the envelope is not what this API answers")
	}
	return nil
}

// oneObject accepts exactly one JSON object, and white space round it.
func oneObject(text string) *Failure {
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil || v.Kind() != toolcall.Object {
		return failf(Malformed, "the answer is not one JSON object and nothing else")
	}
	return nil
}

func (q Question) schema() jsontext.Value { return jsontext.Value(q.Schema.JSON) }

// wordForm is how APIs name errors and models. Only words of this form get from
// an answer into an error: free text may repeat the prompt.
var wordForm = regexp.MustCompile(`^[A-Za-z0-9_.:/@-]{1,100}$`)

// word returns text if it is one word, else what stands for it.
func word(text string) string {
	if wordForm.MatchString(text) {
		return text
	}
	return "(not a word)"
}

// finishWord is word for the reason why an answer ended, with a word for none.
func finishWord(text string) string {
	if text == "" {
		return "(none)"
	}
	return word(text)
}

// apiError is the error of all dialects: OpenAI {message,type,code,param},
// Azure a number as status beside, Anthropic {type,message}, Gemini
// {code,status,message,details}, llama.cpp {code,type,message}. What one gives as
// a text is a number for another, so that those are looked at one by one.
type apiError struct {
	Message string         `json:"message"`
	Type    string         `json:"type"`
	Status  jsontext.Value `json:"status"`
	Code    jsontext.Value `json:"code"`
	Param   jsontext.Value `json:"param"`
	Details jsontext.Value `json:"details"`
}

// errorDetail has the members of google.rpc.RetryInfo and QuotaFailure.
type errorDetail struct {
	RetryDelay string `json:"retryDelay"`
	Violations []struct {
		QuotaID string `json:"quotaId"`
	} `json:"violations"`
}

// details returns those that are of Google's form.
func (e apiError) details() []errorDetail {
	var list []errorDetail
	if json.Unmarshal(e.Details, &list) != nil {
		return nil
	}
	return list
}

// names returns what an error calls itself.
func (e apiError) names() []string {
	list := []string{e.Type}
	for _, v := range []jsontext.Value{e.Status, e.Code, e.Param} {
		var text string
		if json.Unmarshal(v, &text) == nil {
			list = append(list, text)
		}
	}
	return slices.Compact(slices.DeleteFunc(list, func(s string) bool { return !wordForm.MatchString(s) }))
}

// is says whether the error has one of the names.
func (e apiError) is(names ...string) bool {
	return slices.ContainsFunc(e.names(), func(n string) bool { return slices.Contains(names, n) })
}

// daily says whether a quota of the day is spent, at Gemini: no second of
// waiting mends that.
func (e apiError) daily() bool {
	for _, d := range e.details() {
		for _, v := range d.Violations {
			if strings.Contains(v.QuotaID, "PerDay") {
				return true
			}
		}
	}
	return false
}

// readError reads the error in an answer; found says whether there is one in its
// place. Else it may be what vLLM answered before 2025, without a place for it.
func readError(reply []byte) (e apiError, found bool) {
	var outer struct {
		Error   jsontext.Value `json:"error"`
		Message string         `json:"message"`
		Type    string         `json:"type"`
	}
	if json.Unmarshal(reply, &outer) != nil {
		return apiError{}, false
	}
	if outer.Error.Kind() == '{' && json.Unmarshal(outer.Error, &e) == nil {
		return e, true
	}
	return apiError{Message: outer.Message, Type: outer.Type}, false
}

// overflowNames are those of OpenAI and llama.cpp for a question that does not fit.
var overflowNames = []string{"context_length_exceeded", "exceed_context_size_error"}

// tooLong finds what other servers say then.
var tooLong = regexp.MustCompile(`(?i)prompt is too long|exceed context limit|maximum context length|` +
	`available context size|exceeds the maximum number of tokens|context window|context length exceeded`)

// failureOf says what an answer with another status than 200 means.
func failureOf(status int, h http.Header, reply []byte, now time.Time) *Failure {
	e, _ := readError(reply)
	f := &Failure{Code: Request, Status: status, Words: strings.Join(e.names(), " ")}
	switch {
	case status >= 300 && status < 400:
		f.Detail = "a redirect, which is not followed"
	case status == 401, status == 403:
		f.Code = Auth
	case status == 402, e.is("insufficient_quota", "billing_error"), strings.Contains(e.Message, "credit balance is too low"):
		f.Code = Quota
	case status == 408:
		f.Code = Timeout
	case status == 429:
		f.Code = Rate
		if e.daily() {
			f.Code = Quota
		}
	case status == 409, status >= 500:
		f.Code = Server
	case e.is(overflowNames...), tooLong.MatchString(e.Message):
		f.Code = Overflow
	case e.is("content_filter", "content_policy_violation"):
		f.Code = Filter
	}
	f.retryAfter = retryAfter(h, e, now)
	return f
}

// retryAfter reads how long a server asks to wait: retry-after-ms of some,
// Retry-After in seconds or as a date (RFC 9110, section 10.2.3), Gemini's
// RetryInfo. What can't be read is nothing; no wait is negative, or so long that
// it could not be added to a time.
func retryAfter(h http.Header, e apiError, now time.Time) time.Duration {
	var d time.Duration
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		d = seconds(ms / 1000)
	} else if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil {
		d = seconds(s)
	} else if t, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		d = t.Sub(now)
	} else {
		for _, detail := range e.details() {
			if delay, err := time.ParseDuration(detail.RetryDelay); err == nil {
				d = delay
			}
		}
	}
	return min(max(d, 0), 24*time.Hour)
}

// seconds returns a duration, a day at the most.
func seconds(s float64) time.Duration {
	if !(s > 0) { // also what is no number
		return 0
	}
	return time.Duration(min(s, 86400) * float64(time.Second))
}
