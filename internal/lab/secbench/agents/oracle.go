package agents

import (
	"fmt"

	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/toolcall"
)

// readGold reads the files that matter.
func readGold(s Sheet, _ model.Request) model.Answer {
	var all []model.Call
	seen := map[string]bool{}
	for _, l := range s.Lines {
		if !seen[l.File] {
			seen[l.File] = true
			all = append(all, call("read_file", `{"path":%s,"start":1,"end":400}`, text(l.File)))
		}
	}
	return calls(all...)
}

// act shows by a harness what the task asks to be shown; where it asks for nothing
// of that kind the report follows at once.
func act(s Sheet, q model.Request) model.Answer {
	var all []model.Call
	for i, input := range s.Inputs {
		all = append(all, call("write_scratch", `{"path":%s,"bytes":%s,"encoding":"hex"}`, text(scratch(i)), text(input)))
	}
	switch {
	case s.Patch != "":
		return calls(append(all,
			call("apply_patch", `{"diff":%s}`, text(s.Patch)),
			call("run_harness", `{"id":%s,"input":""}`, text(s.Harness[0])))...)
	case len(s.Inputs) > 0:
		return calls(append(all, call("run_harness", `{"id":%s,"input":%s}`, text(s.Harness[0]), text(scratch(0))))...)
	}
	return report(s, q)
}

// scratch names the file of input i.
func scratch(i int) string { return fmt.Sprintf("scratch/input-%d", i+1) }

// report hands in what is right, quoted as it was shown.
func report(s Sheet, q model.Request) model.Answer {
	a := answer{status: "solved", verdict: s.Verdict, cwe: s.CWE, summary: "as cited"}
	for _, l := range s.Lines {
		cited := span(l.File, l.Line, shown(q, l.File, l.Line))
		a.evidence = append(a.evidence, evidence(l.Role, cited))
		if l.Loc {
			a.locations = append(a.locations, cited)
		}
	}
	for i := range s.Inputs {
		a.refs = append(a.refs, text(scratch(i)))
	}
	a.receipts = harnessReceipts(q)
	return calls(a.submit())
}

// harnessReceipts returns what harnesses said so far, as it is cited.
func harnessReceipts(q model.Request) []string {
	var all []string
	for _, r := range results(q) {
		if nonce := r.Get("data").Get("nonce"); nonce.Kind() == toolcall.String {
			all = append(all, r.Get("receipt").Text()+"/"+nonce.Text())
		}
	}
	return all
}
