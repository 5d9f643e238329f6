package fakellm

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/licet-dev/licet/internal/clikit"
)

// Serve answers on l until ctx ends. Each question leaves a line of JSON in log.
func (s *Script) Serve(ctx context.Context, l net.Listener, log io.Writer) error {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	server := &http.Server{Handler: s.Handler(log), Protocols: protocols, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // Serve says how it ended
	defer stop()
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// Handler returns the server's answers as a handler.
func (s *Script) Handler(log io.Writer) http.Handler {
	return &handler{script: s, log: log}
}

type handler struct {
	script *Script
	mu     sync.Mutex
	log    io.Writer
}

// line is what the log has of one question: nothing of its text, nor of a key.
type line struct {
	Dialect string `json:"dialect"`
	Model   string `json:"model"`
	Call    string `json:"call"` // digest of the judged call
	Epoch   int    `json:"epoch"`
	Try     int    `json:"try"`
	Rule    int    `json:"rule"` // its line in the script; 0: none matched
	Fault   string `json:"fault"`
}

const maxRequest = 4 << 20 // bytes

// ServeHTTP answers a question by the first rule that matches, or one of the
// pages that servers have beside the API.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Licet-Scripted", "licet-lab fake-llm")
	name := dialectOf(r)
	if name == "" {
		h.script.page(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		h.fail(w, name, reply{fault: "too_large"}, "")
		return
	}
	if h.script.Key != "" && keyOf(r) != h.script.Key {
		h.fail(w, name, reply{fault: "auth"}, "")
		return
	}
	a, err := readAsk(name, r, body)
	if err != nil {
		h.fail(w, name, reply{fault: "bad_request"}, err.Error())
		return
	}
	if a.schema && !h.script.JSONSchema {
		h.fail(w, name, reply{fault: "bad_request"}, "response_format is not supported")
		return
	}
	rule, found := h.script.rule(a)
	h.write(line{name, a.model, a.call, a.epoch, a.try, rule.Line, rule.Fault})
	if !found {
		h.fail(w, name, reply{fault: "bad_request"}, "no rule of the script matches")
		return
	}
	if !pause(r.Context(), rule.Latency) {
		return
	}
	h.reply(w, r, a, rule.answer(a))
}

func (h *handler) write(l line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = clikit.PrintJSON(h.log, l) // a log that is full must not change an answer
}

// dialectOf tells the dialect by the path, whatever stands before it.
func dialectOf(r *http.Request) string {
	path := r.URL.Path
	switch {
	case r.Method != http.MethodPost:
	case strings.HasSuffix(path, "/chat/completions"):
		return "openai"
	case strings.HasSuffix(path, "/responses"):
		return "openai-responses"
	case strings.HasSuffix(path, "/messages"):
		return "anthropic"
	case strings.HasSuffix(path, ":generateContent"):
		return "gemini"
	}
	return ""
}

// keyOf returns the key of a request, in whatever header it came.
func keyOf(r *http.Request) string {
	for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key"} {
		if key := r.Header.Get(name); key != "" {
			return key
		}
	}
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// rule returns the first rule that matches.
func (s *Script) rule(a ask) (Rule, bool) {
	for _, r := range s.Rules {
		if r.matches(a) {
			return r, true
		}
	}
	return Rule{}, false
}

func (r Rule) matches(a ask) bool {
	return (r.Match == nil || r.Match.MatchString(a.text)) &&
		(r.Digest == "" || r.Digest == a.call) &&
		(r.Header == "" || r.Header == a.header) &&
		(r.Dialect == "" || r.Dialect == a.dialect) &&
		(r.Try == 0 || r.Try == a.try) &&
		(r.Epoch == 0 || r.Epoch == a.epoch) &&
		(r.Turn == 0 || r.Turn == a.turn)
}

// pause waits, and says whether the client still does.
func pause(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// reply writes an answer, or does to the connection what the fault says.
func (h *handler) reply(w http.ResponseWriter, r *http.Request, a ask, out reply) {
	if faults[out.fault].status > 0 {
		h.fail(w, a.dialect, out, "")
		return
	}
	answer := dialects[a.dialect].answer(a, out)
	if !h.script.Usage {
		delete(answer, "usage")
		delete(answer, "usageMetadata")
	}
	body := marshal(answer)
	switch out.fault {
	case "hang":
		<-r.Context().Done()
		return
	case "html":
		body = []byte("<html><body>Please sign in.</body></html>")
	case "oversize":
		body = append(bytes.Repeat([]byte(" "), maxRequest), body...)
	case "error_200":
		_, o := dialects[a.dialect].fail(faults["server"], 0, false)
		body = marshal(o)
	case "cut":
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		body = body[:len(body)/2] // the server ends a connection that owes bytes
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the client may be gone
}

// fail writes an error. message, if any, takes the place of the fault's own.
func (h *handler) fail(w http.ResponseWriter, dialect string, out reply, message string) {
	f := faults[out.fault]
	if message != "" {
		f.message = message
	}
	status, body := dialects[dialect].fail(f, out.retryAfter, out.fault == "quota")
	if out.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(out.retryAfter))
	}
	if out.fault == "redirect" {
		w.Header().Set("Location", "http://127.0.0.1:9/elsewhere")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(marshal(body)) // the client may be gone
}

func seconds(n int) string { return strconv.Itoa(n) + "s" }
