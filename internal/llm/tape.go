package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/toolcall"
)

// ErrNotRecorded is behind the failure of a question that a replayed tape does
// not have. Whoever replays a whole run should stop at it.
var ErrNotRecorded = errors.New("the tape has no such request")

// tapeError is a fault of a tape: never tried again, never a fault of a server.
type tapeError struct{ cause error }

func (e *tapeError) Error() string { return "the tape: " + e.cause.Error() }
func (e *tapeError) Unwrap() error { return e.cause }

// noncePlace stands where the nonce was. It can't be part of a nonce.
const noncePlace = "{nonce}"

// Tape keeps requests with their answers, one JSON object a line. It has the
// bodies of requests, so prompts, and answers, but no header of a request and no
// key. A request is found again by its [entry.id].
type Tape struct {
	recording bool

	mu      sync.Mutex
	entries map[string]entry
	file    *os.File // while recording
}

// entry is one request with its answer.
type entry struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Epoch  int    `json:"epoch"`
	Round  int    `json:"round"`
	Try    int    `json:"try"`
	Body   string `json:"body"` // canonical JSON, without the nonce

	Loss   Code        `json:"loss,omitzero"` // why no answer came; then nothing follows
	Status int         `json:"status,omitzero"`
	Header http.Header `json:"header,omitempty"` // those of kept
	Reply  string      `json:"reply,omitzero"`
}

// replayedLoss is a fault of a connection, played again.
type replayedLoss struct{ code Code }

func (e *replayedLoss) Error() string { return "recorded: " + string(e.code) }

// kept are the headers of an answer that mean something to us. Others may name
// the account.
var kept = []string{"Retry-After", "Retry-After-Ms", headerScripted}

// id is what a request is found by: method, path, body without its nonce, and
// which run of the question it was.
func (e entry) id() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d %d %d\n%s", e.Method, e.Path, e.Epoch, e.Round, e.Try, e.Body))
	return hex.EncodeToString(sum[:])
}

// RecordTape makes a new tape. It does not touch one that exists: close it when
// all is asked.
func RecordTape(path string) (*Tape, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making a tape: %w", err)
	}
	return &Tape{recording: true, entries: map[string]entry{}, file: f}, nil
}

// ReplayTape reads a tape. What is not on it is a failure; no network is used.
func ReplayTape(text []byte) (*Tape, error) {
	t := &Tape{entries: map[string]entry{}}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var e entry
		if err := json.Unmarshal(line, &e, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("reading a tape, line %d: %w", number, err)
		}
		if lost := e.Loss == Timeout || e.Loss == Transport || e.Loss == Malformed; lost != (e.Status == 0) || !lost && e.Loss != "" {
			return nil, fmt.Errorf("reading a tape, line %d: loss %q with status %d", number, e.Loss, e.Status)
		}
		if _, again := t.entries[e.id()]; again {
			return nil, fmt.Errorf("reading a tape, line %d: the same request as before it", number)
		}
		t.entries[e.id()] = e
	}
	return t, nil
}

// Replays reports whether answers come from the tape, and from nowhere else.
func (t *Tape) Replays() bool { return t != nil && !t.recording }

// Close ends a recording. Without it the tape may not be whole.
func (t *Tape) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return nil
	}
	err := errors.Join(t.file.Sync(), t.file.Close())
	t.file = nil
	return err
}

// around returns the transport that records what next answers, or replays.
func (t *Tape) around(next http.RoundTripper) http.RoundTripper { return tapeDeck{t, next} }

type tapeDeck struct {
	tape *Tape
	next http.RoundTripper
}

// RoundTrip answers from the tape, or has it answered and recorded.
func (d tapeDeck) RoundTrip(req *http.Request) (*http.Response, error) {
	nonce := runOf(req.Context()).nonce
	e, err := newEntry(req, nonce)
	if err != nil {
		return nil, &tapeError{err}
	}
	if d.tape.recording {
		return d.record(req, e, nonce)
	}
	e, found := d.tape.entries[e.id()]
	if !found {
		return nil, &tapeError{ErrNotRecorded}
	}
	return e.response(req, nonce)
}

// newEntry returns the part of an entry that is the request.
func newEntry(req *http.Request, nonce string) (entry, error) {
	r := runOf(req.Context())
	e := entry{Method: req.Method, Path: req.URL.EscapedPath(), Epoch: r.Epoch, Round: r.Round, Try: r.Try}
	if req.ContentLength == 0 { // a probe's GET
		return e, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return e, err
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return e, err
	}
	v, err := toolcall.Parse(text, toolcall.Bounds{Bytes: maxBody})
	e.Body = without(nonce, v.Canonical())
	return e, err
}

func without(nonce, text string) string {
	if nonce == "" {
		return text
	}
	return strings.ReplaceAll(text, nonce, noncePlace)
}

// record has the request answered, and writes both. An answer that could not be
// kept is none: the tape would not be whole.
func (d tapeDeck) record(req *http.Request, e entry, nonce string) (*http.Response, error) {
	resp, err := d.next.RoundTrip(req)
	var reply []byte
	if err == nil {
		reply, err = io.ReadAll(resp.Body)
	}
	if err != nil {
		e.Loss = lossOf(req.Context(), err)
	} else {
		e.Status, e.Reply, e.Header = resp.StatusCode, without(nonce, string(reply)), http.Header{}
		for name, values := range resp.Header {
			if slices.Contains(kept, name) {
				e.Header[name] = values
			}
		}
	}
	if err := d.tape.append(e); err != nil {
		return nil, &tapeError{err}
	}
	return e.response(req, nonce) // what a replay will give, in the recording run already
}

func (t *Tape) append(e entry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return errors.New("it is closed")
	}
	if _, again := t.entries[e.id()]; again {
		return errors.New("the same request a second time: give it another epoch or round")
	}
	line, err := json.Marshal(e, json.Deterministic(true))
	if err != nil {
		return err
	}
	t.entries[e.id()] = e
	_, err = t.file.Write(append(line, '\n'))
	return err
}

func (e entry) response(req *http.Request, nonce string) (*http.Response, error) {
	if e.Loss != "" {
		return nil, &replayedLoss{e.Loss}
	}
	reply := e.Reply
	if nonce != "" {
		reply = strings.ReplaceAll(reply, noncePlace, nonce)
	}
	header := e.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		StatusCode: e.Status, Header: header, Request: req,
		Body: io.NopCloser(strings.NewReader(reply)), ContentLength: int64(len(reply)),
	}, nil
}
