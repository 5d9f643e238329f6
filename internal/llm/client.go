package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Client asks one model at one endpoint. It may be used by several goroutines.
type Client struct {
	config   Config
	system   System
	endpoint *url.URL
	dialect  dialect
	send     http.RoundTripper
	meter    meter
	pause    pause
}

// New returns a client, or says what is wrong with its configuration. It asks
// nothing of the server.
func New(c Config, s System) (*Client, error) {
	if s.Now == nil || s.Wait == nil || s.Chance == nil {
		return nil, errors.New("a client wants a clock, a way to wait, and randomness")
	}
	endpoint, err := c.check()
	if err != nil {
		return nil, err
	}
	if endpoint.Scheme == "https" && c.Key == (Key{}) && !c.Tape.Replays() {
		return nil, errors.New("an https endpoint wants a key")
	}
	var send http.RoundTripper = newWire(endpoint, c.Key)
	if c.Tape != nil {
		send = c.Tape.around(send)
	}
	return &Client{
		config: c, system: s, endpoint: endpoint, dialect: dialects[c.Provider], send: send,
		meter: meter{limit: c.Limit, price: c.Price},
	}, nil
}

// Ask puts a question. The error is a [*Failure]; then the Answer has no text,
// and tells what the tries came to. The context's own deadline counts as well.
//
// Where the configuration has patience, a server that asks for later (429, or any
// Retry-After) holds back all questions of the client until then, and none of
// them fails for it: what is measured is the model, not the server's limits.
func (c *Client) Ask(ctx context.Context, q Question) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Deadline+c.config.Patience)
	defer cancel()
	until := c.system.Now().Add(c.config.Deadline)
	if d, ok := ctx.Deadline(); ok && d.Before(until) {
		until = d
	}
	a, f := c.ask(ctx, q, until)
	a.Cost = c.config.Price.of(a.Usage)
	if f != nil {
		a.Text, a.LogProbs, a.Calls = "", nil, nil
		return a, f
	}
	return a, nil
}

// ask tries until there is an answer, a failure that trying again does not
// mend, or no time: a wait that would go past the deadline is not begun. Where
// the client is patient, a try that was told to come later does not count, nor
// does the pause that follows.
func (c *Client) ask(ctx context.Context, q Question, until time.Time) (Answer, *Failure) {
	var sum Answer
	longer, late, patience := false, 0, c.config.Patience
	for {
		if f := c.refuse(q); f != nil {
			return sum, f
		}
		waited, err := c.pause.wait(ctx, c.system)
		if err != nil {
			return sum, lost(ctx, err)
		}
		until, patience = until.Add(waited), patience-waited
		if f := c.meter.take(); f != nil {
			return sum, f
		}
		begun := c.system.Now()
		a, f := c.try(ctx, q, sum.Tries+1)
		c.meter.add(a.Usage)
		a.Took = c.system.Now().Sub(begun)
		a.Tries, a.Usage, a.Scripted = sum.Tries+1, sum.Usage.plus(a.Usage), a.Scripted || sum.Scripted
		sum = a
		if f == nil {
			return sum, nil
		}
		wait := c.backoff(sum.Tries, f.retryAfter)
		switch {
		case f.asksForLater() && wait <= patience:
			late++
			c.pause.begin(c.system.Now().Add(wait))
			continue
		case sum.Tries-late >= c.config.Tries:
			return sum, f
		case f.Code == Length && !longer:
			longer = true
			q.MaxTokens *= 2
			continue
		case !retried[f.Code]:
			return sum, f
		}
		if c.system.Now().Add(wait).After(until) || c.system.Wait(ctx, wait) != nil {
			return sum, f
		}
	}
}

// backoff is half a second, doubled with each try, of which up to half is left
// to chance so that clients do not come back together; never less than what the
// server asked for.
func (c *Client) backoff(tries int, after time.Duration) time.Duration {
	d := 500 * time.Millisecond << min(tries-1, 5)
	d -= time.Duration(c.system.Chance() * float64(d/2))
	return max(d, after)
}

// overhead is more tokens than any chat template puts round two messages.
const overhead = 256

// refuse looks at a question before anything is sent.
func (c *Client) refuse(q Question) *Failure {
	texts := q.texts()
	if slices.ContainsFunc(texts, c.config.Key.in) {
		return failf(Internal, "the prompt holds the key")
	}
	if q.MaxTokens <= 0 {
		return failf(Internal, "the question has no limit of output")
	}
	if q.Talk != nil {
		if f := q.Talk.check(c.config.Provider); f != nil {
			return f
		}
	}
	length := 0
	for _, t := range texts {
		length += len(t)
	}
	// A token stands for at least one byte, so this bound holds without knowing
	// the tokenizer, also for text that was made to have many tokens.
	if most := length + q.MaxTokens + overhead; c.config.Context > 0 && most > c.config.Context {
		return failf(Overflow, "up to %d tokens, and the server cuts silently at %d", most, c.config.Context)
	}
	return nil
}

// try makes one request. Its Answer has the usage also of a failure.
func (c *Client) try(all context.Context, q Question, number int) (Answer, *Failure) {
	body, f := c.dialect.encode(c.config, q, c.endpoint.Scheme == "http")
	if f != nil {
		return Answer{}, f
	}
	ctx, cancel := context.WithTimeout(all, c.config.TryTime)
	defer cancel()
	ctx = withRun(ctx, run{q.Epoch, q.Round, number, q.Nonce})
	status, header, reply, f := c.post(ctx, c.dialect.path(c.config.Model), body)
	if f != nil {
		if ctx.Err() != nil && f.Code == Timeout {
			f.Detail = c.late(all)
		}
		if f.Code == Timeout || f.Code == Transport { // the server may have worked all the same
			return Answer{Usage: most(q, len(body))}, f
		}
		return Answer{}, f
	}
	var a Answer
	if status == http.StatusOK {
		a, f = c.read(reply, q)
	} else {
		f = failureOf(status, header, reply, c.system.Now())
		if q.Talk != nil && f.outgrew(reply) {
			f.Code = Overflow
		}
	}
	a.Scripted = header.Get(headerScripted) != ""
	if status == http.StatusOK && !a.Usage.plausible() {
		a.Usage = most(q, len(body))
	}
	return a, f
}

// late says which time was over, and what changes it. all is the context of all
// tries.
func (c *Client) late(all context.Context) string {
	switch err := all.Err(); {
	case errors.Is(err, context.Canceled):
		return "the caller did not wait for the answer"
	case err != nil:
		return fmt.Sprintf("no answer within the %v that all tries together may take: give the model a longer deadline, or name a faster one", c.config.Deadline)
	}
	return fmt.Sprintf("no answer within the %v that one try may take: give the model a longer try, or name a faster one", c.config.TryTime)
}

// most is the usage of a try that reported none.
func most(q Question, bytes int) Usage {
	return Usage{Input: int64(bytes), Output: int64(q.MaxTokens), Estimated: true}
}

// read takes the answer out of an envelope, and checks what is the same for all
// dialects.
func (c *Client) read(reply []byte, q Question) (Answer, *Failure) {
	a, f := c.dialect.decode(reply, q)
	e, failed := readError(reply)
	switch {
	case a.Model == "" && failed:
		f = &Failure{Code: Server, Words: strings.Join(e.names(), " "), Detail: "an error in the place of an answer"}
	case a.Model != "" && c.config.Reports != "" && a.Model != c.config.Reports: // "": a probe finds it out
		f = failf(Model, "%s answered, pinned is %s", word(a.Model), c.config.Reports)
	case f != nil:
	case a.Model == "":
		f = failf(Model, "the answer names no model")
	case c.config.Context > 0 && a.Usage.Input+a.Usage.Cached >= int64(c.config.Context):
		f = failf(Overflow, "the prompt filled the context of %d tokens: it was probably cut", c.config.Context)
	case q.Schema != nil:
		f = oneObject(a.Text)
	case a.Text == "" && q.Talk == nil:
		f = failf(Malformed, "an empty answer")
	}
	return a, f
}

// post sends a body and returns the whole answer.
func (c *Client) post(ctx context.Context, path string, body []byte) (int, http.Header, []byte, *Failure) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, failf(Internal, "%v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	return c.do(req)
}

func (c *Client) do(req *http.Request) (int, http.Header, []byte, *Failure) {
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "licet")
	if c.config.Provider == Anthropic {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	if c.config.Key != (Key{}) {
		c.dialect.authorize(req.Header, c.config.Key.secret.text)
	}
	if c.endpoint.Scheme == "http" {
		r := runOf(req.Context())
		req.Header.Set(headerEpoch, strconv.Itoa(r.Epoch))
		req.Header.Set(headerRound, strconv.Itoa(r.Round))
		req.Header.Set(headerTry, strconv.Itoa(r.Try))
		if c.config.TestHeader != "" {
			req.Header.Set(headerTest, c.config.TestHeader)
		}
	}
	resp, err := c.send.RoundTrip(req)
	if err != nil {
		return 0, nil, nil, lost(req.Context(), err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body) // in memory: wire and tape have read it
	if err != nil {
		return 0, nil, nil, lost(req.Context(), err)
	}
	return resp.StatusCode, resp.Header, reply, nil
}

// lost makes a failure of a request without an answer.
func lost(ctx context.Context, err error) *Failure {
	f := failf(lossOf(ctx, err), "%v", err)
	if f.Code == Internal || ctx.Err() == nil { // that the caller gave up is for its context to say
		f.cause = err
	}
	return f
}

// lossOf says what kind of fault kept an answer from coming.
func lossOf(ctx context.Context, err error) Code {
	var timeout interface{ Timeout() bool }
	var replayed *replayedLoss
	switch {
	case errors.As(err, &replayed):
		return replayed.code
	case errors.As(err, new(*tapeError)):
		return Internal
	case errors.Is(err, errTooLong):
		return Malformed
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return Timeout
	}
	return Transport
}
