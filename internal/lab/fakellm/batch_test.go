package fakellm_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/fakellm"
)

// TestAnswerBatch: each line of a file is answered by the first rule that matches, in
// the epoch that its id names, and what would be no answer at all is an error line.
func TestAnswerBatch(t *testing.T) {
	script, err := fakellm.Parse("script.yaml", []byte(`
rules:
  - {when: {match: hang}, fault: hang, latency_ms: 3600000}
  - {when: {match: cut}, fault: cut}
  - {when: {match: busy}, fault: rate}
  - {latency_ms: 3600000, drift: [{decision: allow}, {decision: block}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	request := func(id, text string) string {
		return `{"custom_id":"` + id + `","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"` + text + `"}]}}` + "\n"
	}
	var out bytes.Buffer
	in := request("eval_a_r0_e2_0123456789ab", "x") + request("b", "x") + request("c", "hang") + request("d", "cut") + request("e", "busy")
	if err := script.AnswerBatch(strings.NewReader(in), &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{`\"decision\":\"block\"`, `\"decision\":\"allow\"`, `"batch_expired"`, `"batch_expired"`, `"status_code":429`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: %s, want %s", i+1, lines[i], want)
		}
	}
	for _, in := range []string{"no JSON\n", `{"custom_id":"a","more":1}`, `{"custom_id":"a","method":"A B","url":"/"}`} {
		if err := script.AnswerBatch(strings.NewReader(in), io.Discard, io.Discard); err == nil {
			t.Errorf("%s is a request", in)
		}
	}
}
