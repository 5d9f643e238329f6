package model_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/judge/model"
	"github.com/licet-dev/licet/internal/llm"
)

// TestTape: a recorded run, played again twice, gives the same opinions byte for
// byte, with three votes, a failure and a repair in it; what is not on the tape is
// a failure that says so, and no network is asked.
func TestTape(t *testing.T) {
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		answer := []string{allow, "prose", allow, block}[(n-1)%4]
		text, _ := json.Marshal(answer)
		fmt.Fprintf(w, `{"model":"m","choices":[{"finish_reason":"stop","message":{"content":%s}}],"usage":{"prompt_tokens":%d,"completion_tokens":3}}`, text, n)
	}))
	path := filepath.Join(t.TempDir(), "tape")
	tape, err := llm.RecordTape(path)
	if err != nil {
		t.Fatal(err)
	}
	run := func(tape *llm.Tape, item string) string {
		client, err := llm.New(llm.Config{Provider: llm.OpenAI, Endpoint: server.URL + "/v1", Model: "m", Tape: tape, Limit: llm.Limit{Tries: 100, Tokens: 1 << 40}}, llm.RealSystem())
		if err != nil {
			t.Fatal(err)
		}
		o := options(nil)
		o.Main, o.Votes, o.Nonce, o.Epoch = client, 3, model.LabNonce("data", item, 2), 2
		got := newJudge(t, o).Judge(t.Context(), pay(t, order))
		return fmt.Sprintf("%+v %+v", got.Asked, func() judge.Opinion { o := got; o.Asked = nil; return o }())
	}
	recorded := run(tape, "item")
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	server.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), "\n") != 4 || !strings.Contains(recorded, "Repaired:true") {
		t.Fatalf("%d requests on the tape: %s", strings.Count(string(text), "\n"), recorded)
	}
	for range 2 {
		again, err := llm.ReplayTape(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := run(again, "item"); got != recorded {
			t.Errorf("played again:\n%s\nwant\n%s", got, recorded)
		}
	}
	// The nonce is no part of what is looked up; another epoch is.
	again, err := llm.ReplayTape([]byte(strings.ReplaceAll(string(text), `"epoch":2`, `"epoch":3`)))
	if err != nil {
		t.Fatal(err)
	}
	if got := run(again, "item"); !strings.Contains(got, string(judge.Internal)) || !strings.Contains(got, llm.ErrNotRecorded.Error()) {
		t.Errorf("a missing entry gives %s", got)
	}
}
