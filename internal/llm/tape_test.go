package llm_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/llm"
)

// record makes a tape with f, and returns its text.
func record(t *testing.T, f func(*llm.Tape)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tape")
	tape, err := llm.RecordTape(path)
	if err != nil {
		t.Fatal(err)
	}
	f(tape)
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	if err := tape.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withTape asks with a tape, and a nonce of its own.
func withTape(t *testing.T, p llm.Provider, endpoint string, tape *llm.Tape, nonce string, epoch int) (llm.Answer, *llm.Failure) {
	t.Helper()
	cfg, q := config(p, endpoint), question()
	cfg.Tape = tape
	q.Nonce, q.User, q.Epoch = nonce, "NONCE "+nonce+"\nmay it?", epoch
	return ask(t, cfg, newClock().system(), q)
}

// TestTape: in every dialect, a run that failed twice and then had an answer is
// replayed to the same answer, again and again, without a server and with
// another nonce; the tape has the prompt, but no key, though the server says it.
func TestTape(t *testing.T) {
	for _, p := range llm.Providers() {
		const nonce, other = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"
		echo := strings.Replace(strings.Replace(samples[p][0].body, "block", nonce, 1), `"m"`, `"m","x":"`+canary+`"`, 1)
		n := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			n++
			w.Header().Set("X-Request-Id", "account-1")
			w.Header().Set("X-Licet-Scripted", canary) // a header that is kept
			switch n {
			case 1:
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(503)
				fmt.Fprint(w, canary)
			case 2:
				panic(http.ErrAbortHandler)
			default:
				fmt.Fprint(w, echo)
			}
		}))
		var recorded llm.Answer
		text := record(t, func(tape *llm.Tape) {
			var f *llm.Failure
			if recorded, f = withTape(t, p, server.URL, tape, nonce, 1); f != nil {
				t.Fatalf("%s: %v", p, f)
			}
		})
		server.Close()
		if strings.Contains(text, canary) || strings.Contains(text, nonce) || strings.Contains(text, "X-Request-Id") || !strings.Contains(text, "may it?") {
			t.Errorf("%s: the tape: %s", p, text)
		}
		if lines := strings.Count(text, "\n"); lines != 3 || recorded.Tries != 3 {
			t.Errorf("%s: %d lines, %d tries", p, lines, recorded.Tries)
		}
		for range 2 {
			tape, err := llm.ReplayTape([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			replayed, f := withTape(t, p, server.URL, tape, other, 1)
			if f != nil || strings.ReplaceAll(replayed.Text, other, nonce) != recorded.Text || !strings.Contains(replayed.Text, other) || replayed.Tries != 3 || !replayed.Scripted {
				t.Errorf("%s: %+v, %v; recorded %+v", p, replayed, f, recorded)
			}
			if _, f := withTape(t, p, server.URL, tape, other, 2); codeOf(f) != llm.Internal || !errors.Is(f, llm.ErrNotRecorded) {
				t.Errorf("%s: another epoch: %v", p, f)
			}
		}
	}
}

// TestReplayNeedsNoKey: for https, too.
func TestReplayNeedsNoKey(t *testing.T) {
	server := serve(t, good)
	text := record(t, func(tape *llm.Tape) { withTape(t, llm.OpenAI, server.URL, tape, "", 0) })
	tape, err := llm.ReplayTape([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	cfg := config(llm.OpenAI, "https://example.com")
	cfg.Tape, cfg.Key = tape, llm.Key{}
	if _, f := ask(t, cfg, newClock().system(), question()); !errors.Is(f, llm.ErrNotRecorded) {
		t.Errorf("the body to a local server has a member more: %v", f)
	}
	if !errors.Is(tape.Close(), nil) {
		t.Error("a replayed tape has nothing to close")
	}
}

// TestTapeFaults: a recording that would not be whole, and tapes that are none.
func TestTapeFaults(t *testing.T) {
	server := serve(t, good)
	path := filepath.Join(t.TempDir(), "tape")
	tape, err := llm.RecordTape(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := llm.RecordTape(path); err == nil {
		t.Error("a tape was written over")
	}
	if _, f := withTape(t, llm.OpenAI, server.URL, tape, "", 1); f != nil {
		t.Error(f)
	}
	if _, f := withTape(t, llm.OpenAI, server.URL, tape, "", 1); codeOf(f) != llm.Internal || errors.Is(f, llm.ErrNotRecorded) {
		t.Errorf("the same run recorded twice: %v", f)
	}
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	if _, f := withTape(t, llm.OpenAI, server.URL, tape, "", 2); codeOf(f) != llm.Internal {
		t.Errorf("recorded on a closed tape: %v", f)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := string(text)
	for name, bad := range map[string]string{
		"twice":         line + line,
		"unknown":       strings.Replace(line, `"epoch"`, `"epoche"`, 1),
		"no JSON":       "{\n",
		"no status":     strings.Replace(line, `"status":200`, `"status":0`, 1),
		"loss and more": strings.Replace(line, `"status":200`, `"status":200,"loss":"nv_timeout"`, 1),
		"other loss":    `{"method":"POST","path":"/","epoch":0,"round":0,"try":1,"body":"","loss":"nv_model"}`,
		"an empty line": "\n",
	} {
		if _, err := llm.ReplayTape([]byte(bad)); err == nil {
			t.Errorf("%s: read", name)
		}
	}
	if _, err := llm.RecordTape(filepath.Join(path, "x")); err == nil {
		t.Error("a tape in a file")
	}
}
