package llm

import (
	"fmt"
	"time"
)

// Code says why there is no answer. The codes are those of the judge's
// no-verdict table that can arise between asking a model and having its answer.
type Code string

// The codes, with what they mean here.
const (
	Timeout   Code = "nv_timeout"   // a try, or all of them, took too long; the caller gave up
	Transport Code = "nv_transport" // connection, TLS, name resolution, an answer that broke off
	Rate      Code = "nv_rate"      // 429, and asking later may help
	Server    Code = "nv_server"    // 409, 5xx, 529, an error in the place of an answer
	Quota     Code = "nv_quota"     // the quota or the money is spent
	Auth      Code = "nv_auth"      // 401, 403
	Request   Code = "nv_request"   // any other status than 200, redirects among them; a question that the dialect cannot put
	Malformed Code = "nv_malformed" // not the one JSON object, or not the envelope, that was asked for
	Refusal   Code = "nv_refusal"   // the model refused
	Filter    Code = "nv_filter"    // the provider's filter held back question or answer
	Length    Code = "nv_length"    // the answer hit the limit of output
	Overflow  Code = "nv_overflow"  // the question does not fit into the context, or was cut to fit
	Model     Code = "nv_model"     // the reported model is not the pinned one
	Budget    Code = "nv_budget"    // tries, tokens or money of this client are spent
	Internal  Code = "nv_internal"  // our own fault: the prompt holds the key, a replay misses
)

// retried lists the codes after which the same question is asked again, within
// the deadline. Length is not here: it is tried once with a larger limit.
var retried = map[Code]bool{Timeout: true, Transport: true, Rate: true, Server: true}

// Failure is why a question has no answer. It holds no text of the prompt, of
// the model or of the server but closed words, so that it can be logged.
type Failure struct {
	Code   Code
	Status int    // of HTTP; 0 where there was no answer
	Words  string // the server's own names for the error, "" if it gave none
	Detail string // what was wrong, in our words

	retryAfter time.Duration // what the server asks to wait; 0: it did not say
	cause      error
}

// Error returns the code and what is known beside it, on one line.
func (f *Failure) Error() string {
	s := string(f.Code)
	if f.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", f.Status)
	}
	for _, more := range []string{f.Words, f.Detail} {
		if more != "" {
			s += ": " + more
		}
	}
	return s
}

// Unwrap returns the error behind it, such as [ErrNotRecorded] or that of a network;
// nil if none.
func (f *Failure) Unwrap() error { return f.cause }

// asksForLater reports whether the server only wants to be asked at another time.
func (f *Failure) asksForLater() bool {
	return f.Code == Rate || retried[f.Code] && f.retryAfter > 0
}

func failf(code Code, format string, args ...any) *Failure {
	return &Failure{Code: code, Detail: fmt.Sprintf(format, args...)}
}
