package fakellm

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/clikit"
)

// batchRequest is a line of a file of requests in the form of OpenAI's Batch API.
type batchRequest struct {
	CustomID string         `json:"custom_id"`
	Method   string         `json:"method"`
	URL      string         `json:"url"`
	Body     jsontext.Value `json:"body"`
}

// epochOf finds the epoch in a custom_id of licet-lab: the headers that say it do not
// come with a file.
var epochOf = regexp.MustCompile(`_e([0-9]{1,9})_[0-9a-f]+$`)

// AnswerBatch answers a file of requests with a file of answers, as the service does,
// line by line and without waiting. What would be no answer at all is an error line.
func (s *Script) AnswerBatch(requests io.Reader, answers io.Writer, log io.Writer) error {
	hurried := *s
	hurried.Rules = slices.Clone(s.Rules)
	for i := range hurried.Rules {
		hurried.Rules[i].Latency = 0
	}
	handler := hurried.Handler(log)
	lines := bufio.NewScanner(requests)
	lines.Buffer(nil, maxRequest)
	for n := 1; lines.Scan(); n++ {
		var r batchRequest
		if err := json.Unmarshal(lines.Bytes(), &r, json.RejectUnknownMembers(true)); err != nil {
			return fmt.Errorf("request %d: %w", n, err)
		}
		line, err := answerLine(handler, r)
		if err != nil {
			return fmt.Errorf("request %d: %w", n, err)
		}
		if err := clikit.PrintJSON(answers, line); err != nil {
			return err
		}
	}
	return lines.Err()
}

// answerLine has one request answered.
func answerLine(handler http.Handler, r batchRequest) (object, error) {
	gone, leave := context.WithCancel(context.Background())
	leave() // nobody waits for an answer that does not come
	req, err := http.NewRequestWithContext(gone, r.Method, "http://127.0.0.1"+r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	if m := epochOf.FindStringSubmatch(r.CustomID); m != nil {
		req.Header.Set("X-Licet-Epoch", m[1])
	}
	page := page{header: http.Header{}}
	handler.ServeHTTP(&page, req)
	line := object{"id": "scripted", "custom_id": r.CustomID, "response": nil, "error": object{"code": "batch_expired", "message": "no answer came"}}
	if body := jsontext.Value(page.body.Bytes()); body.IsValid() {
		line["response"], line["error"] = object{"status_code": max(page.status, http.StatusOK), "request_id": "scripted", "body": body}, nil
	}
	return line, nil
}

// page keeps an answer.
type page struct {
	header http.Header
	status int // 0: none was said
	body   bytes.Buffer
}

func (p *page) Header() http.Header            { return p.header }
func (p *page) WriteHeader(status int)         { p.status = status }
func (p *page) Write(text []byte) (int, error) { return p.body.Write(text) }
